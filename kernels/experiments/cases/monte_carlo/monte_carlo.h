/* The problems of monte-carlo, the layout of their samples and the check of their results, compiled for device and
 * host.
 */
#ifndef LAB_MONTE_CARLO_H
#define LAB_MONTE_CARLO_H

#include "philox.h"

#include <stdbool.h>

/* In the order of the parameters' choices. */
enum { MONTE_CARLO_PI, MONTE_CARLO_CALL, MONTE_CARLO_UNIFORM };
enum { MONTE_CARLO_FP32, MONTE_CARLO_FP64 };

// region sizes
enum {
    MONTE_CARLO_BLOCK = 256,        /* threads; each has a stream of random numbers */
    MONTE_CARLO_STREAMS = 1 << 19,  /* at most */
    MONTE_CARLO_DRAWS = 16,         /* of four random words, in each stream, at least */
    MONTE_CARLO_FINISH_BLOCK = 256, /* threads of the block that adds up the sums of blocks */
    MONTE_CARLO_BINS = 64           /* of the histogram of uniform numbers */
};
// end

/* The option: the price of the share now and when it may be bought, interest rate and volatility for a year, years. */
// region option
#define MONTE_CARLO_PRICE 100.0
#define MONTE_CARLO_STRIKE 100.0
#define MONTE_CARLO_RATE 0.05
#define MONTE_CARLO_VOLATILITY 0.2
#define MONTE_CARLO_YEARS 1.0

/* The price at the end is 2^(LOG2_MEDIAN + LOG2_DEVIATION * z) for a normally distributed z. */
#define MONTE_CARLO_LOG2_E 1.4426950408889634
#define MONTE_CARLO_LOG2_MEDIAN                                                                                        \
    (log2(MONTE_CARLO_PRICE) + MONTE_CARLO_LOG2_E *                                                                    \
                                   (MONTE_CARLO_RATE - MONTE_CARLO_VOLATILITY * MONTE_CARLO_VOLATILITY / 2) *          \
                                   MONTE_CARLO_YEARS)
#define MONTE_CARLO_LOG2_DEVIATION (MONTE_CARLO_LOG2_E * MONTE_CARLO_VOLATILITY * sqrt(MONTE_CARLO_YEARS))
// end

/* The sum of the values of all samples, and of their squares. */
struct monte_carlo_moments {
    double sum, squares;
};

/* Statistics of uniform numbers, from each of which 1/2 is subtracted: the sums of the numbers, of their squares and of
 * the products of successive numbers of a stream, and how many numbers are in each of 64 equal parts of the
 * interval. */
struct monte_carlo_statistics {
    double sum, squares, products;
    unsigned long long bins[MONTE_CARLO_BINS];
};

/* What a result is made of. */
struct monte_carlo_layout {
    uint64_t problem, type;
    uint32_t streams, draws; /* draws of each stream */
};

/* Problem and type, streams and draws, in two parameters of the check. */
LAB_HOST_DEVICE struct monte_carlo_layout monte_carlo_layout_of(uint64_t what, uint64_t size)
{
    struct monte_carlo_layout layout = {what >> 32, (uint32_t)what, (uint32_t)(size >> 32), (uint32_t)size};
    return layout;
}

/* Random numbers that a draw gives, and samples that are made of them. */
LAB_HOST_DEVICE uint32_t monte_carlo_numbers(uint64_t problem, uint64_t type)
{
    return problem != MONTE_CARLO_UNIFORM && type == MONTE_CARLO_FP64 ? 2 : 4;
}

LAB_HOST_DEVICE uint32_t monte_carlo_samples(uint64_t problem, uint64_t type)
{
    return monte_carlo_numbers(problem, type) / (problem == MONTE_CARLO_PI ? 2 : 1);
}

// region word
/* The uniform number of a random word, less 1/2, exactly. */
LAB_HOST_DEVICE double monte_carlo_centred(uint32_t word)
{
    return ((double)word - 2147483647.5) * 0x1p-32;
}

/* The part of the interval in which it is. */
LAB_HOST_DEVICE uint32_t monte_carlo_bin(uint32_t word)
{
    return word / (UINT32_MAX / MONTE_CARLO_BINS + 1);
}
// end

