/* The log of a compilation: messages with their places. */
#ifndef LAB_NVRTC_LOG_H
#define LAB_NVRTC_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_MESSAGE_BYTES_MAX = 2000 }; /* of a text in an answer */

struct lab_text_span {
    const char *text;
    size_t length;
};

/* A message of NVRTC or of its assembler, ptxas. Its spans are parts of the log. */
struct lab_message {
    const char *severity; /* "error", "warning" or "note" */
    struct lab_text_span file, text;
    struct lab_text_span source; /* from the place on, to the end of the line of the source */
    long line, column;           /* from 1; 0: unknown */
};

/* Reads the next message from *log on and moves *log behind it. False, with *log NULL, if there is none. */
bool lab_message_next(const char **log, struct lab_message *message);

/* Whether a text begins so. */
bool lab_text_span_starts(struct lab_text_span span, const char *prefix);

/* Whether a message is about another file than `name`, the source. */
bool lab_message_is_of_header(const struct lab_message *message, const char *name);

#endif
