/* Reads and writes the lines of the worker protocol (protocol.h) on descriptors. */
#ifndef LAB_LINES_H
#define LAB_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Reads lines of at most LAB_LINE_MAX bytes, newline included, in at most as much memory. Starts as `{0}`. */
struct lab_line_reader {
    char *bytes; /* those in [start, end) were read and are not part of a returned line */
    size_t start, end, capacity;
    size_t scanned; /* the first `scanned` bytes from `start` contain no newline */
    bool ended;     /* the peer closed its end, or reading failed */
    bool too_long;  /* a line is longer than LAB_LINE_MAX, or memory for it ran out: nothing more is read */
};

/* Reads once what is available, at most 64 KiB. Returns whether there was anything: false after the end, after a line
 * that is too long, when a non-blocking descriptor has nothing now, and when complete lines must be taken first. */
bool lab_line_reader_read(struct lab_line_reader *reader, int descriptor);

/* Returns the next complete line, NUL-terminated and without its newline, valid until the next call of these functions;
 * NULL when there is none yet. */
char *lab_line_reader_next(struct lab_line_reader *reader, size_t *length);
void lab_line_reader_release(struct lab_line_reader *reader);

/* Writes all bytes to a blocking descriptor, also when signals interrupt it. Returns false when writing failed
 * (errno). */
bool lab_write_all(int descriptor, const char *bytes, size_t count);

#endif