/* --- the check: every sample once more, in fp64 ------------------------------------------------------------------- */

/* Uniform number `i` of a draw. */
LAB_HOST_DEVICE double monte_carlo_exact_uniform(const struct philox_words *words, uint64_t type, uint32_t i)
{
    return type == MONTE_CARLO_FP32 ? (double)words->word[i] * 0x1p-32 + 0x1p-33
                                    : philox_uniform_fp64(words->word[2 * i], words->word[2 * i + 1]);
}

/* The value of sample `i` of a draw. */
LAB_HOST_DEVICE double monte_carlo_exact_value(const struct monte_carlo_layout *layout,
                                               const struct philox_words *words, uint32_t i)
{
    const double two_pi = 6.283185307179586;
    uint32_t first = layout->problem == MONTE_CARLO_PI ? 2 * i : i / 2 * 2;
    double x = monte_carlo_exact_uniform(words, layout->type, first);
    double y = monte_carlo_exact_uniform(words, layout->type, first + 1);
    if (layout->problem == MONTE_CARLO_PI)
        return x * x + y * y <= 1;
    double z = sqrt(-2 * log(x)) * (i % 2 == 0 ? sin(two_pi * y) : cos(two_pi * y));
    return fmax(exp2(MONTE_CARLO_LOG2_MEDIAN + MONTE_CARLO_LOG2_DEVIATION * z) - MONTE_CARLO_STRIKE, 0.0);
}

/* A sum in units of 2^-32, modulo 2^64: so integers add up to it in whatever order. */
LAB_HOST_DEVICE uint64_t monte_carlo_units(double sum)
{
    uint64_t units = (uint64_t)fmod(fabs(sum) * 0x1p32 + 0.5, 0x1p64);
    return sum < 0 ? 0 - units : units;
}

/* The weight with which a number counts that falls in a bin: a wrong histogram has another sum of weights. */
LAB_HOST_DEVICE uint64_t monte_carlo_weight(uint32_t bin)
{
    return (uint64_t)lab_pattern_word(bin, 1) << 32 | lab_pattern_word(bin, 2);
}

/* What a stream adds to the units of the result. */
LAB_HOST_DEVICE uint64_t monte_carlo_stream_units(const struct monte_carlo_layout *layout, uint64_t seed,
                                                  uint32_t stream)
{
    uint64_t units = 0;
    double last = 0;
    for (uint32_t draw = 0; draw < layout->draws; draw++) {
        struct philox_words words = philox_draw(seed, stream, draw);
        for (uint32_t i = 0; i < monte_carlo_samples(layout->problem, layout->type); i++) {
            bool uniform = layout->problem == MONTE_CARLO_UNIFORM;
            double value = uniform ? monte_carlo_centred(words.word[i]) : monte_carlo_exact_value(layout, &words, i);
            units += monte_carlo_units(value + value * value + (uniform ? value * last : 0));
            units += uniform ? monte_carlo_weight(monte_carlo_bin(words.word[i])) : 0;
            last = value;
        }
    }
    return units;
}

/* Whether a result differs from the sum of `units` of all streams by more than rounding explains: `relative` of its
 * size. Points next to the circle may be on its other side. */
LAB_HOST_DEVICE bool monte_carlo_is_wrong(const struct monte_carlo_layout *layout, const void *result, uint64_t units,
                                          double relative)
{
    const struct monte_carlo_moments *moments = (const struct monte_carlo_moments *)result;
    const struct monte_carlo_statistics *statistics = (const struct monte_carlo_statistics *)result;
    double n = (double)layout->streams * layout->draws * monte_carlo_samples(layout->problem, layout->type);
    double sum = moments->sum + moments->squares, size = sum + (layout->problem == MONTE_CARLO_PI ? 4 / relative : 0);
    if (layout->problem == MONTE_CARLO_UNIFORM) {
        sum += statistics->products;
        size = n;
        for (uint32_t bin = 0; bin < MONTE_CARLO_BINS; bin++)
            units -= statistics->bins[bin] * monte_carlo_weight(bin);
    }
    if (!(fabs(sum) < 0x1p100))
        return true;
    return !(fabs((double)(int64_t)(units - monte_carlo_units(sum))) <= relative * size * 0x1p32 + n);
}

#endif
