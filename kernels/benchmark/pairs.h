/* The kernel pairs (offload.cu) combines every element with every partner: the result for element s is the sum over all
 * n partners p of (s - p)^2, modulo 2^32. It is checked by a closed form: n s^2 - 2 s (sum of p) + (sum of p^2).
 */
#ifndef LAB_PAIRS_H
#define LAB_PAIRS_H

#include "runtime/pattern.h"

#include <stddef.h>

/* The kernel's blocks: threads, elements of each thread, elements of a block. */
enum { LAB_PAIRS_THREADS = 256, LAB_PAIRS_ELEMENTS = 4, LAB_PAIRS_BLOCK = LAB_PAIRS_THREADS * LAB_PAIRS_ELEMENTS };

/* Returns how many of the `count` results are wrong. `elements` and `partners` are words of the test pattern; result i
 * belongs to element i. Uses several CPU threads. */
uint64_t lab_pairs_count_wrong(const uint32_t *results, size_t count, struct lab_expectation elements,
                               struct lab_expectation partners, uint32_t partner_count);

#endif
