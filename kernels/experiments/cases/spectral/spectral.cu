/* Derivatives, convolutions and solutions of Poisson's equation on periodic grids, in fp64: by sums over neighbours,
 * and by transforms. n is a power of two; in and out have `lines` lines of n complex numbers. */
#include "benchmark/check.h"
#include "experiments/cases/fft/stockham.cuh"
#include "spectral.h"

// region lines
__device__ static double2 swapped(double2 value)
{
    return {value.y, value.x};
}

/* A line of n numbers whose elements are `distance` apart. */
struct line {
    uint64_t first, distance;
};

/* Row `number`; column `number` of consecutive squares of n x n numbers. */
__device__ static line row(uint64_t number, uint32_t n)
{
    return {number * n, 1};
}

__device__ static line column(uint64_t number, uint32_t n)
{
    return {number / n * n * n + number % n, n};
}

/* Transforms a line if `forward` is set, calls change(k, value) with each element, and transforms it back if `inverse`
 * is set. The inverse transform is that of the numbers whose parts are swapped. n / 16 threads of a block hold a
 * line. */
template <bool forward, bool inverse, typename Line, typename Change>
__device__ __forceinline__ void with_lines(const double2 *in, double2 *out, uint32_t n, uint64_t lines, Line line_of,
                                           Change change)
{
    extern __shared__ double2 memory[];
    uint32_t threads = n / FFT_ELEMENTS, lane = threadIdx.x & (threads - 1), which = threadIdx.x / threads;
    uint64_t number = (uint64_t)blockIdx.x * (FFT_BLOCK / threads) + which;
    bool exists = number < lines;
    line at = line_of(number, n);
    double2 *exchange = memory + which * padded(n), v[FFT_ELEMENTS];
#pragma unroll
    for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
        v[k] = exists ? in[at.first + (lane + k * threads) * at.distance] : double2{0, 0};
    if (forward) {
        double2 result[FFT_ELEMENTS];
        transform(v, lane, threads, exchange, [&](uint32_t k, uint32_t, double2 value) { result[k] = value; });
#pragma unroll
        for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
            v[k] = result[k];
    }
#pragma unroll
    for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
        v[k] = change(number, lane + k * threads, v[k]);
    auto store = [&](uint32_t i, double2 value) {
        if (exists)
            out[at.first + i * at.distance] = value;
    };
    if (!inverse) {
#pragma unroll
        for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
            store(lane + k * threads, v[k]);
        return;
    }
    __syncthreads();
#pragma unroll
    for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
        v[k] = swapped(v[k]);
    transform(v, lane, threads, exchange, [&](uint32_t, uint32_t i, double2 value) { store(i, swapped(value)); });
}
// end

// region derivative
/* Element k of the transform is multiplied by i times its frequency. */
extern "C" __global__ void __launch_bounds__(FFT_BLOCK, 2)
    spectral_derivative(const double2 *in, double2 *out, uint32_t n, uint64_t lines)
{
    with_lines<true, true>(in, out, n, lines, row, [&](uint64_t, uint32_t k, double2 value) {
        double factor = k == n / 2 ? 0 : spectral_frequency(k, n) / n;
        return double2{-factor * value.y, factor * value.x};
    });
}
// end

// region convolution
/* The transform of a convolution is the product of the transforms. That of the taps is given. */
extern "C" __global__ void __launch_bounds__(FFT_BLOCK, 2)
    spectral_convolution(const double2 *in, double2 *out, uint32_t n, uint64_t lines, const double2 *taps)
{
    double inverse = 1.0 / n; /* exact; a division takes longer for some numbers, such as 0 */
    with_lines<true, true>(in, out, n, lines, row, [&](uint64_t, uint32_t k, double2 value) {
        double2 product = multiply(value, taps[k]);
        return double2{inverse * product.x, inverse * product.y};
    });
}
// end

// step spectral "By transforms" shows lines, derivative, convolution, poisson
/* The threads of a block hold whole lines in registers, as in the kernel stockham of the experiment fft. Between the
 * transform and the transform back each element is multiplied, so the line passes through memory once. */

// region poisson
/* The rows are transformed; then the columns are transformed, divided by the eigenvalues and transformed back; then the
 * rows are transformed back. The mean of the solution is 0. */
extern "C" __global__ void __launch_bounds__(FFT_BLOCK, 2)
    spectral_poisson_rows(const double2 *in, double2 *out, uint32_t n, uint64_t lines)
{
    with_lines<true, false>(in, out, n, lines, row, [](uint64_t, uint32_t, double2 value) { return value; });
}

