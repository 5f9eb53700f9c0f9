/* The options that describe a program, and the member "program" of the body of POST /runs that they make. */
#ifndef LAB_PROGRAM_REQUEST_H
#define LAB_PROGRAM_REQUEST_H

#include "build_request.h"

#include <jansson.h>

struct lab_program_options {
    const char *command, *name, *format, *input, *runs; /* NULL: none */
    bool lists_commands;
    struct lab_build_value build[LAB_BUILD_OPTIONS];
};

extern const struct lab_option lab_program_options_table[]; /* fills a struct lab_program_options */

/* The member "program", a new reference: the words before "--" are files, the others arguments of the program. NULL
 * with errors. */
json_t *lab_program_request(const struct lab_program_options *options, const struct lab_arguments *arguments,
                            struct lab_errors *errors);

/* The member "compare_with" of that body: the program with these files instead of its own, a new reference. NULL with
 * errors. */
json_t *lab_program_base(json_t *program, const struct lab_texts *files, struct lab_errors *errors);

#endif
