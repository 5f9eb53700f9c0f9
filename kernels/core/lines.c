/* Reads lines into a buffer that grows up to the longest line that the protocol allows. */
#include "core/lines.h"

#include "core/protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 };

/* Makes space after `end`. Returns false when the buffer is full of unread bytes. */
static bool make_space(struct lab_line_reader *reader)
{
    if (reader->end < reader->capacity)
        return true;
    if (reader->start > 0) {
        memmove(reader->bytes, reader->bytes + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
        return true;
    }
    size_t capacity = reader->capacity == 0 ? CHUNK : 2 * reader->capacity;
    if (capacity > LAB_LINE_MAX)
        capacity = LAB_LINE_MAX;
    char *bytes = capacity > reader->capacity ? realloc(reader->bytes, capacity) : NULL;
    if (bytes == NULL)
        return false;
    reader->bytes = bytes;
    reader->capacity = capacity;
    return true;
}

bool lab_line_reader_read(struct lab_line_reader *reader, int descriptor)
{
    if (reader->ended || reader->too_long)
        return false;
    if (!make_space(reader)) {
        reader->too_long = reader->end == 0 || memchr(reader->bytes, '\n', reader->end) == NULL;
        return false;
    }
    size_t space = reader->capacity - reader->end;
    ssize_t count;
    do
        count = read(descriptor, reader->bytes + reader->end, space < CHUNK ? space : CHUNK);
    while (count < 0 && errno == EINTR);
    if (count > 0)
        reader->end += (size_t)count;
    else
        reader->ended = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    return count > 0;
}

char *lab_line_reader_next(struct lab_line_reader *reader, size_t *length)
{
    size_t unread = reader->end - reader->start;
    if (reader->scanned == unread)
        return NULL;
    char *line = reader->bytes + reader->start;
    char *newline = memchr(line + reader->scanned, '\n', unread - reader->scanned);
    if (newline == NULL) {
        reader->scanned = unread;
        return NULL;
    }
    *newline = '\0';
    *length = (size_t)(newline - line);
    reader->start += *length + 1;
    reader->scanned = 0;
    return line;
}

void lab_line_reader_release(struct lab_line_reader *reader)
{
    free(reader->bytes);
    *reader = (struct lab_line_reader){0};
}

bool lab_write_all(int descriptor, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}
