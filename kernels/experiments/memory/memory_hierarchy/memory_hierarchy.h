/* The data of memory-hierarchy and the results of its kernels, compiled for device and host. */
#ifndef LAB_MEMORY_HIERARCHY_H
#define LAB_MEMORY_HIERARCHY_H

#include "runtime/pattern.h"

/* A chase visits lines of this many bytes, each once before the first one again. */
enum { MEMORY_HIERARCHY_LINE = 128 };

// region order
/* The order of the lines: line i is followed by line (factor i + increment) mod lines. It is a single cycle over all
 * lines if the increment has no common divisor with the number of lines, and every prime divisor of that number, and 4
 * if it is a multiple of 4, divides factor - 1 (Hull and Dobell, 1962). Here factor - 1 is a multiple of 420 and
 * increment - 1 one of 210, so that these hold for all numbers of lines without a prime divisor above 7. */
#define MEMORY_HIERARCHY_FACTOR UINT64_C(1664460421)

LAB_HOST_DEVICE uint64_t memory_hierarchy_increment(uint64_t seed)
{
    return UINT64_C(210) * (lab_pattern_word(0, seed) >> 8) + 1;
}

LAB_HOST_DEVICE uint64_t memory_hierarchy_next(uint64_t line, uint64_t lines, uint64_t seed)
{
    return (MEMORY_HIERARCHY_FACTOR * line + memory_hierarchy_increment(seed)) % lines;
}
// end

/* The line on which a chase of `steps` steps from line 0 ends. The function of 2^k steps, which is again of the form
 * factor i + increment, follows from that of 2^(k-1) steps. `lines` is below 2^31. */
LAB_HOST_DEVICE uint64_t memory_hierarchy_end(uint64_t steps, uint64_t lines, uint64_t seed)
{
    uint64_t factor = MEMORY_HIERARCHY_FACTOR % lines, increment = memory_hierarchy_increment(seed) % lines, line = 0;
    for (; steps > 0; steps /= 2) {
        if (steps % 2 == 1)
            line = (factor * line + increment) % lines;
        increment = (factor + 1) * increment % lines;
        factor = factor * factor % lines;
    }
    return line;
}

/* The result of a chase that begins with a cursor of 0: its new cursor. parameters[0] is the number of lines,
 * parameters[1] that of the steps. */
LAB_HOST_DEVICE uint32_t memory_hierarchy_cursor(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)i;
    return (uint32_t)memory_hierarchy_end(parameters[1], parameters[0], seed);
}

// region words
/* The words that are read: a linear function of the index, so that the sum of any range of them is known. */
#define MEMORY_HIERARCHY_SLOPE UINT32_C(0x9E3779B1)

LAB_HOST_DEVICE uint32_t memory_hierarchy_word(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)parameters;
    return (uint32_t)i * MEMORY_HIERARCHY_SLOPE + lab_pattern_word(0, seed);
}
// end

/* Sum, modulo 2^32, of the words begin <= i < end. */
LAB_HOST_DEVICE uint32_t memory_hierarchy_sum(uint64_t begin, uint64_t end, uint64_t seed)
{
    uint64_t below_end = end % 2 == 0 ? end / 2 * (end - 1) : (end - 1) / 2 * end;
    uint64_t below_begin = begin % 2 == 0 ? begin / 2 * (begin - 1) : (begin - 1) / 2 * begin;
    return (uint32_t)(below_end - below_begin) * MEMORY_HIERARCHY_SLOPE +
           (uint32_t)(end - begin) * lab_pattern_word(0, seed);
}

/* The sum that block `block` must have. parameters[]: vectors of 16 bytes of the part of the working set that a block
 * reads, vectors from the start of a part to that of the next block's, vectors that a block reads: after the last
 * vector of its part again the first one. */
LAB_HOST_DEVICE uint32_t memory_hierarchy_block_sum(uint64_t block, uint64_t seed, const uint64_t parameters[3])
{
    uint64_t words = 4 * parameters[0], begin = 4 * parameters[1] * block, read = 4 * parameters[2];
    return (uint32_t)(read / words) * memory_hierarchy_sum(begin, begin + words, seed) +
           memory_hierarchy_sum(begin, begin + read % words, seed);
}

#endif
