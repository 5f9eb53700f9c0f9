/* The test pattern that every transfer is verified with: word i of a buffer is a hash of i and a seed, so a chunk that
 * is missing, swapped, repeated or shifted is found, whatever its position. The same text is compiled for the CPU and
 * for the device, which is what lets either of them check what the other wrote.
 *
 * A buffer of n bytes holds n / 4 whole words, little-endian, and then the first n % 4 bytes of the next word. An
 * "element" in a count of wrong elements is such a word; a differing tail counts as one.
 *
 * The hash is the 32-bit finaliser of MurmurHash3 (public domain), a bijection in the index for each seed.
 */
#ifndef LAB_PATTERN_H
#define LAB_PATTERN_H

#include <stdint.h>

#ifdef __CUDACC__
#define LAB_ON_BOTH __host__ __device__ static inline
#else
#define LAB_ON_BOTH static inline
#endif

/* The pattern's word `index` for `seed`. */
LAB_ON_BOTH uint32_t lab_pattern_word(uint64_t index, uint64_t seed)
{
    uint32_t x = (uint32_t)index ^ ((uint32_t)(index >> 32) * 0x9E3779B1u) ^ (uint32_t)seed ^
                 ((uint32_t)(seed >> 32) * 0x85EBCA77u);
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    x ^= x >> 16;
    return x;
}

#endif
