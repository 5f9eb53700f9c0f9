/* The access patterns of coalescing and the results of its kernels, compiled for device and host. */
#ifndef LAB_COALESCING_H
#define LAB_COALESCING_H

#include "runtime/pattern.h"

#include <stdbool.h>

/* In the order of the parameters' choices. */
enum coalescing_pattern { COALESCING_ALIGNED, COALESCING_PERMUTED, COALESCING_SHIFTED, COALESCING_STRIDED };
enum coalescing_access { COALESCING_READ, COALESCING_WRITE };

/* parameters[] of coalescing_expected: the pattern with the access in bit 8, the shift or stride, and the number of
 * rows of COALESCING_STRIDED. */
enum { COALESCING_WRITE_BIT = 8 };

// region permutation
/* A permutation of the 32 lanes of a warp, and its inverse. */
LAB_HOST_DEVICE uint64_t coalescing_permute(uint64_t i)
{
    return (i & ~UINT64_C(31)) | ((i * 5 + 3) & 31);
}

LAB_HOST_DEVICE uint64_t coalescing_unpermute(uint64_t i)
{
    return (i & ~UINT64_C(31)) | (((i - 3) * 13) & 31);
}
// end

/* The bits of element `i` of the result. Reads: result[thread] = input[f(thread)] + 1; writes: result[f(thread)] =
 * input[thread] + 1. The input holds LAB_CONTENT_FLOATS of `seed`. Elements that no thread writes keep the pattern with
 * which results are overwritten before. */
LAB_HOST_DEVICE uint32_t coalescing_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    enum coalescing_pattern pattern = (enum coalescing_pattern)(parameters[0] & 255);
    bool writes = (parameters[0] >> COALESCING_WRITE_BIT & 1) != 0;
    uint64_t offset = parameters[1], rows = parameters[2], source = i;
    if (pattern == COALESCING_PERMUTED)
        source = writes ? coalescing_unpermute(i) : coalescing_permute(i);
    else if (pattern == COALESCING_STRIDED)
        source = writes ? i % offset * rows + i / offset : i % rows * offset + i / rows;
    else if (writes && i < offset)
        return lab_pattern_word(i, ~seed);
    else
        source = writes ? i - offset : i + offset;
    return lab_float_bits(lab_pattern_float(source, seed) + 1.0f);
}

#endif
