/* The buffers between the server and a worker: a reader and a writer of lines, and the tail of a log. Callers pass
 * non-blocking descriptors with each call. These functions do not depend on processes or on the meaning of a line.
 */
#ifndef LAB_WORKER_CHANNEL_H
#define LAB_WORKER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* A queue of bytes: those in [start, end) of `bytes` were added and not yet taken. Starts as `{0}`. */
struct lab_buffer {
    char *bytes;
    size_t start, end, capacity;
};

/* Reads lines from a peer. Starts as `{0}`. */
struct lab_line_reader {
    struct lab_buffer buffer;
    size_t scanned; /* the first `scanned` bytes in `buffer` contain no newline */
    bool ended;     /* the peer closed its end */
    bool too_long;  /* a line is longer than LAB_LINE_MAX, or memory for it ran out: nothing more is read */
};

/* Reads what is available, at most 1 MiB per call. */
void lab_line_reader_fill(struct lab_line_reader *reader, int descriptor);
/* Returns the next complete line, NUL-terminated and without its newline, valid until the next call; NULL when there is
 * none yet. */
char *lab_line_reader_next(struct lab_line_reader *reader, size_t *length);
void lab_line_reader_release(struct lab_line_reader *reader);

/* Queues lines for a peer that may read slowly. Starts as `{0}`. */
struct lab_line_writer {
    struct lab_buffer buffer;
};

/* Queues `text` and a newline; false when out of memory. */
bool lab_line_writer_add(struct lab_line_writer *writer, const char *text, size_t length);
/* Sends as much as the socket takes. False when the peer closed its end. */
bool lab_line_writer_flush(struct lab_line_writer *writer, int socket);
/* Whether bytes are waiting to be sent. */
static inline bool lab_line_writer_pending(const struct lab_line_writer *writer)
{
    return writer->buffer.start < writer->buffer.end;
}
void lab_line_writer_release(struct lab_line_writer *writer);

enum { LAB_LOG_SIZE = 64 * 1024 };

/* Keeps the last LAB_LOG_SIZE bytes of a stream. Starts as `{0}`. */
struct lab_log_tail {
    char *bytes;  /* a ring */
    size_t total; /* bytes added since the start */
    bool ended;   /* the peer closed its end */
};

/* Reads what is available, at most about LAB_LOG_SIZE bytes per call. */
void lab_log_tail_fill(struct lab_log_tail *log, int descriptor);
void lab_log_tail_add(struct lab_log_tail *log, const char *text, size_t length);
/* Copies the newest whole lines that fit into `size` bytes with the NUL. Control characters other than tab and newline, and
 * bytes that are not UTF-8, become '?'. */
void lab_log_tail_text(const struct lab_log_tail *log, char *text, size_t size);
void lab_log_tail_release(struct lab_log_tail *log);

#endif
