/* What compilers say of the files of a program. */
#ifndef LAB_PROGRAM_MESSAGES_H
#define LAB_PROGRAM_MESSAGES_H

#include <jansson.h>

/* The messages in what a compiler has printed, as of lab_message_to_json, errors first, at most LAB_MESSAGES_MAX: a new
 * reference. Replaces what is not valid UTF-8 in the log. `files`: those of the program, {name: text}. */
json_t *program_messages_read(char *log, const json_t *files);

#endif
