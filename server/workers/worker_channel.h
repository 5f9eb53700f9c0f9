/* The buffers between the server and a worker beside the reader of lines (core/lines.h): a writer of lines and the tail
 * of a log. Callers pass non-blocking descriptors with each call. These functions do not depend on processes or on the
 * meaning of a line.
 */
#ifndef LAB_WORKER_CHANNEL_H
#define LAB_WORKER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Queues lines for a peer that may read slowly. Starts as `{0}`. */
struct lab_line_writer {
    char *bytes; /* those in [start, end) were added and not yet sent */
    size_t start, end, capacity;
};

/* Queues `text` and a newline; false when that is longer than LAB_LINE_MAX, or out of memory. */
bool lab_line_writer_add(struct lab_line_writer *writer, const char *text, size_t length);
/* Sends as much as the socket takes. False when the peer closed its end. */
bool lab_line_writer_flush(struct lab_line_writer *writer, int socket);
/* Whether bytes are waiting to be sent. */
static inline bool lab_line_writer_pending(const struct lab_line_writer *writer)
{
    return writer->start < writer->end;
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
/* Copies the newest whole lines that fit into `size` bytes with the NUL. Control characters other than tab and newline,
 * and bytes that are not UTF-8, become '?'. */
void lab_log_tail_text(const struct lab_log_tail *log, char *text, size_t size);
/* Forgets what was added. */
void lab_log_tail_clear(struct lab_log_tail *log);
void lab_log_tail_release(struct lab_log_tail *log);

#endif
