/* Filling regions with a test pattern (runtime/pattern.h) and comparing them with it. Elements are counted through the
 * rows without a break, so that an element may begin in one row and end in the next.
 */
#ifndef LAB_HOST_PATTERN_H
#define LAB_HOST_PATTERN_H

#include "runtime/pattern.h"
#include "runtime/runtime.h"

/* The number of 4-byte elements of a region; a rest of less than 4 bytes counts as one. */
size_t lab_host_pattern_elements(const struct lab_region *region);

/* Writes the elements begin <= i < end. */
void lab_host_pattern_fill(const struct lab_region *region, struct lab_expectation content, size_t begin, size_t end);

/* Compares the elements begin <= i < end. */
struct lab_comparison lab_host_pattern_check(const struct lab_region *region, struct lab_expectation content,
                                             size_t begin, size_t end);

#endif
