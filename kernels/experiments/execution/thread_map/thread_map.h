/* The work and the records of thread-map, compiled for device and host. */
#ifndef LAB_THREAD_MAP_H
#define LAB_THREAD_MAP_H

#include "runtime/pattern.h"

#include <stdbool.h>

enum { THREAD_MAP_THREADS = 128 }; /* of a block */

/* How the work depends on the index of the block; in the order of the parameter's choices. */
enum thread_map_variant { THREAD_MAP_EVEN, THREAD_MAP_LONG_LAST, THREAD_MAP_LONG_FIRST };

/* What a block notes of itself. The result of a launch is a record for each block, and then a value for each thread.
 * The times are those of one clock for all multiprocessors. */
struct thread_map_record {
    uint32_t block, multiprocessor;
    uint64_t start_ns, end_ns;
};

// region rounds
/* The rounds of the threads of a block. Their mean over all blocks is `rounds`. */
LAB_HOST_DEVICE uint32_t thread_map_rounds(enum thread_map_variant variant, uint64_t block, uint64_t blocks,
                                           uint32_t rounds)
{
    uint64_t rank = variant == THREAD_MAP_LONG_LAST ? block + 1 : blocks - block;
    return variant == THREAD_MAP_EVEN ? rounds : (uint32_t)(2 * rounds * rank / (blocks + 1));
}
// end

// step long-last "Work that grows with the index of the block" shows thread_map.cu:registers, thread_map.cu:kernel, rounds
/* From nearly nothing to twice the mean. Blocks start in the order of their indices, so the longest start last and the
 * kernel ends late. */

// step long-last shows thread_map_host.c:block, thread_map_host.c:core, rounds

// step long-first "Work that shrinks with the index of the block" shows thread_map.cu:registers, thread_map.cu:kernel, rounds
/* The same work in the opposite order: at the end only short blocks are left, so all multiprocessors end at nearly the
 * same time. */

// step long-first shows thread_map_host.c:block, thread_map_host.c:core, rounds

/* x after `rounds` rounds x = x * multiplier + increment, in a few steps: two rounds are one with the square of the
 * multiplier and (multiplier + 1) * increment. */
LAB_HOST_DEVICE uint32_t thread_map_jump(uint32_t x, uint32_t rounds, uint32_t multiplier, uint32_t increment)
{
    for (; rounds > 0; rounds /= 2) {
        if (rounds % 2 == 1)
            x = x * multiplier + increment;
        increment *= multiplier + 1;
        multiplier *= multiplier;
    }
    return x;
}

/* The parameters of the check: blocks, rounds with the variant in the upper half, multiplier with the increment in the
 * upper half. */
LAB_HOST_DEVICE uint32_t thread_map_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t rounds = thread_map_rounds((enum thread_map_variant)(parameters[1] >> 32), i / THREAD_MAP_THREADS,
                                        parameters[0], (uint32_t)parameters[1]);
    return thread_map_jump(lab_pattern_word(i, seed), rounds, (uint32_t)parameters[2], (uint32_t)(parameters[2] >> 32));
}

LAB_HOST_DEVICE bool thread_map_is_right(const struct thread_map_record *record, uint64_t block,
                                         uint32_t multiprocessors)
{
    return record->block == block && record->multiprocessor < multiprocessors && record->start_ns > 0 &&
           record->start_ns <= record->end_ns;
}

#endif
