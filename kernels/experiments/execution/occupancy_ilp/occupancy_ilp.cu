/* Kernels whose threads have 1, 2, 4 or 8 independent operations in flight. All threads of a grid are resident, so the
 * number of warps on a multiprocessor is that of the launch. */
#include "benchmark/check.h"
#include "occupancy_ilp.h"

/* Registers of a thread with which 64 warps fit on a multiprocessor. */
#define REGISTERS __maxnreg__(32)

// region copy "Loads and stores of 4 bytes, N in flight in each thread"
/* A thread copies N elements in each round. Its N loads do not wait for each other; its stores wait for the loads, once
 * for all of them, and the loads of the next round are behind the stores. n is the number of elements of all rounds. */
template <int N> static __device__ __forceinline__ void copy(const float *in, float *out, uint64_t n)
{
    uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += N * threads) {
        float values[N];
#pragma unroll
        for (int k = 0; k < N; k++)
            values[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < N; k++)
            out[i + k * threads] = values[k];
    }
}
// end

// steps use occupancy_ilp.h:constants

// region fma "N chains of multiply-adds in registers"
/* Each step needs the step before it of the same chain, which takes 4 cycles. The chains do not wait for each other: N
 * instructions can start one after the other. The loop is unrolled, so that counting costs little. */
template <int N>
static __device__ __forceinline__ void multiply_add(const float *in, float *out, uint32_t steps, float factor,
                                                    float summand)
{
    uint32_t threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[N];
    for (int k = 0; k < N; k++)
        x[k] = in[i + k * threads];
#pragma unroll(128 / N)
    for (uint32_t step = 0; step < steps; step++)
#pragma unroll
        for (int k = 0; k < N; k++)
            x[k] = fmaf(x[k], factor, summand);
    for (int k = 0; k < N; k++)
        out[i + k * threads] = x[k];
}
// end

#define KERNELS(N)                                                                                                     \
    extern "C" __global__ void REGISTERS occupancy_ilp_copy_##N(const float *in, float *out, uint64_t n)               \
    {                                                                                                                  \
        copy<N>(in, out, n);                                                                                           \
    }                                                                                                                  \
    extern "C" __global__ void REGISTERS occupancy_ilp_fma_##N(const float *in, float *out, uint32_t steps,            \
                                                               float factor, float summand)                            \
    {                                                                                                                  \
        multiply_add<N>(in, out, steps, factor, summand);                                                              \
    }

KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(8)

LAB_FILL_KERNEL(occupancy_ilp_fill, occupancy_ilp_input)
LAB_CHECK_KERNEL(occupancy_ilp_check, occupancy_ilp_expected)
