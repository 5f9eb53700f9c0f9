/* Finds programs: those of the system and of the CUDA toolkit, which need not be installed, and those of gpulab. */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Finds the program `name` in a folder of PATH, else in `folder` (NULL: none), else in /usr/local/cuda/bin. Folders
 * that are not absolute are skipped. Sets `path` to its path without symbolic links; returns false if there is none. */
bool lab_program_find(const char *name, const char *folder, char path[PATH_MAX]);

/* Finds `name`, a program or library of gpulab that people do not start: in the folder of the program that is running,
 * as in the folder of a build, or where `cmake --install` puts it: in ../libexec/gpulab from there, unless the build
 * has other folders. Sets `path` to where it is; where it is missing, to its path in the first of the two, for a
 * message, and returns false. `path` is empty where the folder of the running program is unknown, or too long. */
bool lab_program_find_own(const char *name, char path[PATH_MAX]);

#endif
