/* compute-sanitizer, a program of the CUDA toolkit that finds wrong accesses to memory in the kernels of a process. */
#ifndef LAB_SANITIZER_H
#define LAB_SANITIZER_H

#include <limits.h>
#include <stdbool.h>

/* Sets `path` to the program: in a folder of PATH, or of the toolkit. False if this machine has none. */
bool lab_sanitizer_find(char path[PATH_MAX]);

#endif
