/* What travels between us and a worker: lines in, lines out, and the tail of what it prints. Descriptors are given with
 * each call and never block; nothing here knows processes or what a line means.
 */
#ifndef LAB_WORKER_CHANNEL_H
#define LAB_WORKER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that wait: those in [start, end) of `bytes`. Starts as `{0}`. */
struct lab_buffer {
    char *bytes;
    size_t start, end, capacity;
};

/* Lines from a peer. Starts as `{0}`. */
struct lab_line_reader {
    struct lab_buffer buffer;
    size_t scanned; /* bytes of the buffer known to hold no newline */
    bool ended;     /* the peer closed its end */
    bool too_long;  /* a line passed LAB_LINE_MAX, or memory ran out for it: nothing more is read */
};

/* Reads what is there, a bounded amount a call. */
void lab_line_reader_fill(struct lab_line_reader *reader, int descriptor);
/* The next whole line, NUL-terminated and without its newline; valid until the next call. NULL: there is none yet. */
char *lab_line_reader_next(struct lab_line_reader *reader, size_t *length);
void lab_line_reader_release(struct lab_line_reader *reader);

/* Lines to a peer that may be slow to read them. Starts as `{0}`. */
struct lab_line_writer {
    struct lab_buffer buffer;
};

/* Queues `text` and a newline; false when out of memory. */
bool lab_line_writer_add(struct lab_line_writer *writer, const char *text, size_t length);
/* Sends what the peer takes. False when it will never take more. */
bool lab_line_writer_flush(struct lab_line_writer *writer, int socket);
static inline bool lab_line_writer_pending(const struct lab_line_writer *writer)
{
    return writer->buffer.start < writer->buffer.end;
}
void lab_line_writer_release(struct lab_line_writer *writer);

enum { LAB_LOG_SIZE = 64 * 1024 };

/* The last LAB_LOG_SIZE bytes of a stream. Starts as `{0}`. */
struct lab_log_tail {
    char *bytes;  /* a ring */
    size_t total; /* ever added */
    bool ended;
};

/* Reads what is there, a bounded amount a call. */
void lab_log_tail_fill(struct lab_log_tail *log, int descriptor);
void lab_log_tail_add(struct lab_log_tail *log, const char *text, size_t length);
/* The newest whole lines that fit into `size` bytes, as UTF-8 with NUL; other bytes become '?'. */
void lab_log_tail_text(const struct lab_log_tail *log, char *text, size_t size);
void lab_log_tail_release(struct lab_log_tail *log);

#endif
