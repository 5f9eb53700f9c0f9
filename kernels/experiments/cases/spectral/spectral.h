/* The problems, their exact solutions and the error of a result, compiled for device and host.
 *
 * All data are complex numbers in fp64 whose real and imaginary parts are two separate problems, because every method
 * here treats both alike. Each problem has shifts of its own, so that no two are equal.
 *
 *     derivative     u(x) = exp(4 (sin(x + a) - 1)), of which u' is computed at n points of [0, 2 pi)
 *     convolution    the sum of three cosines of random frequencies, convolved with `taps` weights that decay exponentially
 *     poisson        -(phi_xx + phi_yy) = rho on n x n points of [0, 2 pi)^2, phi being the difference of two smooth peaks, like
 *                    the potential of a positive and a negative charge
 */
#ifndef LAB_SPECTRAL_H
#define LAB_SPECTRAL_H

#include "runtime/pattern.h"

#include <float.h>
#include <stdbool.h>

enum { SPECTRAL_DERIVATIVE, SPECTRAL_CONVOLUTION, SPECTRAL_POISSON, SPECTRAL_PROBLEMS };

enum { SPECTRAL_BLOCK = 256, SPECTRAL_N_MIN = 16, SPECTRAL_N_MAX = 4096, SPECTRAL_TONES = 3 };

/* The sharpness of the derivative's function and of the peaks, and the largest value of the exact derivative. */
#define SPECTRAL_SHARPNESS 4.0
#define SPECTRAL_PEAK_SHARPNESS 6.0
#define SPECTRAL_LARGEST_DERIVATIVE 1.1757752
#define SPECTRAL_PI 3.14159265358979323846

/* A problem as one parameter of a kernel: n, taps and the kind of problem. */
struct spectral_shape {
    uint64_t n, taps;
    int problem;
};

LAB_HOST_DEVICE uint64_t spectral_pack(struct spectral_shape shape)
{
    return shape.n << 32 | shape.taps << 8 | (uint64_t)shape.problem;
}

LAB_HOST_DEVICE struct spectral_shape spectral_unpack(uint64_t packed)
{
    struct spectral_shape shape = {packed >> 32, packed >> 8 & 0xffffff, (int)(packed & 0xff)};
    return shape;
}

/* Random number `which` of problem `index`, in [0, 1). */
LAB_HOST_DEVICE double spectral_random(uint64_t index, uint64_t which, uint64_t seed)
{
    return lab_pattern_word(8 * index + which, seed) / 4294967296.0;
}

/* --- convolution -------------------------------------------------------------------------------------------------- */

/* The ratio of two taps that follow each other: the last one is about exp(-4) of the first. */
LAB_HOST_DEVICE double spectral_ratio(uint64_t taps)
{
    return exp(-4.0 / (double)taps);
}

/* Tap `m`. The sum of all is 1. */
LAB_HOST_DEVICE double spectral_tap(uint64_t m, uint64_t taps)
{
    double ratio = spectral_ratio(taps);
    return pow(ratio, (double)m) * (1 - ratio) / (1 - exp(-4.0));
}

/* The transform of the taps at frequency k of n, a geometric series: sets its real and imaginary part. */
LAB_HOST_DEVICE void spectral_tap_transform(uint64_t k, uint64_t n, uint64_t taps, double transform[2])
{
    double ratio = spectral_ratio(taps), last = exp(-4.0);
    double angle = -2 * SPECTRAL_PI * (double)k / (double)n;
    double all = -2 * SPECTRAL_PI * (double)(k * taps % n) / (double)n;
    double top[] = {1 - last * cos(all), -last * sin(all)}, bottom[] = {1 - ratio * cos(angle), -ratio * sin(angle)};
    double scale = (1 - ratio) / (1 - last) / (bottom[0] * bottom[0] + bottom[1] * bottom[1]);
    transform[0] = scale * (top[0] * bottom[0] + top[1] * bottom[1]);
    transform[1] = scale * (top[1] * bottom[0] - top[0] * bottom[1]);
}

/* Element j of the signal, or of its convolution, divided by the number of tones. */
LAB_HOST_DEVICE double spectral_tones(struct spectral_shape shape, uint64_t index, uint64_t j, uint64_t seed,
                                      bool convolved)
{
    double sum = 0;
    for (uint64_t tone = 0; tone < SPECTRAL_TONES; tone++) {
        uint64_t k = (uint64_t)(spectral_random(index, 2 * tone, seed) * 0.5 * (double)shape.n);
        double turns = (double)(k * j % shape.n) / (double)shape.n + spectral_random(index, 2 * tone + 1, seed);
        double angle = 2 * SPECTRAL_PI * turns, transform[] = {1, 0};
        if (convolved)
            spectral_tap_transform(k, shape.n, shape.taps, transform);
        sum += transform[0] * cos(angle) - transform[1] * sin(angle);
    }
    return sum / SPECTRAL_TONES;
}

