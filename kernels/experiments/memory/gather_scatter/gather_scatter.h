/* The indices of gather-scatter and the results of its kernels, compiled for device and host. */
#ifndef LAB_GATHER_SCATTER_H
#define LAB_GATHER_SCATTER_H

#include "runtime/pattern.h"

#include <stdbool.h>

/* In the order of the parameters' choices. */
enum { GATHER, SCATTER };
enum { GATHER_SEQUENTIAL, GATHER_SORTED, GATHER_RANDOM };

/* What parameters[] of the functions below are: the order; the logarithm to base 2 of the number of indices; whether
 * the result is that of a scatter. */
enum { GATHER_ORDER, GATHER_BITS, GATHER_SCATTERED };

enum { GATHER_GROUP = 4 }; /* elements of the table, of which one is used */

// region indices
/* A permutation of the numbers below 2^bits, and its inverse. */
LAB_HOST_DEVICE uint32_t gather_permute(uint32_t x, uint32_t bits)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    for (int round = 0; round < 3; round++) {
        x = x * 0x9E3779B1u & mask;
        x ^= x >> (bits + 1) / 2;
    }
    return x;
}

LAB_HOST_DEVICE uint32_t gather_unpermute(uint32_t x, uint32_t bits)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    for (int round = 0; round < 3; round++) {
        x ^= x >> (bits + 1) / 2;
        x = x * 0x0E8B2F51u & mask; /* the inverse of the factor above, modulo 2^32 */
    }
    return x;
}

/* Index `i`. Sequential: i. Sorted: one element, chosen at random, of each four, in ascending order. Random: the same
 * elements in another order. */
LAB_HOST_DEVICE uint32_t gather_index(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t group = (uint32_t)i;
    (void)seed;
    if (parameters[GATHER_ORDER] == GATHER_SEQUENTIAL)
        return group;
    if (parameters[GATHER_ORDER] == GATHER_RANDOM)
        group = gather_permute(group, (uint32_t)parameters[GATHER_BITS]);
    return group * GATHER_GROUP + lab_pattern_word(group, 0) % GATHER_GROUP;
}
// end

/* The bits of element `j` of the result. The input holds LAB_CONTENT_FLOATS of `seed`. What no thread writes keeps the
 * pattern with which results are overwritten before. */
LAB_HOST_DEVICE uint32_t gather_expected(uint64_t j, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t group = (uint32_t)(j / GATHER_GROUP), bits = (uint32_t)parameters[GATHER_BITS];
    uint64_t source = j;
    if (parameters[GATHER_SCATTERED] == 0)
        source = gather_index(j, seed, parameters);
    else if (parameters[GATHER_ORDER] != GATHER_SEQUENTIAL) {
        if (lab_pattern_word(group, 0) % GATHER_GROUP != j % GATHER_GROUP)
            return lab_pattern_word(j, ~seed);
        source = parameters[GATHER_ORDER] == GATHER_RANDOM ? gather_unpermute(group, bits) : group;
    }
    return lab_float_bits(lab_pattern_float(source, seed) + 1.0f);
}

#endif
