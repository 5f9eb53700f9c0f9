/* The accesses of bank-conflicts: their wavefronts, as they are predicted, and the results of the kernels. Compiled for
 * device and host. */
#ifndef LAB_BANK_CONFLICTS_H
#define LAB_BANK_CONFLICTS_H

#include "runtime/pattern.h"

enum { BANK_CONFLICTS_LANES = 32, BANK_CONFLICTS_BANKS = 32, BANK_CONFLICTS_STRIDE_MAX = 33 };

/* In the order of the parameter's choices. */
enum bank_conflicts_variant { BANK_CONFLICTS_LOAD, BANK_CONFLICTS_STORE };

// region address
/* The first word that a lane accesses. Lanes access elements of 1, 2 or 4 words, `stride` elements apart. */
LAB_HOST_DEVICE uint32_t bank_conflicts_address(uint32_t lane, uint32_t stride, uint32_t words)
{
    return lane * stride * words;
}
// end

/* Words from the first to the last that the lanes of a warp access. */
LAB_HOST_DEVICE uint32_t bank_conflicts_span(uint32_t stride, uint32_t words)
{
    return bank_conflicts_address(BANK_CONFLICTS_LANES - 1, stride, words) + words;
}

// step load "Loads" shows address, bank_conflicts.cu:instructions, bank_conflicts.cu:load, wavefronts
/* Every access of the loop is a volatile instruction, so none is removed. The loads do not wait for each other, and 32
 * warps keep the banks busy while some wait for their results. The address is computed before the loop. */

// step store "Stores" shows address, bank_conflicts.cu:instructions, bank_conflicts.cu:store, wavefronts
/* The same with stores, which no thread waits for. Each warp has elements of its own, so that wide strides leave space
 * for 8 or 16 warps only. */

// region wavefronts
/* The wavefronts in which a warp's access is served. With elements of 2 or 4 words, the half-warps or quarter-warps are
 * served one after the other. A part of the warp takes as many wavefronts as the bank with the most different words has
 * of them. */
LAB_HOST_DEVICE uint32_t bank_conflicts_wavefronts(uint32_t stride, uint32_t words)
{
    uint32_t lanes = BANK_CONFLICTS_LANES / words, wavefronts = 0;
    for (uint32_t part = 0; part < words; part++) {
        uint32_t count[BANK_CONFLICTS_BANKS] = {0}, most = 0;
        /* All lanes of a stride of 0 access the same words. */
        for (uint32_t lane = 0; lane < (stride > 0 ? lanes : 1); lane++)
            for (uint32_t word = 0; word < words; word++) {
                uint32_t address = bank_conflicts_address(part * lanes + lane, stride, words) + word;
                uint32_t in_bank = ++count[address % BANK_CONFLICTS_BANKS];
                most = in_bank > most ? in_bank : most;
            }
        wavefronts += most;
    }
    return wavefronts;
}
// end

/* The value that a thread stores first, and that by which each further one is larger. */
#define BANK_CONFLICTS_STEP UINT32_C(0x9E3779B1)

LAB_HOST_DEVICE uint32_t bank_conflicts_value(uint32_t thread, uint64_t seed)
{
    return lab_pattern_word(thread, seed);
}

/* The bits of element `thread` of the result: the sum of all words that the thread has loaded, or, modulo 2^32, of
 * those that it has stored last. Shared memory holds the pattern of `seed`. parameters[]: variant, stride + 256 *
 * words, requests. */
LAB_HOST_DEVICE uint32_t bank_conflicts_expected(uint64_t thread, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t stride = parameters[1] & 255, words = (uint32_t)(parameters[1] >> 8), requests = (uint32_t)parameters[2];
    uint32_t first = bank_conflicts_address((uint32_t)thread % BANK_CONFLICTS_LANES, stride, words), sum = 0;
    if (parameters[0] == BANK_CONFLICTS_STORE)
        return words * (bank_conflicts_value((uint32_t)thread, seed) + (requests - 1) * BANK_CONFLICTS_STEP);
    for (uint32_t word = 0; word < words; word++)
        sum += requests * lab_pattern_word(first + word, seed);
    return sum;
}

#endif
