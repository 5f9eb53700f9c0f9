/* Checks the results of LAB_OPERATION_ALL_PAIRS by a closed form: the sum over all n partners p of (s - p)^2 is n s^2 - 2 s
 * (sum of p) + (sum of p^2).
 */
#ifndef LAB_PAIRS_H
#define LAB_PAIRS_H

#include "runtime/pattern.h"

#include <stddef.h>

/* Returns how many of the `count` results are wrong. `elements` and `partners` are words of the test pattern; result i
 * belongs to element i. Uses several CPU threads. */
uint64_t lab_pairs_count_wrong(const uint32_t *results, size_t count, struct lab_expectation elements,
                               struct lab_expectation partners, uint32_t partner_count);

#endif