extern "C" __global__ void __launch_bounds__(FFT_BLOCK, 2)
    spectral_poisson_columns(const double2 *in, double2 *out, uint32_t n, uint64_t lines, uint32_t difference)
{
    with_lines<true, true>(in, out, n, lines, column, [&](uint64_t number, uint32_t k, double2 value) {
        uint64_t l = number % n;
        double sum = spectral_eigenvalue(k, n, difference != 0) + spectral_eigenvalue(l, n, difference != 0);
        double factor = k == 0 && l == 0 ? 0 : 1 / (sum * n * n);
        return double2{factor * value.x, factor * value.y};
    });
}

extern "C" __global__ void __launch_bounds__(FFT_BLOCK, 2)
    spectral_poisson_rows_back(const double2 *in, double2 *out, uint32_t n, uint64_t lines)
{
    with_lines<false, true>(in, out, n, lines, row, [](uint64_t, uint32_t, double2 value) { return value; });
}
// end

// step difference-2 "Differences of neighbours" shows difference
/* A thread for each point. The weights are known when compiling; the neighbours come from the caches. */

// step difference-8 "Differences of eight neighbours" shows difference
/* Four pairs of neighbours with the weights that make the first seven powers of the distance vanish from the error. */

// region difference
/* A thread for each point: the weighted differences of its neighbours on both sides, as far as `reach`. */
__device__ static void difference(const double2 *in, double2 *out, uint32_t n, uint64_t lines, const double *weights,
                                  uint32_t reach)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines * n)
        return;
    uint32_t j = (uint32_t)i & (n - 1);
    const double2 *u = in + (i - j);
    double2 sum = {0, 0};
#pragma unroll
    for (uint32_t k = 0; k < reach; k++) {
        double2 right = u[(j + k + 1) & (n - 1)], left = u[(j - k - 1) & (n - 1)];
        sum = add(sum, double2{weights[k] * (right.x - left.x), weights[k] * (right.y - left.y)});
    }
    double per_distance = n / (2 * SPECTRAL_PI);
    out[i] = {per_distance * sum.x, per_distance * sum.y};
}

extern "C" __global__ void spectral_difference_2(const double2 *in, double2 *out, uint32_t n, uint64_t lines)
{
    constexpr double weights[] = SPECTRAL_STENCIL_2;
    difference(in, out, n, lines, weights, 1);
}

extern "C" __global__ void spectral_difference_8(const double2 *in, double2 *out, uint32_t n, uint64_t lines)
{
    constexpr double weights[] = SPECTRAL_STENCIL_8;
    difference(in, out, n, lines, weights, 4);
}
// end

// region direct "Sum over taps"
/* A thread for each element. All threads of a warp read the same tap and neighbouring elements. */
/* A thread for each element of the result: the sum of the products of all taps with the elements before it. */
extern "C" __global__ void spectral_direct(const double2 *in, double2 *out, uint32_t n, uint64_t lines,
                                           const double *taps, uint32_t tap_count)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines * n)
        return;
    uint32_t j = (uint32_t)i & (n - 1);
    const double2 *x = in + (i - j);
    double2 sum = {0, 0};
    for (uint32_t m = 0; m < tap_count; m++) {
        double2 value = x[(j - m) & (n - 1)];
        sum = add(sum, double2{taps[m] * value.x, taps[m] * value.y});
    }
    out[i] = sum;
}
// end

LAB_FILL_KERNEL(spectral_fill, spectral_input_word)
LAB_FILL_KERNEL(spectral_fill_taps, spectral_tap_word)
LAB_FILL_KERNEL(spectral_fill_tap_transform, spectral_tap_transform_word)

/* Compares all numbers of the result; `packed` is the problem, `bits` are those of the error bound. */
extern "C" __global__ void spectral_check(const double *result, uint64_t count, uint64_t seed, uint64_t packed,
                                          uint64_t bits, uint64_t unused, struct lab_check_result *of_check)
{
    struct spectral_shape shape = spectral_unpack(packed);
    uint64_t wrong = 0;
    double bound = __longlong_as_double((long long)bits), largest = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count / 2;
         i += (uint64_t)gridDim.x * blockDim.x) {
        double error = spectral_error(result, i, shape, seed);
        largest = fmax(largest, error);
        wrong += !(error <= bound);
    }
    atomicMax(&of_check->error, (unsigned long long)__double_as_longlong(largest));
    if (wrong > 0)
        atomicAdd(&of_check->wrong, wrong);
}
