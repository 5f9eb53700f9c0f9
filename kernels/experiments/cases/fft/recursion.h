/* Transforms of any size on the host, by recursion over the prime factors of the size, in double precision. */
#ifndef LAB_FFT_RECURSION_H
#define LAB_FFT_RECURSION_H

#include "fft.h"

#include <complex.h>

#ifndef CMPLX /* glibc defines it for gcc only */
#define CMPLX(real, imaginary) __builtin_complex((double)(real), (double)(imaginary))
#endif

typedef double complex fft_number;

/* C's own product of complex numbers is slower, because it treats infinities. */
static inline fft_number fft_multiply(fft_number a, fft_number b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Sets roots[k], k < n, to exp(-2 pi i k / n). */
static inline void fft_set_roots(fft_number *roots, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++) {
        struct fft_complex unit = fft_unit(-(double)k / (double)n);
        roots[k] = CMPLX(unit.real, unit.imaginary);
    }
}

// region mixed-radix
/* The roots of unity of the whole transform, and memory for one number of each part of a butterfly: n numbers each. */
struct fft_recursion {
    uint64_t n;
    const fft_number *roots;
    fft_number *terms;
};

static inline uint64_t fft_smallest_radix(uint64_t n)
{
    if (n % 4 == 0)
        return 4;
    for (uint64_t radix = 2; radix * radix <= n; radix++)
        if (n % radix == 0)
            return radix;
    return n;
}

static inline void fft_butterfly_4(fft_number *y, uint64_t part, const fft_number *terms)
{
    fft_number a = terms[0] + terms[2], b = terms[0] - terms[2], c = terms[1] + terms[3];
    fft_number d = CMPLX(cimag(terms[1] - terms[3]), -creal(terms[1] - terms[3]));
    y[0] = a + c;
    y[part] = b + d;
    y[2 * part] = a - c;
    y[3 * part] = b - d;
}

/* The results are `part` elements apart; a root of the radix is `step` roots of the whole transform. */
static inline void fft_butterfly(const struct fft_recursion *whole, fft_number *y, uint64_t part, uint64_t radix)
{
    uint64_t step = whole->n / radix;
    for (uint64_t q = 0; q < radix; q++) {
        fft_number sum = 0;
        for (uint64_t r = 0, turned = 0; r < radix; r++, turned = (turned + q) % radix)
            sum += fft_multiply(whole->terms[r], whole->roots[turned * step]);
        y[q * part] = sum;
    }
}

/* Transforms the n elements x[0], x[stride], … into y: first those whose numbers have the same remainder by the radix,
 * then the results of these together. */
static void fft_transform(const struct fft_recursion *whole, const fft_number *x, uint64_t stride, fft_number *y,
                          uint64_t n)
{
    uint64_t radix = fft_smallest_radix(n), part = n / radix;
    for (uint64_t r = 0; r < radix && part > 1; r++)
        fft_transform(whole, x + r * stride, stride * radix, y + r * part, part);
    for (uint64_t k = 0; k < part; k++) {
        for (uint64_t r = 0; r < radix; r++)
            whole->terms[r] = part > 1 ? fft_multiply(y[r * part + k], whole->roots[r * k * stride]) : x[r * stride];
        if (radix == 4)
            fft_butterfly_4(y + k, part, whole->terms);
        else
            fft_butterfly(whole, y + k, part, radix);
    }
}
// end

#endif
