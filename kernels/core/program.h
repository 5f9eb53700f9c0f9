/* Finds programs of the CUDA toolkit, which need not be installed. */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Finds the program `name` in a folder of PATH, else in `folder` (NULL: none), else in /usr/local/cuda/bin. Folders that are not
 * absolute are skipped. Sets `path` to its path without symbolic links; returns false if there is none. */
bool lab_program_find(const char *name, const char *folder, char path[PATH_MAX]);

#endif
