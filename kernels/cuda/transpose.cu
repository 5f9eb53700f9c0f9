/* LAB_OPERATION_TRANSPOSE (runtime.h): transposes a square matrix of 4-byte elements. */
#include "kernels.h"

/* Each block transposes a tile in shared memory, so that global memory is read and written along rows. The tile has one
 * column of padding, so that the elements of a column are in different banks. */
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

extern "C" cudaError_t lab_cuda_load_transpose(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, transpose);
}
