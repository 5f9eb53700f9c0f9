/* The files of a request, {NAME: TEXT}: those of a whole program, and those that an own kernel includes. */
#ifndef LAB_SOURCE_FILES_H
#define LAB_SOURCE_FILES_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

enum {
    LAB_SOURCE_FILES_MAX = 32,
    LAB_SOURCE_FILE_NAME_MAX = 96,
    LAB_SOURCE_BYTES_MAX = 512 * 1024, /* of all files together */
};

/* Checks names, texts, number and sizes. False with errors added, whose pointers begin with `pointer`. */
bool lab_source_files_check(const json_t *files, const char *pointer, struct lab_errors *errors);

#endif
