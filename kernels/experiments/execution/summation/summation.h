/* The sizes of summation's batches, leaves and tiles, its inputs, and the error of its results, compiled for device and
 * host. */
#ifndef LAB_SUMMATION_H
#define LAB_SUMMATION_H

#include "runtime/pattern.h"

#include <float.h>

// region sizes
enum {
    SUMMATION_BATCH = 256, /* elements that a warp loads at once */
    SUMMATION_LEAF = 64,   /* elements that a pairwise sum adds up in registers */
    SUMMATION_LEVELS = 32, /* of the tree above the leaves */
    SUMMATION_BLOCK = 256, /* threads of a block of the tree */
    SUMMATION_TILE = 1024  /* elements that a block of the tree adds up */
};
// end

/* The contents, in the order of the parameter's choices. */
enum { SUMMATION_POSITIVE, SUMMATION_LARGE_FIRST };

#define SUMMATION_UNIT (1.0 / 16777216.0)

/* Element `i` in units of SUMMATION_UNIT, 2^-24: from 0 to 2^24 - 1, so that the element is in [0, 1). In the second
 * content the first element is 2^24. Up to 2^28 elements and their sum are exact in a double. */
LAB_HOST_DEVICE uint64_t summation_units(uint64_t i, uint64_t seed, uint64_t content)
{
    return content == SUMMATION_LARGE_FIRST && i == 0 ? UINT64_C(1) << 48 : lab_pattern_word(i, seed) >> 8;
}

/* The bits of element `i`; parameters[0] is the content. */
LAB_HOST_DEVICE uint32_t summation_element(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return lab_float_bits((float)summation_units(i, seed, parameters[0]) * (float)SUMMATION_UNIT);
}

/* The relative error of a sum, whose exact value is `units` units. DBL_MAX if the sum is not a number. */
LAB_HOST_DEVICE double summation_error(float sum, uint64_t units)
{
    double exact = (double)units * SUMMATION_UNIT;
    return fmin(fabs((double)sum - exact) / exact, DBL_MAX);
}

#endif
