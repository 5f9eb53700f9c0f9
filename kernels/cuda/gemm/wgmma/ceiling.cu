/* The kernel that measures the arithmetic ceiling of Hopper's tensor cores: it executes wgmma instructions on operands
 * that stay in shared memory, from where wgmma reads them. Two warpgroups per multiprocessor keep its tensor cores
 * busy.
 */
#include "../ceiling.h"

#include "instructions.cuh"
#include "runtime/pattern.h"

enum {
    CONSUMERS = 2, /* warpgroups of a block, each with its own rows of A */
    WARPGROUP = 128,
    THREADS = CONSUMERS * WARPGROUP,
    A_ROWS = 64,
    B_COLUMNS = 256,
    WIDTH = 128,     /* bytes of an operand along k; equals the width of the swizzle */
    MULTIPLY_K = 32, /* bytes along k that one instruction multiplies, for every type */
    MULTIPLIES = WIDTH / MULTIPLY_K,
    ATOM = 8 * WIDTH,
    REPEATS_PER_ROUND = 4,
    SUMS = B_COLUMNS / 2 /* of a thread */
};

/* A random element. `number` is the index of the element in the block's shared memory. */
template <typename Element> __device__ static Element random_element(uint32_t number)
{
    float normal = lab_pattern_normal((uint64_t)blockIdx.x << 32 | number, 1);
    if constexpr (std::is_same_v<Element, __half>)
        return __float2half_rn(normal);
    else if constexpr (std::is_same_v<Element, __nv_bfloat16>)
        return __float2bfloat16_rn(normal);
    else
        return Element(normal);
}

template <typename Element> __global__ __launch_bounds__(THREADS, 1) void multiply_shared(uint32_t rounds, float *sink)
{
    enum { PER_ROW = WIDTH / sizeof(Element), A_ELEMENTS = A_ROWS * PER_ROW, B_ELEMENTS = B_COLUMNS * PER_ROW };
    __shared__ __align__(ATOM) Element operands[CONSUMERS * A_ELEMENTS + B_ELEMENTS];
    for (uint32_t i = threadIdx.x; i < CONSUMERS * A_ELEMENTS + B_ELEMENTS; i += THREADS)
        operands[i] = random_element<Element>(i);
    fence_async_proxy(); /* the tensor cores read shared memory through the async proxy */
    __syncthreads();

    const Element *rows = operands + threadIdx.x / WARPGROUP * A_ELEMENTS;
    uint32_t a = uniform(operand_descriptor(shared_address(rows), 0));
    uint32_t b = uniform(operand_descriptor(shared_address(operands + CONSUMERS * A_ELEMENTS), 0));
    float sums[SUMS] = {};
    for (uint32_t round = 0; round < rounds; round++) {
        multiply_fence();
#pragma unroll
        for (int repeat = 0; repeat < REPEATS_PER_ROUND; repeat++)
#pragma unroll
            for (int slice = 0; slice < MULTIPLIES; slice++) {
                uint32_t along_k = slice * MULTIPLY_K / 16; /* in units of 16 bytes, as descriptors hold addresses */
                multiply<Element, 0>(sums, a + along_k, b + along_k, true);
            }
        multiply_commit();
        multiply_wait<0>();
    }
    float sum = 0;
    for (int i = 0; i < SUMS; i++)
        sum += sums[i];
    if (isnan(sum)) /* never true; it makes the compiler compute the sum */
        *sink = sum;
}

template <typename Element>
static cudaError_t launch(cudaLaunchConfig_t config, uint32_t rounds, float *sink, double *operations)
{
    double each = 2.0 * A_ROWS * B_COLUMNS * (MULTIPLY_K / sizeof(Element));
    *operations = each * MULTIPLIES * REPEATS_PER_ROUND * rounds * CONSUMERS * config.gridDim.x;
    return cudaLaunchKernelEx(&config, multiply_shared<Element>, rounds, sink);
}

cudaError_t lab_cuda_launch_gemm_ceiling_wgmma(cudaStream_t stream, enum lab_gemm_type type, int multiprocessors,
                                               uint32_t rounds, float *sink, double *operations)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)multiprocessors;
    config.blockDim = THREADS;
    config.stream = stream;
    if (type == LAB_GEMM_TF32)
        return launch<float>(config, rounds, sink, operations);
    if (type == LAB_GEMM_BF16)
        return launch<__nv_bfloat16>(config, rounds, sink, operations);
    if (type == LAB_GEMM_FP8)
        return launch<__nv_fp8_e4m3>(config, rounds, sink, operations);
    return launch<__half>(config, rounds, sink, operations);
}
