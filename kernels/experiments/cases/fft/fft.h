/* What is transformed and what the result must be, compiled for device and host.
 *
 * The input is a chirp, whose frequency rises steadily, because its transform is a chirp too: all of its elements have
 * magnitude 1 and all of those of the result sqrt(n), so that the error of every single element can be compared with
 * it. With q(j) = j^2 for even n and (n + 1) j^2 for odd n:
 *
 *     x[j] = exp(2 pi i (q(j) + 2 p j) / 2n),    X[k] = sqrt(n) exp(2 pi i (g - q(k - p) / 2n))
 *
 * where g = 1/8 for even n, and -(n - 1)/8 for odd n (a Gauss sum). Each transform of a batch has another shift p in
 * each dimension, and another constant phase. A real input is the real part. In two dimensions elements are products.
 */
#ifndef LAB_FFT_EXPERIMENT_H
#define LAB_FFT_EXPERIMENT_H

#include "runtime/pattern.h"

#include <float.h>
#include <stdbool.h>

// region sizes
enum {
    FFT_BLOCK = 256,   /* threads of a block */
    FFT_ELEMENTS = 16, /* elements that a thread of the kernel stockham holds in registers */
    FFT_STOCKHAM_MAX = FFT_BLOCK * FFT_ELEMENTS,
    FFT_DIRECT_MAX = 1024 /* largest direct sum */
};
// end

/* A batch of transforms, as its kernels of filling and checking see it. */
struct fft_shape {
    uint64_t n; /* numbers in each dimension */
    bool two_dimensional, real, fp64;
};

/* The shape as one parameter of a kernel: n and the flags. */
LAB_HOST_DEVICE uint64_t fft_pack(struct fft_shape shape)
{
    return shape.n << 3 | (uint64_t)shape.two_dimensional << 2 | (uint64_t)shape.real << 1 | shape.fp64;
}

LAB_HOST_DEVICE struct fft_shape fft_unpack(uint64_t packed)
{
    struct fft_shape shape = {packed >> 3, (packed & 4) != 0, (packed & 2) != 0, (packed & 1) != 0};
    return shape;
}

/* Numbers in a row of the result. */
LAB_HOST_DEVICE uint64_t fft_result_width(struct fft_shape shape)
{
    return shape.real ? shape.n / 2 + 1 : shape.n;
}

struct fft_complex {
    double real, imaginary;
};

/* exp(2 pi i turns) */
LAB_HOST_DEVICE struct fft_complex fft_unit(double turns)
{
    const double two_pi = 6.283185307179586477;
    double angle = two_pi * (turns - floor(turns + 0.5));
    struct fft_complex unit = {cos(angle), sin(angle)};
    return unit;
}

/* --- the chirp ---------------------------------------------------------------------------------------------------- */

/* q(j) modulo 2n; j < n <= 2^26, so that no product exceeds 64 bits. */
LAB_HOST_DEVICE uint64_t fft_square(uint64_t j, uint64_t n)
{
    uint64_t square = j * j % (2 * n);
    return n % 2 == 0 ? square : (n + 1) * square % (2 * n);
}

/* The shift of transform `index` in a dimension. */
LAB_HOST_DEVICE uint64_t fft_shift(uint64_t index, uint64_t dimension, uint64_t seed, uint64_t n)
{
    return lab_pattern_word(2 * index + dimension, seed) % n;
}

/* The constant phase of transform `index`, in turns. */
LAB_HOST_DEVICE double fft_phase(uint64_t index, uint64_t seed)
{
    return lab_pattern_word(index, ~seed) / 4294967296.0;
}

/* The phase of element j in a dimension, in turns, without that of the transform. */
LAB_HOST_DEVICE double fft_input_turns(uint64_t j, uint64_t shift, uint64_t n)
{
    return (double)((fft_square(j, n) + 2 * shift * j) % (2 * n)) / (double)(2 * n);
}

