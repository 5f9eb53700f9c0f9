/* Transposes a block of a matrix, which is square and has elements of 4 bytes; rows begin `pitch` bytes apart. */
#include "experiments/multi_gpu/mpi/block.h"

__device__ static uint32_t *word_at(unsigned char *matrix, uint64_t pitch, uint64_t row, uint64_t column)
{
    return reinterpret_cast<uint32_t *>(matrix + row * pitch) + column;
}

/* Each block transposes a tile in shared memory, so that global memory is read and written along rows. The tile has one
 * column of padding, so that the elements of a column are in different banks. */
extern "C" __global__ __launch_bounds__(LAB_MPI_TILE *LAB_MPI_TILE_ROWS) void transpose_block(
    unsigned char *destination, uint64_t destination_pitch, unsigned char *source, uint64_t source_pitch, uint32_t side)
{
    __shared__ uint32_t tile[LAB_MPI_TILE][LAB_MPI_TILE + 1];
    uint64_t column = (uint64_t)blockIdx.x * LAB_MPI_TILE + threadIdx.x,
             row = (uint64_t)blockIdx.y * LAB_MPI_TILE + threadIdx.y;
    for (int i = 0; i < LAB_MPI_TILE; i += LAB_MPI_TILE_ROWS)
        if (row + i < side && column < side)
            tile[threadIdx.y + i][threadIdx.x] = *word_at(source, source_pitch, row + i, column);
    __syncthreads();
    column = (uint64_t)blockIdx.y * LAB_MPI_TILE + threadIdx.x;
    row = (uint64_t)blockIdx.x * LAB_MPI_TILE + threadIdx.y;
    for (int i = 0; i < LAB_MPI_TILE; i += LAB_MPI_TILE_ROWS)
        if (row + i < side && column < side)
            *word_at(destination, destination_pitch, row + i, column) = tile[threadIdx.x][threadIdx.y + i];
}
