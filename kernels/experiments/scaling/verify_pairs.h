/* Verifies the results of the kernel pairs. The sum over all n partners p of (s - p)^2 is n s^2 - 2 s (sum of p) + (sum
 * of p^2), so the two sums, computed once, give every expected result.
 */
#ifndef LAB_SCALING_VERIFY_PAIRS_H
#define LAB_SCALING_VERIFY_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* Number and sums of all partners, modulo 2^32 as in the kernel. */
struct scaling_partner_sums {
    uint32_t count;
    uint32_t sum, squares; /* sum of the partners, sum of their squares */
};

/* Computes the sums for `count` partners, which are the words 0 to count - 1 of the test pattern of `seed`
 * (runtime/pattern.h). */
struct scaling_partner_sums scaling_sum_partners(uint64_t seed, uint32_t count);

/* Returns how many of the `count` results are wrong. Result i belongs to the element that is word `first` + i of the
 * test pattern of `seed`. Uses several CPU threads. */
uint64_t scaling_count_wrong_pairs(const uint32_t *results, size_t count, uint64_t seed, uint64_t first,
                                   struct scaling_partner_sums partners);

#endif
