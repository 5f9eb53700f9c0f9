/* The recurrence that local-memory computes and its result, compiled for device and host. */
#ifndef LAB_LOCAL_MEMORY_H
#define LAB_LOCAL_MEMORY_H

#include "runtime/pattern.h"

/* Steps of each thread: a multiple of all lengths, which are powers of two. */
enum { LOCAL_MEMORY_STEPS = 2048, LOCAL_MEMORY_SHORTEST = 8, LOCAL_MEMORY_LONGEST = 64 };

enum { LOCAL_MEMORY_BLOCK = 256 }; /* threads */

#define LOCAL_MEMORY_FACTOR 1664525u

/* Element `i` of the result. The recurrence is linear, so the sum is that of the recurrence that begins with 1,
 * `parameters[0]`, times the value with which the thread begins: LAB_CONTENT_WORDS of `seed`. */
LAB_HOST_DEVICE uint32_t local_memory_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return lab_pattern_word(i, seed) * (uint32_t)parameters[0];
}

#endif
