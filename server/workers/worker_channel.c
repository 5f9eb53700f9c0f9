/* Writing lines, and the tail of a log. */
#include "worker_channel.h"

#include "core/protocol.h"
#include "core/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* --- writing lines ------------------------------------------------------------------------------------------------ */

/* Makes space for `more` bytes after `end`. */
static bool reserve(struct lab_line_writer *writer, size_t more)
{
    size_t waiting = writer->end - writer->start;
    if (writer->capacity - writer->end >= more)
        return true;
    char *bytes = malloc(waiting + more);
    if (bytes == NULL)
        return false;
    if (waiting > 0)
        memcpy(bytes, writer->bytes + writer->start, waiting);
    free(writer->bytes);
    *writer = (struct lab_line_writer){.bytes = bytes, .end = waiting, .capacity = waiting + more};
    return true;
}

bool lab_line_writer_add(struct lab_line_writer *writer, const char *text, size_t length)
{
    if (length + 1 > LAB_LINE_MAX || !reserve(writer, length + 1))
        return false;
    memcpy(writer->bytes + writer->end, text, length);
    writer->bytes[writer->end + length] = '\n';
    writer->end += length + 1;
    return true;
}

bool lab_line_writer_flush(struct lab_line_writer *writer, int socket)
{
    while (writer->start < writer->end) {
        ssize_t sent = send(socket, writer->bytes + writer->start, writer->end - writer->start, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        writer->start += (size_t)sent;
    }
    writer->start = writer->end = 0;
    return true;
}

void lab_line_writer_release(struct lab_line_writer *writer)
{
    free(writer->bytes);
    *writer = (struct lab_line_writer){0};
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

void lab_log_tail_clear(struct lab_log_tail *log)
{
    log->total = 0;
}

void lab_log_tail_release(struct lab_log_tail *log)
{
    free(log->bytes);
    log->bytes = NULL;
}
