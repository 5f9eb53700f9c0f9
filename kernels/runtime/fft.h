/* Fourier transforms by a library: an optional table of the runtime (runtime.h). */
#ifndef LAB_FFT_H
#define LAB_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_device;
struct lab_plan;

enum { LAB_FFT_DIMENSIONS_MAX = 2 };

/* A batch of transforms, contiguous and one behind the other, in row-major order. X[k] = sum of x[j] exp(-2 pi i j k /
 * n) in each dimension, not divided by anything; exp(+…) if `inverse` is set. Complex numbers are pairs of real and
 * imaginary part. */
struct lab_fft {
    size_t dimensions; /* 1 or 2 */
    uint64_t n;        /* numbers in each dimension */
    uint64_t batch;    /* transforms */
    bool real; /* of real numbers; the result has n / 2 + 1 complex numbers in the last dimension. Not inverse */
    bool fp64; /* 8-byte numbers instead of 4-byte ones */
    bool inverse;
    const void *input;
    void *output; /* in device memory; the address of a complex input for a transform in place */
};

struct lab_runtime_fft {
    /* Prepares a plan that transforms the input. Returns NULL with the device's error set; its code is "unsupported" if
     * the library is not installed. */
    struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_fft *fft);
};

#endif
