/* A file that a command writes. It is written beside its place, so that a failure leaves an earlier file as it was. The
 * functions that can fail add an error and then leave nothing behind. */
#ifndef LAB_NEW_FILE_H
#define LAB_NEW_FILE_H

#include "core/errors.h"

#include <limits.h>
#include <stdio.h>

struct lab_new_file {
    const char *path; /* its place; borrowed */
    char partial[PATH_MAX];
    FILE *stream; /* NULL once it is complete */
};

bool lab_new_file_open(struct lab_new_file *file, const char *path, struct lab_errors *errors);
/* Closes the stream when all of it is on the disk. */
bool lab_new_file_complete(struct lab_new_file *file, struct lab_errors *errors);
/* Gives a complete file its name. */
bool lab_new_file_keep(struct lab_new_file *file, struct lab_errors *errors);
/* Removes a file that was opened and not kept. */
void lab_new_file_remove(struct lab_new_file *file);

#endif
