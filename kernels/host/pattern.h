/* Fills regions with expected contents (runtime/pattern.h) and compares them. Elements are numbered from row to row
 * without the gaps between rows, so an element may begin in one row and end in the next.
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
struct lab_mismatch lab_host_pattern_check(const struct lab_region *region, struct lab_expectation content,
                                           size_t begin, size_t end);

#endif
