/* The kernels of work that several devices share out (runtime.h says what each does): pairs of elements, and the transpose
 * of a square. */
#include "kernels.h"

/* --- PAIRS -------------------------------------------------------------------------------------------------------- */

/* Each thread has several elements in registers and meets every partner with all of them, so that what is read of a
 * partner serves them all; partners come through shared memory, a block's worth at a time. */
enum { PAIR_THREADS = 256, PAIR_ELEMENTS = 4, PAIR_BLOCK = PAIR_THREADS * PAIR_ELEMENTS };

__device__ static void meet(uint32_t (&sums)[PAIR_ELEMENTS], const uint32_t (&mine)[PAIR_ELEMENTS], uint32_t partner)
{
#pragma unroll
    for (int i = 0; i < PAIR_ELEMENTS; i++) {
        uint32_t difference = mine[i] - partner;
        sums[i] += difference * difference;
    }
}

__global__ __launch_bounds__(PAIR_THREADS) void pairs(uint32_t *destination, const uint32_t *source, uint64_t count,
                                                      const uint32_t *partners, uint32_t partner_count)
{
    __shared__ uint32_t tile[PAIR_THREADS];
    uint64_t first = (uint64_t)blockIdx.x * PAIR_BLOCK + threadIdx.x;
    uint32_t mine[PAIR_ELEMENTS], sums[PAIR_ELEMENTS] = {};
#pragma unroll
    for (int i = 0; i < PAIR_ELEMENTS; i++)
        mine[i] = first + i * PAIR_THREADS < count ? source[first + i * PAIR_THREADS] : 0;

    uint32_t whole = partner_count / PAIR_THREADS * PAIR_THREADS;
    for (uint32_t start = 0; start < whole; start += PAIR_THREADS) {
        __syncthreads();
        tile[threadIdx.x] = partners[start + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int i = 0; i < PAIR_THREADS; i++)
            meet(sums, mine, tile[i]);
    }
    for (uint32_t i = whole; i < partner_count; i++)
        meet(sums, mine, partners[i]);

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

/* --- TRANSPOSE ---------------------------------------------------------------------------------------------------- */

/* A tile goes through shared memory, so that rows are read and rows are written; a column of padding lets its columns lie
 * in different banks. */
enum { TILE = 32, TILE_ROWS = 8 };

__device__ static uint32_t *word_at(const cuda_region &region, uint64_t row, uint64_t column)
{
    return reinterpret_cast<uint32_t *>(region.address + row * region.pitch) + column;
}

__global__ __launch_bounds__(TILE *TILE_ROWS) void transpose(cuda_region destination, cuda_region source, uint32_t side)
{
    __shared__ uint32_t tile[TILE][TILE + 1];
    uint64_t column = (uint64_t)blockIdx.x * TILE + threadIdx.x, row = (uint64_t)blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += TILE_ROWS)
        if (row + i < side && column < side)
            tile[threadIdx.y + i][threadIdx.x] = *word_at(source, row + i, column);
    __syncthreads();
    column = (uint64_t)blockIdx.y * TILE + threadIdx.x;
    row = (uint64_t)blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += TILE_ROWS)
        if (row + i < side && column < side)
            *word_at(destination, row + i, column) = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" cudaError_t lab_cuda_launch_transpose(cudaStream_t stream, struct cuda_region destination,
                                                 struct cuda_region source)
{
    cudaLaunchConfig_t config = {};
    uint32_t side = (uint32_t)source.height;
    if (side == 0)
        return cudaSuccess;
    config.gridDim = dim3((side + TILE - 1) / TILE, (side + TILE - 1) / TILE);
    config.blockDim = dim3(TILE, TILE_ROWS);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, transpose, destination, source, side);
}

extern "C" cudaError_t lab_cuda_load_exchange(void)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, pairs);
    return status == cudaSuccess ? cudaFuncGetAttributes(&attributes, transpose) : status;
}
