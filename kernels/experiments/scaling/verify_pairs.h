/* What `pairs` must yield. The sum over all n partners p of (s - p)^2 is n s^2 - 2 s (sum of p) + (sum of p^2), so that
 * the two sums, made once, tell every result.
 */
#ifndef LAB_SCALING_VERIFY_PAIRS_H
#define LAB_SCALING_VERIFY_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* Everything modulo 2^32, as the kernel reckons. */
struct scaling_partner_sums {
    uint32_t count;
    uint32_t sum, squares;
};

/* The words 0 to count - 1 of the pattern of `seed`. */
struct scaling_partner_sums scaling_sum_partners(uint64_t seed, uint32_t count);

/* How many of `count` results differ from what they must be for the pattern's words `first` and on, of `seed`. On CPU
 * threads. */
uint64_t scaling_count_wrong_pairs(const uint32_t *results, size_t count, uint64_t seed, uint64_t first,
                                   struct scaling_partner_sums partners);

#endif
