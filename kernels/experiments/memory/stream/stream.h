/* The variants of stream and the results of its kernels, compiled for device and host. */
#ifndef LAB_STREAM_H
#define LAB_STREAM_H

#include "runtime/pattern.h"

/* The benchmark, which matmul uses too, and its axes in the order of its table. */
struct lab_benchmark;
extern const struct lab_benchmark lab_stream_benchmark;
enum { STREAM_VARIANT, STREAM_BYTES, STREAM_GRID, STREAM_WARPS, STREAM_CACHE, STREAM_LOAD };

/* The variants, in the order of the parameter's choices. */
enum { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD };

/* Sizes of the grid, in the order of the parameter's choices. */
enum { STREAM_PER_ELEMENT, STREAM_RESIDENT };

// region constants
/* `read` sums up tiles of this many 4-byte words; each sum is an element of its result. */
enum { STREAM_TILE_WORDS = 2048 };

#define STREAM_SCALAR 0.5f
// end constants

/* Sum, modulo 2^32, of the words of a tile of the first input. */
LAB_HOST_DEVICE uint32_t stream_tile_sum(uint64_t tile, uint64_t seed)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < STREAM_TILE_WORDS; i++)
        sum += lab_float_bits(lab_pattern_float(tile * STREAM_TILE_WORDS + i, seed));
    return sum;
}

/* The bits of element `i` of the result. The inputs a and b hold LAB_CONTENT_FLOATS of `seed` and `seed` + 1;
 * parameters[0] is the variant. A product with STREAM_SCALAR is exact, so a multiply-add in one instruction or in two
 * gives the same result. */
LAB_HOST_DEVICE uint32_t stream_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    float a = lab_pattern_float(i, seed), b = lab_pattern_float(i, seed + 1);
    switch (parameters[0]) {
    case STREAM_READ:
        return stream_tile_sum(i, seed);
    case STREAM_WRITE:
        return lab_float_bits(STREAM_SCALAR);
    case STREAM_COPY:
        return lab_float_bits(a);
    case STREAM_SCALE:
        return lab_float_bits(STREAM_SCALAR * a);
    case STREAM_ADD:
        return lab_float_bits(a + b);
    default:
        return lab_float_bits(a + STREAM_SCALAR * b);
    }
}

#endif
