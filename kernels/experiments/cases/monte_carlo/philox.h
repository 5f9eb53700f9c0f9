/* The random numbers of monte-carlo, compiled for device and host: Philox 4x32-10, a function of a counter and a key.
 * It has no state, so every thread can begin anywhere in its own stream.
 *
 * Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11, 2011.
 */
#ifndef LAB_PHILOX_H
#define LAB_PHILOX_H

#include "runtime/pattern.h"

// region philox
struct philox_words {
    uint32_t word[4];
};

/* One of the ten rounds: two products of 64 bits mix the words of the counter with those of the key. */
LAB_HOST_DEVICE struct philox_words philox_round(struct philox_words in, uint32_t key_0, uint32_t key_1)
{
    uint64_t first = (uint64_t)in.word[0] * 0xD2511F53u, second = (uint64_t)in.word[2] * 0xCD9E8D57u;
    struct philox_words out = {{(uint32_t)(second >> 32) ^ in.word[1] ^ key_0, (uint32_t)second,
                                (uint32_t)(first >> 32) ^ in.word[3] ^ key_1, (uint32_t)first}};
    return out;
}

enum { PHILOX_ROUNDS = 10 };

struct philox_keys {
    uint32_t word[PHILOX_ROUNDS][2];
};

/* The keys of the rounds: the given one, and steps by the golden ratio and by the square root of 3, less 1. */
LAB_HOST_DEVICE struct philox_keys philox_keys_of(uint64_t key)
{
    struct philox_keys keys;
    for (uint32_t round = 0; round < PHILOX_ROUNDS; round++) {
        keys.word[round][0] = (uint32_t)key + round * 0x9E3779B9u;
        keys.word[round][1] = (uint32_t)(key >> 32) + round * 0xBB67AE85u;
    }
    return keys;
}

/* Four random words for each counter and key. */
LAB_HOST_DEVICE struct philox_words philox(struct philox_words counter, const struct philox_keys *keys)
{
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int round = 0; round < PHILOX_ROUNDS; round++)
        counter = philox_round(counter, keys->word[round][0], keys->word[round][1]);
    return counter;
}

/* The counter of draw `draw` of a stream: the layout of cuRAND, whose generator of the same seed gives the same
 * words. */
LAB_HOST_DEVICE struct philox_words philox_counter(uint32_t stream, uint32_t draw)
{
    struct philox_words counter = {{draw, 0, stream, 0}};
    return counter;
}

LAB_HOST_DEVICE struct philox_words philox_draw(uint64_t seed, uint32_t stream, uint32_t draw)
{
    struct philox_keys keys = philox_keys_of(seed);
    return philox(philox_counter(stream, draw), &keys);
}
// end

// region uniform
/* Uniform numbers in (0, 1], the middles of 2^32 or 2^53 intervals, rounded. */
LAB_HOST_DEVICE float philox_uniform_fp32(uint32_t word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

LAB_HOST_DEVICE double philox_uniform_fp64(uint32_t low, uint32_t high)
{
    return (double)((uint64_t)low ^ (uint64_t)high << 21) * 0x1p-53 + 0x1p-54;
}
// end

#endif
