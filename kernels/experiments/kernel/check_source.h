/* The program of a check: a function in C that computes what the outputs of an own kernel must be. */
#ifndef LAB_KERNEL_CHECK_SOURCE_H
#define LAB_KERNEL_CHECK_SOURCE_H

#include "definition.h"

/* The file to which the program writes its outputs, one after the other, as they are in the buffers of the kernel. */
#define KERNEL_CHECK_OUTPUT "gpulab-output"

/* The files of the program, {name: text}, a new reference; NULL when out of memory. Its main() makes the arguments,
 * calls check() and writes the outputs. The words of its command line are hexadecimal numbers, in the order of the
 * arguments: the bits of a scalar, and of each field of a structure; count, content, seed and value of elements (struct
 * kernel_fill), after which those of a table have the number of its buffers. */
json_t *kernel_check_files(const struct kernel_definition *definition);

#endif