/* The phase of element k of the result in a dimension, in turns, without the phase of the transform. */
LAB_HOST_DEVICE double fft_result_turns(uint64_t k, uint64_t shift, uint64_t n)
{
    double gauss = n % 2 == 0 ? 0.125 : (double)(8 - (n - 1) % 8) / 8;
    return gauss - (double)fft_square((k + n - shift) % n, n) / (double)(2 * n);
}

/* Element `column` of row `row`, which is 0 in one dimension, of transform `index`. A real number has imaginary part
 * 0. */
LAB_HOST_DEVICE struct fft_complex fft_input(struct fft_shape shape, uint64_t index, uint64_t row, uint64_t column,
                                             uint64_t seed)
{
    double turns = fft_phase(index, seed) + fft_input_turns(column, fft_shift(index, 0, seed, shape.n), shape.n);
    if (shape.two_dimensional)
        turns += fft_input_turns(row, fft_shift(index, 1, seed, shape.n), shape.n);
    struct fft_complex element = fft_unit(turns);
    if (shape.real)
        element.imaginary = 0;
    return element;
}

/* The transform of the complex chirp, divided by the root of the number of elements. */
LAB_HOST_DEVICE struct fft_complex fft_chirp_result(struct fft_shape shape, uint64_t index, uint64_t row,
                                                    uint64_t column, uint64_t seed)
{
    double turns = fft_phase(index, seed) + fft_result_turns(column, fft_shift(index, 0, seed, shape.n), shape.n);
    if (shape.two_dimensional)
        turns += fft_result_turns(row, fft_shift(index, 1, seed, shape.n), shape.n);
    return fft_unit(turns);
}

/* The transform of the input, divided by the root of the number of elements. That of a real part is the mean of the
 * transform and of its conjugate at the opposite frequency. */
LAB_HOST_DEVICE struct fft_complex fft_expected(struct fft_shape shape, uint64_t index, uint64_t row, uint64_t column,
                                                uint64_t seed)
{
    struct fft_complex at = fft_chirp_result(shape, index, row, column, seed);
    if (shape.real) {
        uint64_t n = shape.n;
        struct fft_complex opposite = fft_chirp_result(shape, index, (n - row) % n, (n - column) % n, seed);
        at.real = (at.real + opposite.real) / 2;
        at.imaginary = (at.imaginary - opposite.imaginary) / 2;
    }
    return at;
}

/* --- elements in memory ------------------------------------------------------------------------------------------- */

/* Word `i` of the input, which has two words for each number of 8 bytes; parameters[0] is the packed shape. */
LAB_HOST_DEVICE uint32_t fft_input_word(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    struct fft_shape shape = fft_unpack(parameters[0]);
    uint64_t number = shape.fp64 ? i / 2 : i, bits;
    uint64_t element = shape.real ? number : number / 2;
    uint64_t rows = shape.two_dimensional ? shape.n : 1, row = element / shape.n;
    struct fft_complex value = fft_input(shape, row / rows, row % rows, element % shape.n, seed);
    double part = !shape.real && number % 2 == 1 ? value.imaginary : value.real;
    if (!shape.fp64)
        return lab_float_bits((float)part);
    memcpy(&bits, &part, sizeof bits);
    return (uint32_t)(i % 2 == 0 ? bits : bits >> 32);
}

/* The error of number `i` of the result, divided by the root of the number of elements that are transformed. DBL_MAX if
 * the number is not finite. */
LAB_HOST_DEVICE double fft_error(const void *result, uint64_t i, struct fft_shape shape, uint64_t seed)
{
    uint64_t width = fft_result_width(shape), rows = shape.two_dimensional ? shape.n : 1, row = i / width;
    double scale = sqrt((double)shape.n * (double)rows);
    const float *single = (const float *)result + 2 * i;
    const double *fp64 = (const double *)result + 2 * i;
    struct fft_complex expected = fft_expected(shape, row / rows, row % rows, i % width, seed);
    double real = (shape.fp64 ? fp64[0] : single[0]) / scale - expected.real;
    double imaginary = (shape.fp64 ? fp64[1] : single[1]) / scale - expected.imaginary;
    return fmin(sqrt(real * real + imaginary * imaginary), DBL_MAX);
}

#endif
