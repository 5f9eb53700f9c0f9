/* The SASS of a cubin: the machine code of a GPU as text, which nvdisasm of the CUDA toolkit writes. */
#ifndef LAB_DISASSEMBLE_H
#define LAB_DISASSEMBLE_H

#include "nvrtc.h"
#include "protection.h"

#include <limits.h>

/* Finds nvdisasm in PATH, else in the toolkit of NVRTC (NULL: none), else in /usr/local/cuda. False if there is
 * none. */
bool lab_nvdisasm_find(const struct lab_nvrtc *nvrtc, char path[PATH_MAX]);

/* Reads a cubin from standard input until its end and executes nvdisasm in place of this program, with the limits and
 * with no files but its own and the system's libraries: what hostile people have had compiled may exploit an error of
 * nvdisasm. Where the kernel has no Landlock, files are not protected. Returns only when that fails: the exit code,
 * with a message on standard error. */
int lab_disassemble(const char *nvdisasm, const struct lab_protection_limits *limits);

#endif
