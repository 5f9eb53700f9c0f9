#include "output.h"

#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* HEAD_MAX: what is sent as it comes; the rest of LAB_OUTPUT_MAX is for the end and for the line between them. */
enum { HEAD_MAX = LAB_OUTPUT_MAX - PROGRAM_OUTPUT_TAIL - 4096, PIECE_MAX = 16384 };

static const char *const stream_names[] = {LAB_OUTPUT_STREAMS};

/* A piece of text that grows until it is sent. */
struct piece {
    struct program_output *output;
    enum program_stream stream;
    size_t length;
    char text[PIECE_MAX];
};

static bool is_full(const struct program_output *output)
{
    return output->tail != NULL;
}

static void keep_for_the_end(struct program_output *output, const char *text, size_t length)
{
    if (output->tail == NULL && (output->tail = malloc(PROGRAM_OUTPUT_TAIL)) == NULL)
        return;
    for (size_t i = 0; i < length; i++)
        output->tail[(output->tail_bytes + i) % PROGRAM_OUTPUT_TAIL] = text[i];
    output->tail_bytes += length;
}

static void send_piece(struct piece *piece)
{
    struct program_output *output = piece->output;
    piece->text[piece->length] = '\0';
    if (piece->length > 0 && !is_full(output) && output->sent + piece->length <= HEAD_MAX) {
        output->run->sink.output(output->run->sink.context, stream_names[piece->stream], piece->text);
        output->sent += piece->length;
    } else if (piece->length > 0) {
        keep_for_the_end(output, piece->text, piece->length);
    }
    piece->length = 0;
}

static void append(struct piece *piece, const char *text, size_t length)
{
    if (piece->length + length >= PIECE_MAX)
        send_piece(piece);
    memcpy(piece->text + piece->length, text, length);
    piece->length += length;
}

/* Appends a character as it is, or a byte that is no text as \xNN. A carriage return ends a line, as a progress bar
 * means it. */
static void append_character(struct piece *piece, const char *bytes, size_t length)
{
    unsigned char first = (unsigned char)bytes[0];
    char shown[8];
    if (length == 1 && first == '\r')
        append(piece, "\n", 1);
    else if (length == 0 || (length == 1 && (first < ' ' || first == 0x7f) && first != '\n' && first != '\t'))
        append(piece, shown, (size_t)snprintf(shown, sizeof shown, "\\x%02x", first));
    else
        append(piece, bytes, length);
}

/* Whether bytes may be the beginning of a character that more bytes complete, or of the end of a line. */
static bool is_incomplete(const char *bytes, size_t size)
{
    unsigned char first = (unsigned char)bytes[0];
    size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 || first == '\r' ? 2 : 1;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return false;
    return size < whole;
}

/* Appends the characters that the bytes of a stream are so far. `ended`: no more follow. */
static void take_characters(struct piece *piece, bool ended)
{
    struct program_part *held = &piece->output->held[piece->stream];
    while (held->count > 0 && (ended || !is_incomplete(held->bytes, held->count))) {
        size_t length = lab_utf8_length(held->bytes, held->count), taken = length > 0 ? length : 1;
        if (held->bytes[0] != '\r' || held->count < 2 || held->bytes[1] != '\n')
            append_character(piece, held->bytes, length);
        held->count -= taken;
        memmove(held->bytes, held->bytes + taken, held->count);
    }
}

void program_output_add(struct program_output *output, enum program_stream stream, const char *bytes, size_t size)
{
    struct piece piece = {.output = output, .stream = stream};
    struct program_part *held = &output->held[stream];
    for (size_t i = 0; i < size; i++) {
        held->bytes[held->count++] = bytes[i];
        take_characters(&piece, false);
    }
    send_piece(&piece);
}

/* The tail as a text that begins at a character; the caller frees it. */
static char *tail_text(const struct program_output *output, uint64_t *dropped)
{
    size_t kept = output->tail_bytes < PROGRAM_OUTPUT_TAIL ? (size_t)output->tail_bytes : PROGRAM_OUTPUT_TAIL;
    uint64_t first = output->tail_bytes - kept;
    char *text = malloc(kept + 1);
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < kept; i++)
        text[i] = output->tail[(first + i) % PROGRAM_OUTPUT_TAIL];
    text[kept] = '\0';
    lab_utf8_drop_invalid(text);
    *dropped = first;
    return text;
}

static void send_tail(struct program_output *output)
{
    struct lab_sink *sink = &output->run->sink;
    uint64_t dropped = 0;
    char line[96], *text = tail_text(output, &dropped);
    if (text == NULL)
        return;
    snprintf(line, sizeof line, "\n[%" PRIu64 " bytes of output left out]\n", dropped);
    if (dropped > 0)
        sink->output(sink->context, stream_names[PROGRAM_STDOUT], line);
    sink->output(sink->context, stream_names[PROGRAM_STDOUT], text);
    free(text);
}

void program_output_end(struct program_output *output)
{
    for (enum program_stream stream = 0; stream < PROGRAM_STREAMS; stream++) {
        struct piece piece = {.output = output, .stream = stream};
        take_characters(&piece, true);
        send_piece(&piece);
    }
    if (output->tail != NULL)
        send_tail(output);
    free(output->tail);
    output->tail = NULL;
}
