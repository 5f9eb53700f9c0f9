/* What the commands that compile people's code have in common: the options of the compiler, and the texts of files. */
#ifndef LAB_BUILD_REQUEST_H
#define LAB_BUILD_REQUEST_H

#include "cli/options.h"
#include "descriptor/build_options.h"

#include <jansson.h>

/* The value of an option of the compiler: the first, or all of one that can be repeated. */
struct lab_build_value {
    const char *text; /* NULL: not given */
    struct lab_texts texts;
};

/* The first `count` options of the compiler as options of a command line, which fill an array of struct lab_build_value
 * at `offset` of the values. `options` can take one more. */
void lab_build_options_table(struct lab_option *options, size_t count, size_t offset);

/* The member "options" that they make, a new reference; empty where none is given. */
json_t *lab_build_options_read(const struct lab_build_value *values, size_t count);

/* The text of a file as JSON, a new reference; `what` it is, and the bytes that it may have. Returns NULL with errors
 * on failure. */
json_t *lab_text_read(const char *file, const char *what, size_t least, size_t most, struct lab_errors *errors);

/* The text of a source file as JSON, a new reference. Returns NULL with errors on failure. */
json_t *lab_source_read(const char *file, struct lab_errors *errors);

/* The texts of files by the names under which they are sent, a new reference; those that cannot be read add errors. */
json_t *lab_files_read(const char *const *paths, size_t count, struct lab_errors *errors);

#endif
