/* The kernels of fft for host devices: the direct sum, and transforms of any size by recursion over its prime factors.
 * Both compute in double precision, whatever the type of the numbers. */
#include "benchmark/check.h"
#include "recursion.h"

static fft_number load(const void *from, uint64_t i, struct fft_shape shape, bool real)
{
    if (real)
        return shape.fp64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
    return shape.fp64 ? ((const double complex *)from)[i] : (fft_number)((const float complex *)from)[i];
}

static void store(void *to, uint64_t i, struct fft_shape shape, fft_number value)
{
    if (shape.fp64)
        ((double complex *)to)[i] = value;
    else
        ((float complex *)to)[i] = (float complex)value;
}

// region dft "Direct sum"
/* n products for each element of the result, with a table of the roots of unity. */
/* Each element of the result is a sum over all elements of its transform. */
LAB_HOST_KERNEL(fft_dft)
{
    const void *from = arguments[0].pointer;
    struct fft_shape shape = fft_unpack(arguments[2].u64);
    uint64_t n = shape.n, begin, end;
    fft_number roots[FFT_DIRECT_MAX];
    fft_set_roots(roots, n);
    lab_host_part_range(part, arguments[3].u64 * n, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t k = i % n, turned = 0;
        fft_number sum = 0;
        for (uint64_t j = 0; j < n; j++) {
            sum += fft_multiply(load(from, i - k + j, shape, false), roots[turned]);
            turned = turned + k < n ? turned + k : turned + k - n;
        }
        store(arguments[1].pointer, i, shape, sum);
    }
}
// end

// steps use recursion.h:mixed-radix

// region mixed-radix "Recursion over the prime factors"
/* n is split into its factors, 4 first. The elements whose numbers have the same remainder are transformed by
 * themselves, and the results combined. Any n works; a large prime factor takes as long as the direct sum. Each core
 * transforms other rows or columns. */
/* Transforms the rows of all matrices or vectors, or, in place, the columns of the results. Each core has four rows of
 * complex numbers in the scratch memory. */
LAB_HOST_KERNEL(fft_mixed_radix)
{
    struct fft_shape shape = fft_unpack(arguments[3].u64);
    uint64_t n = shape.n, width = fft_result_width(shape), rows = shape.two_dimensional ? n : 1, begin, end;
    bool columns = arguments[4].u64 != 0, real = shape.real && !columns;
    fft_number *roots = (fft_number *)arguments[2].pointer + part->index * 4 * n, *x = roots + n, *y = x + n;
    const struct fft_recursion whole = {n, roots, y + n};
    fft_set_roots(roots, n);
    lab_host_part_range(part, arguments[5].u64 * (columns ? width : rows), 1, &begin, &end);
    for (uint64_t line = begin; line < end; line++) {
        uint64_t from = columns ? line / width * n * width + line % width : line * n;
        uint64_t to = columns ? from : line * width, stride = columns ? width : 1;
        for (uint64_t j = 0; j < n; j++)
            x[j] = load(arguments[0].pointer, from + j * stride, shape, real);
        fft_transform(&whole, x, 1, y, n);
        for (uint64_t k = 0; k < (columns ? n : width); k++)
            store(arguments[1].pointer, to + k * stride, shape, y[k]);
    }
}
// end

LAB_FILL_HOST(fft_fill, fft_input_word)

LAB_HOST_KERNEL(fft_check)
{
    struct fft_shape shape = fft_unpack(arguments[3].u64);
    struct lab_check_result *of_check = arguments[6].pointer;
    double largest = 0;
    uint64_t begin, end, wrong = 0;
    lab_host_part_range(part, arguments[1].u64 / (shape.fp64 ? 4 : 2), 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        double error = fft_error(arguments[0].pointer, i, shape, arguments[2].u64);
        largest = fmax(largest, error);
        wrong += !(error <= arguments[4].f64);
    }
    lab_check_add(of_check, wrong, 0);
    lab_check_raise_error(of_check, largest);
}

// step library "FFTW (library)" shows kernels/host/fft.c:transform
/* FFTW, if it is installed, as the reference. Each core computes other transforms of the batch. */