/* --- derivative and Poisson's equation ---------------------------------------------------------------------------- */

LAB_HOST_DEVICE double spectral_function(uint64_t n, uint64_t index, uint64_t j, uint64_t seed, bool derivative)
{
    double x = 2 * SPECTRAL_PI * ((double)j / (double)n + spectral_random(index, 0, seed));
    double value = exp(SPECTRAL_SHARPNESS * (sin(x) - 1));
    return derivative ? SPECTRAL_SHARPNESS * cos(x) * value : value;
}

/* One peak at (x, y), or what its Laplace operator, negated, makes of it. */
LAB_HOST_DEVICE double spectral_peak(double x, double y, bool operated)
{
    const double a = SPECTRAL_PEAK_SHARPNESS;
    double value = exp(a * (cos(x) + cos(y) - 2));
    double curvature = a * a * (sin(x) * sin(x) + sin(y) * sin(y)) - a * (cos(x) + cos(y));
    return operated ? -value * curvature : value;
}

LAB_HOST_DEVICE double spectral_potential(uint64_t n, uint64_t index, uint64_t row, uint64_t column, uint64_t seed,
                                          bool operated)
{
    double sum = 0;
    for (uint64_t peak = 0; peak < 2; peak++) {
        double x = (double)column / (double)n + spectral_random(index, 2 * peak, seed);
        double y = (double)row / (double)n + spectral_random(index, 2 * peak + 1, seed);
        double value = spectral_peak(2 * SPECTRAL_PI * x, 2 * SPECTRAL_PI * y, operated);
        sum += peak == 0 ? value : -value;
    }
    return sum;
}

/* --- input and result --------------------------------------------------------------------------------------------- */

/* Number `i` of the input, or of the exact result. The largest exact result is about 1. */
LAB_HOST_DEVICE double spectral_number(struct spectral_shape shape, uint64_t i, uint64_t seed, bool result)
{
    uint64_t element = i / 2, line = element / shape.n, j = element % shape.n;
    uint64_t problem = 2 * (shape.problem == SPECTRAL_POISSON ? line / shape.n : line) + i % 2;
    if (shape.problem == SPECTRAL_CONVOLUTION)
        return spectral_tones(shape, problem, j, seed, result);
    if (shape.problem == SPECTRAL_POISSON)
        return spectral_potential(shape.n, problem, line % shape.n, j, seed, !result);
    return spectral_function(shape.n, problem, j, seed, result) / SPECTRAL_LARGEST_DERIVATIVE;
}

/* Word `i` of an array of numbers in fp64. */
LAB_HOST_DEVICE uint32_t spectral_word(uint64_t i, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (uint32_t)(i % 2 == 0 ? bits : bits >> 32);
}

LAB_HOST_DEVICE uint32_t spectral_input_word(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return spectral_word(i, spectral_number(spectral_unpack(parameters[0]), i / 2, seed, false));
}

LAB_HOST_DEVICE uint32_t spectral_tap_word(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)seed;
    return spectral_word(i, spectral_tap(i / 2, spectral_unpack(parameters[0]).taps));
}

LAB_HOST_DEVICE uint32_t spectral_tap_transform_word(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    struct spectral_shape shape = spectral_unpack(parameters[0]);
    double transform[2];
    (void)seed;
    spectral_tap_transform(i / 4, shape.n, shape.taps, transform);
    return spectral_word(i, transform[i / 2 % 2]);
}

/* The error of number `i` of the result. DBL_MAX if it is not finite. */
LAB_HOST_DEVICE double spectral_error(const double *result, uint64_t i, struct spectral_shape shape, uint64_t seed)
{
    return fmin(fabs(result[i] - spectral_number(shape, i, seed, true)), DBL_MAX);
}

/* --- the operators in frequency space ----------------------------------------------------------------------------- */

/* The frequency that element k of a transform belongs to, between -n / 2 and n / 2. */
LAB_HOST_DEVICE double spectral_frequency(uint64_t k, uint64_t n)
{
    return k <= n / 2 ? (double)k : (double)k - (double)n;
}

/* What minus the second derivative multiplies element k by: exactly, or as the stencil of three points makes it. */
LAB_HOST_DEVICE double spectral_eigenvalue(uint64_t k, uint64_t n, bool difference)
{
    double frequency = spectral_frequency(k, n), half = SPECTRAL_PI / (double)n;
    double sine = sin(half * frequency) / half;
    return difference ? sine * sine : frequency * frequency;
}

/* The weights of the stencils of the first derivative: of u(x + (i + 1) h) - u(x - (i + 1) h), divided by h. */
#define SPECTRAL_STENCIL_2                                                                                             \
    {                                                                                                                  \
        0.5, 0, 0, 0                                                                                                   \
    }
#define SPECTRAL_STENCIL_8                                                                                             \
    {                                                                                                                  \
        4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280                                                                       \
    }

#endif
