/* The steps of stream and their results, compiled for device and host. */
#ifndef LAB_STREAM_H
#define LAB_STREAM_H

#include "runtime/pattern.h"

/* The benchmark, which matmul uses too, its axes in the order of its table, and the steps and grids that others
 * name. */
extern const struct lab_benchmark lab_stream_benchmark;
enum { STREAM_VARIANT, STREAM_BYTES, STREAM_GRID, STREAM_WARPS, STREAM_CACHE, STREAM_LOAD };
enum { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD, STREAM_MEMSET };
enum { STREAM_PER_ELEMENT, STREAM_RESIDENT };

// region constants
/* `read` sums up tiles of this many 4-byte words; each sum is an element of its result. */
enum { STREAM_TILE_WORDS = 2048, STREAM_TILE_BYTES = 4 * STREAM_TILE_WORDS };

#define STREAM_SCALAR 0.5f
// end

enum {
    STREAM_BYTE = 255,
    STREAM_SETS = 2
}; /* to which memset sets each byte; its third parameter of stream_expected */

/* The bits of element `i` of the result. The inputs a and b hold LAB_CONTENT_FLOATS of `seed` and `seed` + 1. The
 * parameters are the number of inputs, whether an array is written, and whether the last input is scaled; write has no
 * input, and read the sums of tiles, modulo 2^32. A product with STREAM_SCALAR is exact, so a multiply-add in one
 * instruction or in two gives the same result. */
LAB_HOST_DEVICE uint32_t stream_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint64_t inputs = parameters[0];
    float factor = parameters[2] != 0 ? STREAM_SCALAR : 1;
    if (parameters[1] == 0) {
        uint32_t sum = 0;
        for (uint64_t k = 0; k < STREAM_TILE_WORDS; k++)
            sum += lab_float_bits(lab_pattern_float(i * STREAM_TILE_WORDS + k, seed));
        return sum;
    }
    if (parameters[2] == STREAM_SETS)
        return STREAM_BYTE * 0x01010101u;
    if (inputs == 0)
        return lab_float_bits(factor);
    float last = factor * lab_pattern_float(i, seed + inputs - 1);
    return lab_float_bits(inputs == 1 ? last : lab_pattern_float(i, seed) + last);
}

#endif
