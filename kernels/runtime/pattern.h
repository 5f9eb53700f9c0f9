/* The test pattern, against which results are verified: word i of a buffer is a hash of i and a seed, so that a chunk
 * which is missing, swapped, repeated or shifted is detected at any position. The functions are compiled for the CPU
 * and for the device from this one source, so that each can check buffers that the other has written.
 *
 * A buffer of n bytes holds n / 4 whole words, little-endian, followed by the first n % 4 bytes of the next word. An
 * "element" in a count of wrong elements is one word; a tail that differs counts as one element.
 *
 * The hash is the 32-bit finaliser of MurmurHash3 (public domain), for each seed a bijection of the lower 32 bits of
 * the index.
 */
#ifndef LAB_PATTERN_H
#define LAB_PATTERN_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define LAB_HOST_DEVICE __host__ __device__ static inline
#else
#define LAB_HOST_DEVICE static inline
#endif

/* Word `index` of the pattern of `seed`. */
LAB_HOST_DEVICE uint32_t lab_pattern_word(uint64_t index, uint64_t seed)
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

/* The contents that a buffer of 4-byte elements can have: each is a function of the element's index and a seed. The
 * inputs and the results of the kernels of offloaded jobs (benchmark/offload.cu) are among them, so that the result of
 * a kernel is checked against its definition and not against another run of the same kernel. */
enum lab_content {
    LAB_CONTENT_WORDS,            /* the pattern itself; only these buffers may end with a part of a word */
    LAB_CONTENT_FLOATS,           /* float: in [0, 1), multiples of 2^-24 */
    LAB_CONTENT_FLOATS_PLUS_ONE,  /* float: LAB_CONTENT_FLOATS + 1 */
    LAB_CONTENT_INTS,             /* int: in [0, 2^24) */
    LAB_CONTENT_INTS_INCREMENTED, /* int: LAB_CONTENT_INTS + LAB_INCREMENT */
    LAB_CONTENT_AVERAGES,         /* int: lab_pattern_average */
    LAB_CONTENT_TRANSPOSED,       /* words of a transposed matrix (struct lab_expectation) */
    LAB_CONTENT_ZEROS,            /* words that are 0: outputs to which kernels add */
    LAB_CONTENTS
};

enum { LAB_INCREMENT = 26, LAB_AVERAGE_WINDOW = 256 };

/* Largest absolute error of LAB_CONTENT_FLOATS_PLUS_ONE that does not count as wrong. */
#define LAB_FLOAT_ERROR_MAX 1e-6

LAB_HOST_DEVICE float lab_pattern_float(uint64_t index, uint64_t seed)
{
    return (float)(lab_pattern_word(index, seed) >> 8) * (1.0f / 16777216.0f);
}

LAB_HOST_DEVICE int32_t lab_pattern_int(uint64_t index, uint64_t seed)
{
    return (int32_t)(lab_pattern_word(index, seed) >> 8);
}

/* The mean, rounded down, of three consecutive elements of each of two inputs, within a window of 256 elements that
 * wraps around. The sum of the six is below 2^27. After the averaging kernel of Sanders & Kandrot, "CUDA by Example",
 * chapter 10, but in integers, and with a window for each 256 elements: theirs is the first 256 for every element. */
LAB_HOST_DEVICE int32_t lab_pattern_average(uint64_t index, uint64_t seed)
{
    uint64_t window = index - index % LAB_AVERAGE_WINDOW;
    int32_t sum = 0;
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t neighbour = window + (index + i) % LAB_AVERAGE_WINDOW;
        sum += lab_pattern_int(neighbour, seed) + lab_pattern_int(neighbour, seed + 1);
    }
    return sum / 6;
}

/* The content that a buffer holds or must hold: element i of the buffer is element first + i of the content. For
 * LAB_CONTENT_TRANSPOSED the buffer is the transpose of the width x width matrix whose words, in row-major order, begin
 * at word `first` of the pattern: element i of the buffer is word first + (i % width) * width + i / width. */
struct lab_expectation {
    enum lab_content content;
    uint64_t seed;
    uint64_t first;
    uint64_t width; /* LAB_CONTENT_TRANSPOSED: at least 1; otherwise unused */
};

/* The result of comparing a buffer with what it must hold. */
struct lab_mismatch {
    uint64_t wrong;   /* elements that differ; see LAB_FLOAT_ERROR_MAX */
    double max_error; /* largest absolute error, for LAB_CONTENT_FLOATS_PLUS_ONE; otherwise 0 */
};

LAB_HOST_DEVICE uint32_t lab_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits that element i of the buffer must have. */
LAB_HOST_DEVICE uint32_t lab_expected_bits(const struct lab_expectation *expected, uint64_t i)
{
    uint64_t index = expected->first + i, seed = expected->seed;
    switch (expected->content) {
    case LAB_CONTENT_FLOATS:
        return lab_float_bits(lab_pattern_float(index, seed));
    case LAB_CONTENT_FLOATS_PLUS_ONE:
        return lab_float_bits(lab_pattern_float(index, seed) + 1.0f);
    case LAB_CONTENT_INTS:
        return (uint32_t)lab_pattern_int(index, seed);
    case LAB_CONTENT_INTS_INCREMENTED:
        return (uint32_t)(lab_pattern_int(index, seed) + LAB_INCREMENT);
    case LAB_CONTENT_AVERAGES:
        return (uint32_t)lab_pattern_average(index, seed);
    case LAB_CONTENT_TRANSPOSED:
        return lab_pattern_word(expected->first + i % expected->width * expected->width + i / expected->width, seed);
    case LAB_CONTENT_ZEROS:
        return 0;
    case LAB_CONTENT_WORDS:
    case LAB_CONTENTS:
        break;
    }
    return lab_pattern_word(index, seed);
}

/* --- inputs of matrix products ------------------------------------------------------------------------------------ */

enum { LAB_SMALL_INT_MAX = 4 };

/* An integer from -4 to 4, which is exact in every type. A sum of up to 2^20 products of two of them is exact in
 * fp32. */
LAB_HOST_DEVICE int32_t lab_pattern_small_int(uint64_t index, uint64_t seed)
{
    uint32_t choices = 2 * LAB_SMALL_INT_MAX + 1;
    return (int32_t)((uint64_t)lab_pattern_word(index, seed) * choices >> 32) - LAB_SMALL_INT_MAX;
}

/* A number from the standard normal distribution (Box-Muller transform), from 24 bits of each of two words. */
LAB_HOST_DEVICE float lab_pattern_normal(uint64_t index, uint64_t seed)
{
    float radius = sqrtf(-2.0f * logf(1.0f - lab_pattern_float(index, seed)));
    return radius * cosf(6.28318531f * lab_pattern_float(index, ~seed));
}

#endif
