/* The kernels of spectral for host devices. */
#include "benchmark/check.h"
#include "experiments/cases/fft/recursion.h"
#include "spectral.h"

// region lines
/* What each element of the transform of a line is multiplied by. */
typedef fft_number factor(const struct lab_argument *arguments, uint64_t line, uint64_t k, uint64_t n);

/* The arguments of all kernels that transform lines. Further ones follow. */
enum { IN, OUT, SCRATCH, N, LINES, MORE };

static fft_number conjugate(fft_number value)
{
    return CMPLX(creal(value), -cimag(value));
}

/* Transforms lines, multiplies their elements by factors, and transforms them back, which is the transform of the
 * conjugates. The lines are rows or the columns of squares; each core has four lines in the scratch memory. */
static void multiply_lines(const struct lab_host_part *part, const struct lab_argument *arguments, bool columns,
                           bool forward, factor *factor_of, bool inverse)
{
    uint64_t n = arguments[N].u64, distance = columns ? n : 1, begin, end;
    const fft_number *in = arguments[IN].pointer;
    fft_number *out = arguments[OUT].pointer;
    fft_number *roots = (fft_number *)arguments[SCRATCH].pointer + part->index * 4 * n, *x = roots + n, *y = x + n;
    const struct fft_recursion whole = {n, roots, y + n};
    fft_set_roots(roots, n);
    lab_host_part_range(part, arguments[LINES].u64, 1, &begin, &end);
    for (uint64_t line = begin; line < end; line++) {
        uint64_t first = columns ? line / n * n * n + line % n : line * n;
        for (uint64_t j = 0; j < n; j++)
            (forward ? x : y)[j] = in[first + j * distance];
        if (forward)
            fft_transform(&whole, x, 1, y, n);
        for (uint64_t k = 0; k < n && factor_of != NULL; k++)
            y[k] = fft_multiply(y[k], factor_of(arguments, line, k, n));
        for (uint64_t k = 0; k < n && inverse; k++)
            x[k] = conjugate(y[k]);
        if (inverse)
            fft_transform(&whole, x, 1, y, n);
        for (uint64_t k = 0; k < n; k++)
            out[first + k * distance] = inverse ? conjugate(y[k]) : y[k];
    }
}
// end

// region derivative
static fft_number derivative_factor(const struct lab_argument *arguments, uint64_t line, uint64_t k, uint64_t n)
{
    (void)arguments, (void)line;
    return CMPLX(0, k == n / 2 ? 0 : spectral_frequency(k, n) / (double)n);
}

LAB_HOST_KERNEL(spectral_derivative)
{
    multiply_lines(part, arguments, false, true, derivative_factor, true);
}
// end

// region convolution
static fft_number tap_factor(const struct lab_argument *arguments, uint64_t line, uint64_t k, uint64_t n)
{
    const fft_number *taps = arguments[MORE].pointer;
    (void)line;
    return taps[k] / (double)n;
}

LAB_HOST_KERNEL(spectral_convolution)
{
    multiply_lines(part, arguments, false, true, tap_factor, true);
}
// end

// step spectral "By transforms" shows lines, derivative, convolution, poisson
/* Each core takes lines in turn: transform, product, transform back. */

// region poisson
static fft_number poisson_factor(const struct lab_argument *arguments, uint64_t line, uint64_t k, uint64_t n)
{
    bool difference = arguments[MORE].u32 != 0;
    double sum = spectral_eigenvalue(k, n, difference) + spectral_eigenvalue(line % n, n, difference);
    return k == 0 && line % n == 0 ? 0 : 1 / (sum * (double)n * (double)n);
}

LAB_HOST_KERNEL(spectral_poisson_rows)
{
    multiply_lines(part, arguments, false, true, NULL, false);
}

LAB_HOST_KERNEL(spectral_poisson_columns)
{
    multiply_lines(part, arguments, true, true, poisson_factor, true);
}

LAB_HOST_KERNEL(spectral_poisson_rows_back)
{
    multiply_lines(part, arguments, false, false, NULL, true);
}
// end

// step difference-2 "Differences of neighbours" shows difference
/* Each core computes a part of the points. */

// step difference-8 "Differences of eight neighbours" shows difference
/* Four pairs of neighbours for each point. */

// region difference
/* The weighted differences of the neighbours of each point on both sides, as far as `reach`. */
static void difference(const struct lab_host_part *part, const struct lab_argument *arguments, const double *weights,
                       uint64_t reach)
{
    const fft_number *in = arguments[0].pointer;
    fft_number *out = arguments[1].pointer;
    uint64_t n = arguments[2].u32, begin, end;
    lab_host_part_range(part, arguments[3].u64 * n, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        const fft_number *u = in + (i - i % n);
        fft_number sum = 0;
        for (uint64_t k = 0; k < reach; k++)
            sum += weights[k] * (u[(i + k + 1) % n] - u[(i + n - k - 1) % n]);
        out[i] = sum * ((double)n / (2 * SPECTRAL_PI));
    }
}

LAB_HOST_KERNEL(spectral_difference_2)
{
    static const double weights[] = SPECTRAL_STENCIL_2;
    difference(part, arguments, weights, 1);
}

LAB_HOST_KERNEL(spectral_difference_8)
{
    static const double weights[] = SPECTRAL_STENCIL_8;
    difference(part, arguments, weights, 4);
}
// end

// region direct "Sum over taps"
/* Each core computes a part of the elements. */
/* The sum of the products of all taps with the elements before each. */
LAB_HOST_KERNEL(spectral_direct)
{
    const fft_number *in = arguments[0].pointer;
    fft_number *out = arguments[1].pointer;
    const double *taps = arguments[4].pointer;
    uint64_t n = arguments[2].u32, begin, end;
    lab_host_part_range(part, arguments[3].u64 * n, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        const fft_number *x = in + (i - i % n);
        fft_number sum = 0;
        for (uint64_t m = 0; m < arguments[5].u32; m++)
            sum += taps[m] * x[(i + n - m) % n];
        out[i] = sum;
    }
}
// end

LAB_FILL_HOST(spectral_fill, spectral_input_word)
LAB_FILL_HOST(spectral_fill_taps, spectral_tap_word)
LAB_FILL_HOST(spectral_fill_tap_transform, spectral_tap_transform_word)

LAB_HOST_KERNEL(spectral_check)
{
    struct spectral_shape shape = spectral_unpack(arguments[3].u64);
    struct lab_check_result *of_check = arguments[6].pointer;
    double largest = 0;
    uint64_t begin, end, wrong = 0;
    lab_host_part_range(part, arguments[1].u64 / 2, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        double error = spectral_error(arguments[0].pointer, i, shape, arguments[2].u64);
        largest = fmax(largest, error);
        wrong += !(error <= arguments[4].f64);
    }
    lab_check_add(of_check, wrong, 0);
    lab_check_raise_error(of_check, largest);
}
