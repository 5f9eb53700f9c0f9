/* Reading lines, writing lines, and the tail of a log. */
#include "worker_channel.h"

#include "core/protocol.h"
#include "core/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* At most 1 MiB is read per call: enough for high throughput, and little enough that the caller still checks deadlines
 * when a worker writes without pause. */
enum { CHUNK = 64 * 1024, CHUNKS_PER_CALL = 16 };

/* Makes space for `more` bytes after `end`. */
static bool reserve(struct lab_buffer *buffer, size_t more)
{
    if (buffer->capacity - buffer->end >= more)
        return true;
    size_t unread = buffer->end - buffer->start;
    if (unread != 0 && buffer->start != 0)
        memmove(buffer->bytes, buffer->bytes + buffer->start, unread);
    buffer->start = 0;
    buffer->end = unread;
    if (buffer->capacity - unread >= more)
        return true;
    size_t capacity = buffer->capacity != 0 ? buffer->capacity : CHUNK;
    while (capacity - unread < more)
        capacity *= 2;
    char *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL)
        return false;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

static void buffer_release(struct lab_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct lab_buffer){0};
}

/* One read. False when nothing is available; *ended is set when the peer closed its end. */
static bool read_some(int descriptor, char *bytes, size_t size, size_t *got, bool *ended)
{
    ssize_t count;
    do
        count = read(descriptor, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
        *ended = true;
    *got = count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* --- reading lines ------------------------------------------------------------------------------------------------ */

void lab_line_reader_fill(struct lab_line_reader *reader, int descriptor)
{
    struct lab_buffer *buffer = &reader->buffer;
    size_t got;
    for (int chunk = 0; chunk < CHUNKS_PER_CALL && !reader->ended && !reader->too_long; chunk++) {
        if (buffer->end - buffer->start > LAB_LINE_MAX && memchr(buffer->bytes + buffer->start, '\n', LAB_LINE_MAX))
            return; /* the caller has to take a complete line first */
        if (buffer->end - buffer->start > LAB_LINE_MAX || !reserve(buffer, CHUNK)) {
            reader->too_long = true;
            return;
        }
        if (!read_some(descriptor, buffer->bytes + buffer->end, CHUNK, &got, &reader->ended))
            return;
        buffer->end += got;
    }
}

char *lab_line_reader_next(struct lab_line_reader *reader, size_t *length)
{
    struct lab_buffer *buffer = &reader->buffer;
    size_t unread = buffer->end - buffer->start;
    if (reader->scanned == unread)
        return NULL;
    char *line = buffer->bytes + buffer->start;
    char *newline = memchr(line + reader->scanned, '\n', unread - reader->scanned);
    if (newline == NULL) {
        reader->scanned = unread;
        return NULL;
    }
    *length = (size_t)(newline - line);
    *newline = '\0';
    buffer->start += *length + 1;
    reader->scanned = 0;
    if (*length + 1 > LAB_LINE_MAX) {
        reader->too_long = true;
        return NULL;
    }
    return line;
}

void lab_line_reader_release(struct lab_line_reader *reader)
{
    buffer_release(&reader->buffer);
}

/* --- writing lines ------------------------------------------------------------------------------------------------ */

bool lab_line_writer_add(struct lab_line_writer *writer, const char *text, size_t length)
{
    struct lab_buffer *buffer = &writer->buffer;
    if (!reserve(buffer, length + 1))
        return false;
    memcpy(buffer->bytes + buffer->end, text, length);
    buffer->bytes[buffer->end + length] = '\n';
    buffer->end += length + 1;
    return true;
}

bool lab_line_writer_flush(struct lab_line_writer *writer, int socket)
{
    struct lab_buffer *buffer = &writer->buffer;
    while (buffer->start < buffer->end) {
        ssize_t sent = send(socket, buffer->bytes + buffer->start, buffer->end - buffer->start, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        buffer->start += (size_t)sent;
    }
    buffer->start = buffer->end = 0;
    return true;
}

void lab_line_writer_release(struct lab_line_writer *writer)
{
    buffer_release(&writer->buffer);
}

/* --- the tail of a log -------------------------------------------------------------------------------------------- */

void lab_log_tail_add(struct lab_log_tail *log, const char *text, size_t length)
{
    if (log->bytes == NULL && (log->bytes = malloc(LAB_LOG_SIZE)) == NULL)
        return; /* out of memory: nothing is kept */
    if (length > LAB_LOG_SIZE) {
        text += length - LAB_LOG_SIZE;
        length = LAB_LOG_SIZE;
    }
    size_t at = log->total % LAB_LOG_SIZE;
    size_t first = length < LAB_LOG_SIZE - at ? length : LAB_LOG_SIZE - at;
    memcpy(log->bytes + at, text, first);
    memcpy(log->bytes, text + first, length - first);
    log->total += length;
}

void lab_log_tail_fill(struct lab_log_tail *log, int descriptor)
{
    char chunk[4096];
    size_t got;
    for (size_t taken = 0; taken < LAB_LOG_SIZE && !log->ended; taken += got) {
        if (!read_some(descriptor, chunk, sizeof chunk, &got, &log->ended))
            return;
        lab_log_tail_add(log, chunk, got);
    }
}

/* Replaces control characters other than newline and tab, and bytes that are not UTF-8. */
static void clean(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        bool control = (unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t';
        size_t step = control ? 0 : lab_utf8_length(text + i, length - i);
        if (step == 0)
            text[i] = '?';
        i += step != 0 ? step : 1;
    }
}

void lab_log_tail_text(const struct lab_log_tail *log, char *text, size_t size)
{
    if (size == 0)
        return;
    size_t kept = log->total < LAB_LOG_SIZE ? log->total : LAB_LOG_SIZE;
    size_t length = kept < size - 1 ? kept : size - 1;
    for (size_t i = 0; i < length; i++)
        text[i] = log->bytes[(log->total - length + i) % LAB_LOG_SIZE];
    text[length] = '\0';
    if (length < log->total) { /* the first line may be incomplete: drop it if another line follows */
        char *newline = memchr(text, '\n', length);
        if (newline != NULL && newline[1] != '\0') {
            length -= (size_t)(newline + 1 - text);
            memmove(text, newline + 1, length + 1);
        }
    }
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    clean(text, length);
}

void lab_log_tail_release(struct lab_log_tail *log)
{
    free(log->bytes);
    log->bytes = NULL;
}
