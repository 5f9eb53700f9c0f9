/* The log of a compilation: messages with their places. */
#ifndef LAB_COMPILER_LOG_H
#define LAB_COMPILER_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Messages of an answer; bytes of the text of one; bytes of the name of its file. */
enum { LAB_MESSAGES_MAX = 100, LAB_MESSAGE_BYTES_MAX = 2000, LAB_MESSAGE_FILE_MAX = 256 };

struct lab_text_span {
    const char *text;
    size_t length;
};

/* A message of a compiler, or of an assembler or linker that it calls. Its spans are parts of the log. */
struct lab_message {
    const char *severity; /* "error", "warning" or "note" */
    struct lab_text_span file, text;
    struct lab_text_span source; /* from the place on, to the end of the line of the source */
    long line, column;           /* from 1, in characters; 0: unknown */
};

/* Reads the next message from *log on and moves *log behind it. False, with *log NULL, if there is none. */
bool lab_message_next(const char **log, struct lab_message *message);

/* Whether a text begins so. */
bool lab_text_span_starts(struct lab_text_span span, const char *prefix);

/* Whether a message is about another file than `name`, the source. */
bool lab_message_is_of_header(const struct lab_message *message, const char *name);

/* Copies the name of the message's file, cut and without control characters; "": it has none. */
void lab_message_file(const struct lab_message *message, char name[LAB_MESSAGE_FILE_MAX]);

/* {"severity":"error|warning|note","text","file","line","column"}, a new reference: `before` and the text, cut to
 * LAB_MESSAGE_BYTES_MAX and without control characters but the ends of its lines. "file" and "line" are absent where
 * the message has no place; so is "column" where the log does not show it. The log must be valid UTF-8. */
json_t *lab_message_to_json(const struct lab_message *message, const char *before);

/* Writes the first of these messages that is an error, with its place, as a sentence. `name` is the only source, which
 * needs no name; NULL: there are several. */
void lab_messages_first_error(const json_t *messages, const char *name, char *detail, size_t size);

#endif
