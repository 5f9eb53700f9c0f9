/* Turns the records of the tracer into spans. */
#include "timeline.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

enum { LANES_MAX = LAB_RUN_DEVICES_MAX * (1 + TRANSPOSE_STREAMS_MAX) };

/* State of converting the records of one trace. The lanes of a device follow each other: first its kernel stream, then
 * its copy streams. */
struct tracing {
    struct transpose_setup *setup;
    struct lab_axes axes;
    bool begun;
    int64_t origin_ns; /* start of the first record */
    size_t lane_count;
    struct lab_lane lanes[LANES_MAX];
    size_t seen[LANES_MAX]; /* number of records so far, by lane */
};

static void collect_lanes(struct tracing *tracing)
{
    const struct transpose_setup *setup = tracing->setup;
    for (size_t d = 0; d < setup->devices; d++) {
        tracing->lanes[tracing->lane_count++] = setup->lanes[d];
        for (size_t i = 0; i < setup->streams; i++)
            tracing->lanes[tracing->lane_count++] = (struct lab_lane){transpose_device(setup, d), setup->copies[d][i]};
    }
}

/* Writes the target of a piece that device `from` sends, for example "device 2 · chunk 3"; the chunk only if there are
 * several. */
static void write_piece(char *text, size_t size, const struct transpose_setup *setup, size_t from, size_t piece)
{
    size_t to = transpose_target(setup, from, piece / setup->shape.chunks + 1);
    if (setup->shape.chunks > 1)
        snprintf(text, size, "device %zu · chunk %zu", to + 1, piece % setup->shape.chunks + 1);
    else
        snprintf(text, size, "device %zu", to + 1);
}

static void write_kernel(char *label, size_t size, const struct transpose_setup *setup, size_t device, size_t number)
{
    char piece[64];
    write_piece(piece, sizeof piece, setup, device, number / setup->shape.chunks);
    if (number < transpose_squares_sent(setup))
        snprintf(label, size, "transpose for %s", piece);
    else
        snprintf(label, size, "transpose of the block that stays");
}

static void write_copy(char *label, size_t size, const struct transpose_setup *setup, size_t device,
                       const struct lab_trace_record *record, size_t number)
{
    char piece[64];
    double mebibytes = (double)record->bytes / 1048576;
    size_t stream = record->lane % (1 + setup->streams) - 1;
    write_piece(piece, sizeof piece, setup, device, number * setup->streams + stream);
    if (record->kind == LAB_TRACE_PEER)
        snprintf(label, size, "to %s · %.4g MiB", piece, mebibytes);
    else /* a part of a copy through the host; the tracer does not say of which copy */
        snprintf(label, size, "through the host · %.4g MiB", mebibytes);
}

static void send_record(void *context, const struct lab_trace_record *record)
{
    static const char *const kinds[] = {[LAB_TRACE_H2D] = "copy-up",
                                        [LAB_TRACE_D2H] = "copy-down",
                                        [LAB_TRACE_D2D] = "compute",
                                        [LAB_TRACE_PEER] = "copy-peer",
                                        [LAB_TRACE_KERNEL] = "compute"};
    struct tracing *tracing = context;
    const struct transpose_setup *setup = tracing->setup;
    size_t device = record->lane / (1 + setup->streams), stream = record->lane % (1 + setup->streams);
    size_t number = tracing->seen[record->lane]++;
    char lane[64], label[112];
    if (!tracing->begun)
        tracing->origin_ns = record->start_ns;
    tracing->begun = true;
    if (stream == 0) {
        snprintf(lane, sizeof lane, "device %zu", device + 1);
        write_kernel(label, sizeof label, setup, device, number);
    } else {
        snprintf(lane, sizeof lane, "device %zu copies %zu", device + 1, stream);
        write_copy(label, sizeof label, setup, device, record, number);
    }
    setup->run->sink.span(setup->run->sink.context,
                          &(struct lab_span){.lane = lane,
                                             .kind = kinds[record->kind],
                                             .label = label,
                                             .start_ns = record->start_ns - tracing->origin_ns,
                                             .end_ns = record->end_ns - tracing->origin_ns,
                                             .axes = &tracing->axes});
}

/* Warns that there is no timeline, with the reason, and sets *refused. Returns true: the run continues. */
static bool refuse(struct transpose_setup *setup, const char *reason, bool *refused)
{
    char text[LAB_DETAIL_MAX + 32];
    snprintf(text, sizeof text, "no timeline: %s", reason);
    setup->run->sink.warning(setup->run->sink.context, text);
    *refused = true;
    return true;
}

static bool run_job(struct transpose_setup *setup)
{
    if (!transpose_enqueue(setup))
        return false;
    for (size_t d = 0; d < setup->devices; d++)
        if (!transpose_forward_error(
                setup, d, setup->runtime->stream_synchronize(setup->lanes[d].device, setup->lanes[d].stream)))
            return false;
    return true;
}

/* Runs the job twice and traces the second one, because the first launches in a process are slower. */
bool transpose_trace(struct transpose_setup *setup, const struct transpose_point *point, bool *refused)
{
    const struct lab_runtime_trace *trace = setup->runtime->trace;
    struct lab_device *first = transpose_device(setup, 0);
    struct tracing tracing = {.setup = setup};
    if (trace == NULL)
        return refuse(setup, "the runtime of these devices has no tracer", refused);
    transpose_point_axes(&tracing.axes, point);
    collect_lanes(&tracing);
    if (!run_job(setup))
        goto fail;
    if (!trace->begin(tracing.lanes, tracing.lane_count)) {
        if (strcmp(first->error.code, "unsupported") == 0)
            return refuse(setup, first->error.detail, refused);
        goto fail;
    }
    bool done = run_job(setup);
    struct lab_error error = first->error; /* ending the trace may fail too, with a less specific error */
    if (trace->end(first, send_record, &tracing) && done)
        return true;
    if (!done)
        first->error = error;
fail:
    setup->run->error = first->error;
    return false;
}
