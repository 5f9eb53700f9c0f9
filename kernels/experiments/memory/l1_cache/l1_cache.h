/* What the kernels of l1-cache read, and their results, compiled for device and host. */
#ifndef LAB_L1_CACHE_H
#define LAB_L1_CACHE_H

#include "runtime/pattern.h"

/* In the order of the experiment's variants. */
enum { L1_CA, L1_LDG, L1_CS, L1_CG };

enum { L1_VECTOR_BYTES = 16, L1_WORD_BYTES = 4 };

/* The sum that each block must store, modulo 2^32: parameters[0] times the sum of the parameters[1] words of
 * LAB_CONTENT_WORDS of `seed`. */
LAB_HOST_DEVICE uint32_t l1_cache_sum(uint64_t block, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t sum = 0;
    (void)block;
    for (uint64_t word = 0; word < parameters[1]; word++)
        sum += lab_pattern_word(word, seed);
    return sum * (uint32_t)parameters[0];
}

#endif
