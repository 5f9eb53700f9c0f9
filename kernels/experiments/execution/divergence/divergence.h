/* The paths of divergence and the results of its kernels, compiled for device and host. */
#ifndef LAB_DIVERGENCE_H
#define LAB_DIVERGENCE_H

#include "runtime/pattern.h"

/* In the order of the parameters' choices. */
enum { DIVERGENCE_BRANCHES, DIVERGENCE_PREDICATED, DIVERGENCE_TABLE };
enum { DIVERGENCE_BY_LANE, DIVERGENCE_BY_WARP, DIVERGENCE_RANDOM, DIVERGENCE_SORTED };

enum { DIVERGENCE_PATHS_MAX = 32, DIVERGENCE_WARP = 32 };

/* What parameters[] of divergence_path and divergence_expected are: the pattern with, from bit 8 on, the length of a
 * path, which divergence_path ignores; the number of paths; the number of elements. */
enum { DIVERGENCE_PATTERN, DIVERGENCE_PATHS, DIVERGENCE_ELEMENTS, DIVERGENCE_LENGTH_BIT = 8 };

// region path
/* Path p is a number of steps x = factor * x + summand with a factor of its own. On a GPU their number is a multiple of
 * DIVERGENCE_UNROLL. */
enum { DIVERGENCE_UNROLL = 32 };

#define DIVERGENCE_FACTOR(p) (1.0f - (float)(32 + (p)) / 131072.0f)

/* One instruction on a GPU. */
LAB_HOST_DEVICE float divergence_step(float x, float factor)
{
    const float summand = 16.0f / 131072.0f;
#ifdef __CUDA_ARCH__
    return fmaf(x, factor, summand);
#else
    return x * factor + summand;
#endif
}
// end

// region pattern
/* The path of element `i`, which thread i computes. */
LAB_HOST_DEVICE uint32_t divergence_path(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t paths = (uint32_t)parameters[DIVERGENCE_PATHS];
    switch (parameters[DIVERGENCE_PATTERN] & 255) {
    case DIVERGENCE_BY_LANE:
        return (uint32_t)(i % paths);
    case DIVERGENCE_BY_WARP:
        return (uint32_t)(i / DIVERGENCE_WARP % paths);
    case DIVERGENCE_RANDOM:
        return (uint32_t)((uint64_t)lab_pattern_word(i, seed) * paths >> 32);
    default:
        return (uint32_t)(i * paths / parameters[DIVERGENCE_ELEMENTS]);
    }
}
// end

/* The bits of element `i` of the result. The inputs are the elements' paths, with `seed`, and LAB_CONTENT_FLOATS of
 * `seed` + 1. */
LAB_HOST_DEVICE uint32_t divergence_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t path = divergence_path(i, seed, parameters);
    float factor = DIVERGENCE_FACTOR(path), x = lab_pattern_float(i, seed + 1);
    for (uint64_t step = 0; step < parameters[DIVERGENCE_PATTERN] >> DIVERGENCE_LENGTH_BIT; step++)
        x = divergence_step(x, factor);
    return lab_float_bits(x);
}

#endif
