/* The arguments of an own kernel, as the options --arg and --variable give them. */
#ifndef LAB_KERNEL_ARGUMENTS_H
#define LAB_KERNEL_ARGUMENTS_H

#include "cli/options.h"

#include <jansson.h>

/* A number if the text is one, else the text; a new reference. */
json_t *lab_number_or_text(const char *text, size_t length);
/* The sizes of "EXPRESSION; EXPRESSION" as a list, a new reference. */
json_t *lab_sizes_of(const char *text);
/* Sets a member that an object does not have yet; takes over the value. Returns false if it has one. */
bool lab_set_new_member(json_t *object, const char *name, json_t *value);

/* Append an argument or a variable (descriptor/own_kernel.h) for each text. Return false with errors added. Variables
 * are written as arguments; values without a count are those of the elements. */
bool lab_arguments_read(const struct lab_texts *texts, json_t *arguments, struct lab_errors *errors);
bool lab_variables_read(const struct lab_texts *texts, json_t *arguments, struct lab_errors *errors);

#endif
