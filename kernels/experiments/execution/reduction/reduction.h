/* The sizes of reduction's blocks and tiles, its input and its result, compiled for device and host. */
#ifndef LAB_REDUCTION_KERNELS_H
#define LAB_REDUCTION_KERNELS_H

#include "runtime/pattern.h"

// region sizes
enum {
    REDUCTION_BLOCK = 256,                                  /* threads */
    REDUCTION_LOADS = 8,                                    /* loads of 16 bytes that a thread has under way */
    REDUCTION_TILE = REDUCTION_BLOCK * REDUCTION_LOADS * 4, /* elements that a block loads at once: 32 KiB */
    REDUCTION_RESIDENT_BLOCKS = 4, /* blocks that fit on a multiprocessor of every architecture */
    REDUCTION_FINISH_BLOCK = 1024  /* threads of the block that adds up the last partial sums */
};
// end

/* The types, in the order of the parameter's choices. */
enum { REDUCTION_INT32, REDUCTION_FP32 };

/* The number that element `i` is: any 32-bit integer, for fp32 one from -4 to 4. The sums of these are integers far
 * below 2^24, so that they are exact in whatever order they are made. */
LAB_HOST_DEVICE int64_t reduction_number(uint64_t i, uint64_t seed, uint64_t type)
{
    return type == REDUCTION_INT32 ? (int64_t)lab_pattern_word(i, seed) : lab_pattern_small_int(i, seed);
}

/* The bits of a number, or of a sum, as an element; integers are taken modulo 2^32. */
LAB_HOST_DEVICE uint32_t reduction_bits(int64_t number, uint64_t type)
{
    return type == REDUCTION_INT32 ? (uint32_t)number : lab_float_bits((float)number);
}

/* The bits of element `i`; parameters[0] is the type. */
LAB_HOST_DEVICE uint32_t reduction_element(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return reduction_bits(reduction_number(i, seed, parameters[0]), parameters[0]);
}

#endif
