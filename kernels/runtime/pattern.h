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

#include <math.h>
#include <stdint.h>
#include <string.h>

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

/* What a buffer of 4-byte elements can hold: each is a function of the element's index and a seed. The inputs and the
 * results of the pipeline kernels (runtime.h) are among them, so that what comes out of a kernel is checked against what
 * it must be, and not against another run of itself. */
enum lab_content {
    LAB_CONTENT_WORDS,       /* the pattern itself; the only one whose buffers may end in a part of a word */
    LAB_CONTENT_FLOATS,      /* float: from 0 to below 1, in steps of 2^-24 */
    LAB_CONTENT_FLOATS_PLUS, /* float: that and 1, what WAVES makes of it */
    LAB_CONTENT_COUNTS,      /* int: from 0 to below 2^24 */
    LAB_CONTENT_COUNTS_PLUS, /* int: that and 26, what INCREMENT makes of it */
    LAB_CONTENT_AVERAGES,    /* int: what AVERAGE makes of counts of `seed` and of `seed` + 1 */
    LAB_CONTENT_TRANSPOSED   /* words of a matrix, read off column by column (struct lab_expectation) */
};

enum { LAB_INCREMENT = 26, LAB_AVERAGE_WINDOW = 256 };

/* How far a result of WAVES may be from what it must be. */
#define LAB_FLOAT_ERROR_MAX 1e-6

LAB_ON_BOTH float lab_pattern_float(uint64_t index, uint64_t seed)
{
    return (float)(lab_pattern_word(index, seed) >> 8) * (1.0f / 16777216.0f);
}

LAB_ON_BOTH int32_t lab_pattern_count(uint64_t index, uint64_t seed)
{
    return (int32_t)(lab_pattern_word(index, seed) >> 8);
}

/* The mean of three neighbours of each input within a window of 256 elements, rounded down; the six add up to less than
 * 2^27. After the averaging kernel of Sanders & Kandrot, "CUDA by Example", chapter 10, in integers. */
LAB_ON_BOTH int32_t lab_pattern_average(uint64_t index, uint64_t seed)
{
    uint64_t window = index - index % LAB_AVERAGE_WINDOW;
    int32_t sum = 0;
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t neighbour = window + (index + i) % LAB_AVERAGE_WINDOW;
        sum += lab_pattern_count(neighbour, seed) + lab_pattern_count(neighbour, seed + 1);
    }
    return sum / 6;
}

/* What a buffer holds, or ought to: its element i is element first + i of the content. TRANSPOSED is a matrix of `width` rows
 * transposed: element i is the word first + (i % width) * width + i / width. */
struct lab_expectation {
    enum lab_content content;
    uint64_t seed;
    uint64_t first;
    uint64_t width; /* TRANSPOSED, from 1 */
};

/* What a comparison found. */
struct lab_comparison {
    uint64_t wrong;   /* elements that differ; of FLOATS_PLUS those that differ by more than 1e-6 */
    double max_error; /* of FLOATS_PLUS; 0 for all else */
};

LAB_ON_BOTH uint32_t lab_pattern_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of the buffer's element i. */
LAB_ON_BOTH uint32_t lab_expected_bits(const struct lab_expectation *expected, uint64_t i)
{
    uint64_t index = expected->first + i, seed = expected->seed;
    switch (expected->content) {
    case LAB_CONTENT_FLOATS:
        return lab_pattern_bits(lab_pattern_float(index, seed));
    case LAB_CONTENT_FLOATS_PLUS:
        return lab_pattern_bits(lab_pattern_float(index, seed) + 1.0f);
    case LAB_CONTENT_COUNTS:
        return (uint32_t)lab_pattern_count(index, seed);
    case LAB_CONTENT_COUNTS_PLUS:
        return (uint32_t)(lab_pattern_count(index, seed) + LAB_INCREMENT);
    case LAB_CONTENT_AVERAGES:
        return (uint32_t)lab_pattern_average(index, seed);
    case LAB_CONTENT_TRANSPOSED:
        return lab_pattern_word(expected->first + i % expected->width * expected->width + i / expected->width, seed);
    case LAB_CONTENT_WORDS:
        break;
    }
    return lab_pattern_word(index, seed);
}

/* --- inputs of matrix products ------------------------------------------------------------------------------------ */

enum { LAB_DIGIT_MAX = 4 };

/* A whole number from -4 to 4: exact in every type, and so are its sums of up to 2^20 products in fp32. */
LAB_ON_BOTH int32_t lab_pattern_digit(uint64_t index, uint64_t seed)
{
    uint32_t choices = 2 * LAB_DIGIT_MAX + 1;
    return (int32_t)((uint64_t)lab_pattern_word(index, seed) * choices >> 32) - LAB_DIGIT_MAX;
}

/* A number of the standard normal distribution (Box & Muller), from 24 bits each of two words. */
LAB_ON_BOTH float lab_pattern_normal(uint64_t index, uint64_t seed)
{
    float radius = sqrtf(-2.0f * logf(1.0f - lab_pattern_float(index, seed)));
    return radius * cosf(6.28318531f * lab_pattern_float(index, ~seed));
}

#endif
