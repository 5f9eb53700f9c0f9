/* The tiles of async-copy and the results of its kernels, compiled for device and host. */
#ifndef LAB_ASYNC_COPY_H
#define LAB_ASYNC_COPY_H

#include "runtime/pattern.h"

/* In the order of the experiment's variants. */
enum { ASYNC_DIRECT, ASYNC_REGISTERS, ASYNC_CP_ASYNC, ASYNC_TMA };

// region sizes
enum { TILE = 1024, THREADS = 128 }; /* floats of a tile; threads of a block */
// end

/* The bits of element `i` of the result: the sum of an element of LAB_CONTENT_FLOATS of `seed` and its two neighbours
 * in the tile, of which the first and the last are neighbours. */
LAB_HOST_DEVICE uint32_t async_copy_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint64_t tile = i / TILE * TILE;
    float left = lab_pattern_float(tile + (i + TILE - 1) % TILE, seed);
    (void)parameters;
    return lab_float_bits(left + lab_pattern_float(i, seed) + lab_pattern_float(tile + (i + 1) % TILE, seed));
}

#endif
