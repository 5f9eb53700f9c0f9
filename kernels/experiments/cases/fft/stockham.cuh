/* The arithmetic of complex numbers, butterflies, and transforms of numbers that threads hold in registers, for float2
 * and double2. */
#ifndef LAB_FFT_STOCKHAM_CUH
#define LAB_FFT_STOCKHAM_CUH

#include "fft.h"

// region complex
template <typename C> __device__ C add(C a, C b)
{
    return {a.x + b.x, a.y + b.y};
}

template <typename C> __device__ C subtract(C a, C b)
{
    return {a.x - b.x, a.y - b.y};
}

template <typename C> __device__ C multiply(C a, C b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* Sets *value to exp(-2 pi i k / n). */
__device__ static void root(uint32_t k, uint32_t n, float2 *value)
{
    sincospif(-2.0f * (float)k / (float)n, &value->y, &value->x);
}

__device__ static void root(uint32_t k, uint32_t n, double2 *value)
{
    sincospi(-2.0 * k / n, &value->y, &value->x);
}
// end

// region butterfly
/* value * exp(-2 pi i k / 16); k is known when compiling. */
template <typename C> __device__ __forceinline__ C turn_by_sixteenths(C value, uint32_t k)
{
    constexpr double cosines[] = {1, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0};
    using T = decltype(value.x);
    T half = (T)cosines[2];
    if (k == 0)
        return value;
    if (k == 2)
        return {half * (value.x + value.y), half * (value.y - value.x)};
    if (k == 4)
        return {value.y, -value.x};
    if (k == 6)
        return {half * (value.y - value.x), -half * (value.x + value.y)};
    T c = (T)(k < 4 ? cosines[k] : -cosines[8 - k]), s = (T)(k < 4 ? cosines[4 - k] : cosines[k - 4]);
    return multiply(value, C{c, -s});
}

/* Transforms the R numbers at v in registers: halves are added and subtracted, then transformed by themselves. Result r
 * becomes v[reversed<R>(r)]. */
template <uint32_t R, typename C> __device__ __forceinline__ void butterfly(C *v)
{
#pragma unroll
    for (uint32_t i = 0; i < R / 2; i++) {
        C a = v[i], b = v[i + R / 2];
        v[i] = add(a, b);
        v[i + R / 2] = turn_by_sixteenths(subtract(a, b), i * 16 / R);
    }
    if constexpr (R > 2) {
        butterfly<R / 2>(v);
        butterfly<R / 2>(v + R / 2);
    }
}

/* The bits of r in reverse order. */
template <uint32_t R> __device__ constexpr uint32_t reversed(uint32_t r)
{
    uint32_t result = 0;
    for (uint32_t bit = 1; bit < R; bit *= 2)
        result = 2 * result + (r & bit ? 1 : 0);
    return result;
}

/* Multiplies v[r] by w^r, where w = exp(-2 pi i k / n). Only w is computed from its angle. */
template <uint32_t R, typename C> __device__ __forceinline__ void twiddle(C *v, uint32_t k, uint32_t n)
{
    C powers[R];
    root(k, n, &powers[1]);
    v[1] = multiply(v[1], powers[1]);
#pragma unroll
    for (uint32_t r = 2; r < R; r++) {
        powers[r] = multiply(powers[r / 2], powers[r - r / 2]);
        v[r] = multiply(v[r], powers[r]);
    }
}

/* A butterfly of Stockham's algorithm. After passes whose radices have the product `stride`, butterfly j takes the
 * elements j + r n / R, r < R, and makes the elements first + r stride, where first is what this returns: the result of
 * all passes is in order. */
template <uint32_t R, typename C> __device__ __forceinline__ uint32_t pass(C *v, uint32_t j, uint32_t stride)
{
    uint32_t k = j & (stride - 1);
    if (stride > 1)
        twiddle<R>(v, k, stride * R);
    butterfly<R>(v);
    return (j - k) * R + k;
}
// end

// region exchange
/* The place of element i in shared memory. The gaps keep the threads of a warp in different banks. */
__device__ static uint32_t padded(uint32_t i)
{
    return i + i / FFT_ELEMENTS;
}

/* A pass of radix R over the elements that the threads of a transform hold: v[k] is element lane + k * threads. Calls
 * put(k, i, value) with each element i of the result, k < 16 being known when compiling. */
template <uint32_t R, typename C, typename Put>
__device__ __forceinline__ void register_pass(const C *v, uint32_t lane, uint32_t threads, uint32_t stride, Put put)
{
    constexpr uint32_t butterflies = FFT_ELEMENTS / R;
#pragma unroll
    for (uint32_t b = 0; b < butterflies; b++) {
        C u[R];
#pragma unroll
        for (uint32_t r = 0; r < R; r++)
            u[r] = v[b + r * butterflies];
        uint32_t first = pass<R>(u, lane + b * threads, stride);
#pragma unroll
        for (uint32_t r = 0; r < R; r++)
            put(b + r * butterflies, first + r * stride, u[reversed<R>(r)]);
    }
}

/* Transforms n elements that n / 16 threads hold: v[k] is element lane + k * threads. After each pass but the last they
 * exchange them through shared memory: padded(n) elements at `exchange`. All passes have radix 16, but for the last
 * one, which calls put(k, lane + k * threads, value) with each element of the result. All threads of the block must
 * call this, and synchronise before they call it again. */
template <typename C, typename Put>
__device__ __forceinline__ void transform(C *v, uint32_t lane, uint32_t threads, C *exchange, Put put)
{
    uint32_t n = threads * FFT_ELEMENTS, stride = 1;
    for (; stride * FFT_ELEMENTS < n; stride *= FFT_ELEMENTS) {
        if (stride > 1)
            __syncthreads();
        register_pass<FFT_ELEMENTS>(v, lane, threads, stride,
                                    [&](uint32_t, uint32_t i, C value) { exchange[padded(i)] = value; });
        __syncthreads();
#pragma unroll
        for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
            v[k] = exchange[padded(lane + k * threads)];
    }
    switch (n / stride) {
    case 2:
        return register_pass<2>(v, lane, threads, stride, put);
    case 4:
        return register_pass<4>(v, lane, threads, stride, put);
    case 8:
        return register_pass<8>(v, lane, threads, stride, put);
    default:
        return register_pass<16>(v, lane, threads, stride, put);
    }
}
// end

#endif
