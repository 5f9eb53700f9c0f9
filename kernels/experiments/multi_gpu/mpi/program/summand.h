/* Inputs of an all-reduce whose sum is the test pattern.
 *
 * Element i of LAB_CONTENT_FLOATS is an integer below 2^24 in units of 2^-24. It is the sum of one integer of each
 * rank. All partial sums are below 2^24 too, so the sum is exact in fp32 in every order of addition.
 */
#ifndef GPULAB_MPI_SUMMAND_H
#define GPULAB_MPI_SUMMAND_H

#include "runtime/pattern.h"

/* The summand of every rank but the last: random, at most a rank's equal share of the sum. */
static inline uint32_t random_summand(uint64_t index, uint64_t seed, uint32_t rank, uint32_t share)
{
    uint32_t random = lab_pattern_word(index, seed + ((uint64_t)(rank + 1) << 32));
    return (uint32_t)((uint64_t)random * (share + 1) >> 32);
}

/* The summand of `rank` of `ranks` for element `index`; the last rank has the remainder. */
static inline float summand(uint64_t index, uint64_t seed, uint32_t rank, uint32_t ranks)
{
    uint32_t left = lab_pattern_word(index, seed) >> 8, share = left / ranks;
    if (rank + 1 < ranks)
        return (float)random_summand(index, seed, rank, share) * (1.0f / 16777216.0f);
    for (uint32_t other = 0; other + 1 < ranks; other++)
        left -= random_summand(index, seed, other, share);
    return (float)left * (1.0f / 16777216.0f);
}

#endif
