/* The results of the kernels of block-shape, compiled for device and host. */
#ifndef LAB_BLOCK_SHAPE_H
#define LAB_BLOCK_SHAPE_H

#include "runtime/pattern.h"

/* In the order of the experiment's variants. */
enum { BLOCK_INDEX, BLOCK_COPY, BLOCK_BRANCH_X, BLOCK_BRANCH_Y };

/* What parameters[] of block_expected are: the variant and the threads of a block in x, y and z, in the bits from
 * BLOCK_X_BIT on; the side of the cube of elements; the length of a path. Element i is at x = i % side, y = i / side %
 * side, z = i / side / side, and thread (x, y, z) of a grid has the element there. */
enum { BLOCK_SHAPE, BLOCK_SIDE, BLOCK_LENGTH, BLOCK_X_BIT = 8, BLOCK_Y_BIT = 20, BLOCK_Z_BIT = 32, BLOCK_MASK = 4095 };

enum { BLOCK_WARP = 32, BLOCK_UNROLL = 32 }; /* lanes; multiply-adds of a round, of which a length is a multiple */

// region work
/* `length` multiply-adds, each of which needs the one before, by the factor of path 0 or 1. */
LAB_HOST_DEVICE float block_work(float value, float factor, uint32_t length)
{
    for (uint32_t k = 0; k < length; k += BLOCK_UNROLL)
#ifdef __CUDACC__
#pragma unroll
#endif
        for (int step = 0; step < BLOCK_UNROLL; step++)
            value = fmaf(value, factor, 0.25f);
    return value;
}
// end

/* The bits of element `i`: of BLOCK_INDEX the number of the first thread of the thread's warp * 32 + its lane, by the
 * formula; else what the kernel makes of LAB_CONTENT_FLOATS of `seed`. */
LAB_HOST_DEVICE uint32_t block_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint64_t shape = parameters[BLOCK_SHAPE], side = parameters[BLOCK_SIDE], variant = shape & 255;
    uint64_t width = shape >> BLOCK_X_BIT & BLOCK_MASK, height = shape >> BLOCK_Y_BIT & BLOCK_MASK;
    uint64_t depth = shape >> BLOCK_Z_BIT & BLOCK_MASK;
    uint64_t x = i % side % width, y = i / side % side % height, z = i / side / side % depth;
    float value = lab_pattern_float(i, seed);
    if (variant == BLOCK_INDEX) {
        uint64_t number = x + y * width + z * width * height;
        return (uint32_t)(number / BLOCK_WARP * BLOCK_WARP * BLOCK_WARP + number % BLOCK_WARP);
    }
    if (variant == BLOCK_COPY)
        return lab_float_bits(value + 1.0f);
    return lab_float_bits(block_work(value, (variant == BLOCK_BRANCH_X ? x : y) % 2 == 0 ? 0.5f : 0.75f,
                                     (uint32_t)parameters[BLOCK_LENGTH]));
}

#endif
