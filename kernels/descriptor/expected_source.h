/* The kernel that computes what the outputs of an own kernel must be, from the member "expected" of its arguments: an
 * expression of C++ for element i, over the arguments by name. Floats are read as double, and the value is rounded to
 * the type of the output. What the source uses is in experiments/kernel/expected.cuh.
 */
#ifndef LAB_EXPECTED_SOURCE_H
#define LAB_EXPECTED_SOURCE_H

#include <jansson.h>

/* The CUDA C++ of a kernel with the arguments of `kernel` (own_kernel.h), followed by 64-bit integers: the number of
 * elements of each output, and of each buffer of the tables, for any launch in one dimension. A new reference; NULL if
 * no argument has "expected", or when out of memory. `i` is the index, sum(k, first, end, term) and largest(k, first,
 * end, term) go over the integers k from `first` to `end` - 1. In messages of the compiler the expression is a file
 * called "expected of NAME". */
json_t *lab_expected_source(const json_t *kernel);

#endif
