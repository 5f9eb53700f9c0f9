/* The members of a whole program in a request (the member "program"): the files of its source, or the name of a command
 * that the node has. The rows and the checks do not need a device. */
#ifndef LAB_PROGRAM_MEMBERS_H
#define LAB_PROGRAM_MEMBERS_H

#include "core/errors.h"
#include "core/schema.h"
#include "descriptor/source_files.h"

enum {
    LAB_PROGRAM_INPUT_MAX = 256 * 1024,
    LAB_PROGRAM_ARGUMENTS_MAX = 64,
    LAB_PROGRAM_ARGUMENT_MAX = 1024,
};

extern const struct lab_schema lab_program_members[];

/* Checks what the rows cannot say of a program. False with errors added, whose pointers begin with "/program". */
bool lab_program_check(const json_t *program, struct lab_errors *errors);

#endif
