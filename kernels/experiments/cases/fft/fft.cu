/* Transforms of a batch of n complex numbers each. n is a power of two, but for the direct sum. The kernels exist for
 * float and double. */
#include "benchmark/check.h"
#include "stockham.cuh"

// steps use stockham.cuh:complex

// region dft "Direct sum"
/* A thread for each element of the result adds up n products. The threads of a warp read the same element at a time,
 * so memory is no limit, but the work grows with n^2. */
/* A thread for each element of the result: the sum over all elements of its transform. */
template <typename C> __device__ void direct_sum(const C *in, C *out, uint32_t n, uint64_t batch)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * n)
        return;
    uint32_t k = (uint32_t)(i % n), turned = 0;
    const C *x = in + (i - k);
    C sum = {0, 0}, w;
    for (uint32_t j = 0; j < n; j++) {
        root(turned, n, &w);
        sum = add(sum, multiply(x[j], w));
        turned = turned + k < n ? turned + k : turned + k - n;
    }
    out[i] = sum;
}
// end

// step radix-2 "Radix 2, passes through global memory" shows stockham.cuh:complex, stockham.cuh:butterfly, passes
/* A pass combines pairs of elements that are n / 2 apart: one multiplication by a root of unity, one addition, one
 * subtraction. It writes the results to a second array, at the places from which the next pass reads such pairs again.
 * log2 n launches read and write the whole batch each. */

// step radix-8 "Radix 8, passes through global memory" shows stockham.cuh:butterfly, passes
/* Each thread transforms 8 elements in its registers, which does the work of three passes in one. The last pass has
 * radix 2 or 4, if log2 n is not a multiple of 3. */

// region passes
/* One pass over all of the batch, through global memory: a thread for each butterfly. */
template <uint32_t R, typename C>
__device__ void global_pass(const C *in, C *out, uint32_t n, uint32_t stride, uint64_t batch)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t butterflies = n / R, j = (uint32_t)i & (butterflies - 1);
    if (i >= batch * butterflies)
        return;
    uint64_t begin = (i - j) * R;
    C v[R];
#pragma unroll
    for (uint32_t r = 0; r < R; r++)
        v[r] = in[begin + j + r * butterflies];
    uint32_t first = pass<R>(v, j, stride);
#pragma unroll
    for (uint32_t r = 0; r < R; r++)
        out[begin + first + r * stride] = v[reversed<R>(r)];
}
// end

// steps use fft.h:sizes, stockham.cuh:butterfly, stockham.cuh:exchange

// region stockham "Radix 16, one kernel for a transform"
/* The same passes with 16 elements in each thread, but the elements stay in registers: between the passes the threads
 * of a transform exchange them through shared memory. Gaps after every 16 elements keep the threads of a warp in
 * different banks. The batch passes through global memory once. */
/* A whole transform with one pass through global memory. n / 16 threads of a block hold its elements. */
template <typename C> __device__ void stockham(const C *in, C *out, uint32_t n, uint64_t batch)
{
    extern __shared__ double2 memory[];
    uint32_t threads = n / FFT_ELEMENTS, lane = threadIdx.x & (threads - 1), which = threadIdx.x / threads;
    uint64_t number = (uint64_t)blockIdx.x * (FFT_BLOCK / threads) + which;
    bool exists = number < batch;
    C v[FFT_ELEMENTS];
    in += number * n + lane;
    out += number * n;
#pragma unroll
    for (uint32_t k = 0; k < FFT_ELEMENTS; k++)
        v[k] = exists ? in[k * threads] : C{0, 0};
    C *exchange = reinterpret_cast<C *>(memory) + which * padded(n);
    transform(v, lane, threads, exchange, [&](uint32_t, uint32_t i, C value) {
        if (exists)
            out[i] = value;
    });
}
// end

/* `resident` blocks of stockham fit in the registers of a multiprocessor. */
#define FFT_KERNELS(C, type, resident)                                                                                 \
    extern "C" __global__ void fft_dft_##type(const C *in, C *out, uint32_t n, uint64_t batch)                         \
    {                                                                                                                  \
        direct_sum(in, out, n, batch);                                                                                 \
    }                                                                                                                  \
    extern "C" __global__ void fft_radix_2_##type(const C *in, C *out, uint32_t n, uint32_t stride, uint64_t batch)    \
    {                                                                                                                  \
        global_pass<2>(in, out, n, stride, batch);                                                                     \
    }                                                                                                                  \
    extern "C" __global__ void fft_radix_4_##type(const C *in, C *out, uint32_t n, uint32_t stride, uint64_t batch)    \
    {                                                                                                                  \
        global_pass<4>(in, out, n, stride, batch);                                                                     \
    }                                                                                                                  \
    extern "C" __global__ void fft_radix_8_##type(const C *in, C *out, uint32_t n, uint32_t stride, uint64_t batch)    \
    {                                                                                                                  \
        global_pass<8>(in, out, n, stride, batch);                                                                     \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(FFT_BLOCK, resident)                                                  \
        fft_stockham_##type(const C *in, C *out, uint32_t n, uint64_t batch)                                           \
    {                                                                                                                  \
        stockham(in, out, n, batch);                                                                                   \
    }

FFT_KERNELS(float2, fp32, 4)
FFT_KERNELS(double2, fp64, 2)

LAB_FILL_KERNEL(fft_fill, fft_input_word)

/* Compares all numbers of the result; `packed` is the shape, `bits` are those of the error bound. */
extern "C" __global__ void fft_check(const void *result, uint64_t count, uint64_t seed, uint64_t packed, uint64_t bits,
                                     uint64_t unused, struct lab_check_result *of_check)
{
    struct fft_shape shape = fft_unpack(packed);
    uint64_t numbers = count / (shape.fp64 ? 4 : 2), wrong = 0;
    double bound = __longlong_as_double((long long)bits), largest = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < numbers;
         i += (uint64_t)gridDim.x * blockDim.x) {
        double error = fft_error(result, i, shape, seed);
        largest = fmax(largest, error);
        wrong += !(error <= bound);
    }
    atomicMax(&of_check->error, (unsigned long long)__double_as_longlong(largest));
    if (wrong > 0)
        atomicAdd(&of_check->wrong, wrong);
}

// step library "cuFFT (library)" shows kernels/cuda/fft.c:transform
/* NVIDIA's library, as the reference: it chooses radices and kernels for the length and the device. */
