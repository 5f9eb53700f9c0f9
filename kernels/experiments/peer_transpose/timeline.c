/* Describes the records of the tracer as transposes and copies of chunks. */
#include "job.h"

#include <stdio.h>

bool transpose_execute(void *context)
{
    const struct transpose_setup *setup = ((struct transpose_job *)context)->setup;
    if (!transpose_enqueue(context))
        return false;
    for (size_t d = 0; d < setup->devices; d++)
        if (!transpose_forward_error(
                setup, d, setup->runtime->stream_synchronize(setup->lanes[d].device, setup->lanes[d].stream)))
            return false;
    return true;
}

static size_t target_of(const struct transpose_setup *setup, size_t device, size_t piece)
{
    return transpose_target(setup, device, piece / setup->shape.chunks + 1);
}

/* Writes the target of a piece that device `from` sends, for example "device 2 · chunk 3"; the chunk only if there are
 * several. */
static void write_piece(char *text, size_t size, const struct transpose_setup *setup, size_t from, size_t piece)
{
    size_t to = target_of(setup, from, piece);
    if (setup->shape.chunks > 1)
        snprintf(text, size, "device %zu · chunk %zu", to + 1, piece % setup->shape.chunks + 1);
    else
        snprintf(text, size, "device %zu", to + 1);
}

static void describe_kernel(const struct transpose_setup *setup, size_t device, size_t number,
                            struct lab_span_text *text)
{
    char piece[64];
    write_piece(piece, sizeof piece, setup, device, number / setup->shape.chunks);
    if (number < transpose_squares_sent(setup))
        snprintf(text->label, sizeof text->label, "transpose for %s", piece);
    else
        snprintf(text->label, sizeof text->label, "transpose of the block that stays");
}

/* Without peer access the driver copies in pieces through host memory. The tracer then records single pieces, some of
 * them with the bytes of the complete copy. */
static void describe_copy(const struct transpose_setup *setup, size_t device, size_t stream,
                          const struct lab_trace_record *record, size_t number, struct lab_span_text *text)
{
    char piece[64];
    double mebibytes = (double)record->bytes / 1048576;
    size_t index = number * setup->streams + stream, size = sizeof text->label;
    write_piece(piece, sizeof piece, setup, device, index);
    if (record->kind != LAB_TRACE_PEER)
        snprintf(text->label, size, "part of a copy through the host · %.4g MiB", mebibytes);
    else if (peer_access_is_allowed(&setup->access, transpose_device(setup, device),
                                    transpose_device(setup, target_of(setup, device, index))))
        snprintf(text->label, size, "to %s · %.4g MiB", piece, mebibytes);
    else
        snprintf(text->label, size, "to %s · part of %.4g MiB, through the host", piece, mebibytes);
}

void transpose_describe(void *context, const struct lab_trace_record *record, size_t number, struct lab_span_text *text)
{
    const struct transpose_setup *setup = ((struct transpose_job *)context)->setup;
    size_t device = record->lane / (1 + setup->streams), stream = record->lane % (1 + setup->streams);
    if (stream == 0) {
        snprintf(text->lane, sizeof text->lane, "device %zu", device + 1);
        describe_kernel(setup, device, number, text);
    } else {
        snprintf(text->lane, sizeof text->lane, "device %zu copies %zu", device + 1, stream);
        describe_copy(setup, device, stream - 1, record, number, text);
    }
}
