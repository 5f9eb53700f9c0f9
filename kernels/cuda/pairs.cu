/* LAB_OPERATION_ALL_PAIRS (runtime.h): for every element, the sum of its squared differences from all partners. */
#include "kernels.h"

/* Each thread has PAIR_ELEMENTS elements in registers, so that it uses each partner that it reads several times. The
 * partners are read through shared memory, PAIR_THREADS at a time: each thread of the block loads one. */
enum { PAIR_THREADS = 256, PAIR_ELEMENTS = 4, PAIR_BLOCK = PAIR_THREADS * PAIR_ELEMENTS };

__device__ static void add_partner(uint32_t (&sums)[PAIR_ELEMENTS], const uint32_t (&elements)[PAIR_ELEMENTS],
                                   uint32_t partner)
{
#pragma unroll
    for (int i = 0; i < PAIR_ELEMENTS; i++) {
        uint32_t difference = elements[i] - partner;
        sums[i] += difference * difference;
    }
}

__global__ __launch_bounds__(PAIR_THREADS) void pairs(uint32_t *destination, const uint32_t *source, uint64_t count,
                                                      const uint32_t *partners, uint32_t partner_count)
{
    __shared__ uint32_t tile[PAIR_THREADS];
    uint64_t first = (uint64_t)blockIdx.x * PAIR_BLOCK + threadIdx.x;
    uint32_t elements[PAIR_ELEMENTS], sums[PAIR_ELEMENTS] = {};
#pragma unroll
    for (int i = 0; i < PAIR_ELEMENTS; i++)
        elements[i] = first + i * PAIR_THREADS < count ? source[first + i * PAIR_THREADS] : 0;

    uint32_t tiled_count = partner_count / PAIR_THREADS * PAIR_THREADS;
    for (uint32_t start = 0; start < tiled_count; start += PAIR_THREADS) {
        __syncthreads();
        tile[threadIdx.x] = partners[start + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int i = 0; i < PAIR_THREADS; i++)
            add_partner(sums, elements, tile[i]);
    }
    for (uint32_t i = tiled_count; i < partner_count; i++)
        add_partner(sums, elements, partners[i]);

#pragma unroll
    for (int i = 0; i < PAIR_ELEMENTS; i++)
        if (first + i * PAIR_THREADS < count)
            destination[first + i * PAIR_THREADS] = sums[i];
}

extern "C" cudaError_t lab_cuda_launch_pairs(cudaStream_t stream, uint32_t *destination, const uint32_t *source,
                                             uint64_t count, const uint32_t *partners, uint32_t partner_count)
{
    cudaLaunchConfig_t config = {};
    if (count == 0)
        return cudaSuccess;
    config.gridDim = (unsigned)((count + PAIR_BLOCK - 1) / PAIR_BLOCK);
    config.blockDim = PAIR_THREADS;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, pairs, destination, source, count, partners, partner_count);
}

extern "C" cudaError_t lab_cuda_load_pairs(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, pairs);
}
