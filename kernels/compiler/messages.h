/* The log of a compilation: messages with their places. */
#ifndef LAB_MESSAGES_H
#define LAB_MESSAGES_H

#include <jansson.h>
#include <stdbool.h>

enum { LAB_MESSAGES_MAX = 100, LAB_MESSAGE_BYTES_MAX = 2000 };

struct lab_span {
    const char *text;
    size_t length;
};

/* A message of NVRTC or of its assembler, ptxas. Its spans are parts of the log. */
struct lab_message {
    const char *severity; /* "error", "warning" or "note" */
    struct lab_span file, text;
    struct lab_span source; /* from the place on, to the end of the line of the source */
    long line, column;      /* from 1; 0: unknown */
};

/* Reads the next message from *log on and moves *log behind it. False, with *log NULL, if there is none. */
bool lab_message_next(const char **log, struct lab_message *message);

/* Whether a text begins so. */
bool lab_span_starts(struct lab_span span, const char *prefix);

/* Whether a message is about another file than `name`, the source. */
bool lab_message_is_of_header(const struct lab_message *message, const char *name);

/* The messages of a log, errors first: [{"severity":"error|warning|note","file","line","column","text"}…]. "file" and "line" are absent where a message has no place; so is "column", which counts
 * characters from 1, where the log does not show it. At most LAB_MESSAGES_MAX are returned. Left out are
 * warnings about other files than `name`, the source: those are headers of the toolkit. So are the errors that are about host code,
 * for which `host_code`, the error of lab_host_code_error, comes first; NULL: none. `log` must be valid UTF-8. */
json_t *lab_messages(const char *log, const char *name, json_t *host_code);

#endif
