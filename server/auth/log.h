/* A log: lines that a thread of its own appends to a file or writes to stderr, so that the threads that log never wait
 * for a disk or a terminal. When lines come faster than they can be written, some are dropped, and a line says how
 * many.
 */
#ifndef LAB_AUTH_LOG_H
#define LAB_AUTH_LOG_H

#include "core/errors.h"

#include <stddef.h>

enum { LAB_LOG_LINE_MAX = 4096 }; /* bytes of a line with its newline; a longer one is cut */

struct lab_log;

/* Opens the file at `path` for appending, or creates it with mode 0640; "-" stands for stderr. `path` must outlive the
 * log. NULL with *error when it cannot be opened. */
struct lab_log *lab_log_open(const char *path, struct lab_error *error);
/* Writes what is pending, for at most half a second. NULL is allowed and does nothing. */
void lab_log_close(struct lab_log *log);
/* Appends a line; `line` ends without a newline. Never waits. Any thread. NULL is allowed and does nothing. */
void lab_log_line(struct lab_log *log, const char *line, size_t length);
/* Opens the path again, because the file was renamed; the lines before go to the old file. NULL is allowed and does
 * nothing. */
void lab_log_reopen(struct lab_log *log);

#endif
