/* The transpose of a matrix in the steps in which CUDA courses improve it. The input is a rows x columns matrix of
 * 4-byte elements, row by row; the output has its columns as rows. Indices of elements fit in 32 bits. */
#include "benchmark/check.h"
#include "transpose.h"

// region copy "Copy"
/* The same bytes without a transpose, 16 for each thread; the first threads copy the rest. This is the reference of all
 * other steps. */
extern "C" __global__ void transpose_copy(const float *__restrict__ in, float *__restrict__ out, uint32_t rows,
                                          uint32_t columns)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, count = rows * columns, units = count / 4;
    if (i < units)
        reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
    if (i < count % 4)
        out[units * 4 + i] = in[units * 4 + i];
}
// end

// steps use transpose.h:tile

// region naive "Naive"
/* Neighbouring threads read neighbouring elements of a row, so a warp reads 4 sectors. It writes the elements to a
 * column: to 32 sectors, 4 bytes of each. */
extern "C" __global__ void transpose_naive(const float *__restrict__ in, float *__restrict__ out, uint32_t rows,
                                           uint32_t columns)
{
    uint32_t column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (uint32_t i = 0; i < TILE; i += TILE_ROWS)
        if (column < columns && row + i < rows)
            out[column * rows + row + i] = in[(row + i) * columns + column];
}
// end

// region coalesced-writes "Coalesced writes"
/* The threads are assigned the other way round: a warp reads from 32 sectors and writes 4. The next warps of the block
 * read the other elements of these sectors, which are then in the L1 cache. */
extern "C" __global__ void transpose_coalesced_writes(const float *__restrict__ in, float *__restrict__ out,
                                                      uint32_t rows, uint32_t columns)
{
    uint32_t column = blockIdx.x * TILE + threadIdx.y, row = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < TILE; i += TILE_ROWS)
        if (column + i < columns && row < rows)
            out[(column + i) * rows + row] = in[row * columns + column + i];
}
// end

// region texture "Reads through a texture"
/* The input was copied to an array, in which elements that are near each other in a column are near each other in
 * memory too. The warp reads 32 elements of a column through the texture units, and writes 4 sectors. No shared memory
 * and no barrier is needed. */
extern "C" __global__ void transpose_texture(cudaTextureObject_t in, float *__restrict__ out, uint32_t rows,
                                             uint32_t columns)
{
    uint32_t column = blockIdx.x * TILE + threadIdx.y, row = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < TILE; i += TILE_ROWS)
        if (column + i < columns && row < rows)
            out[(column + i) * rows + row] =
                __uint_as_float(tex2D<uint32_t>(in, (float)(column + i) + 0.5f, (float)row + 0.5f));
}
// end

// region tile
/* Transposes a tile through shared memory: reads its rows, and writes its columns as rows of the output. The rows of
 * `tile` are PITCH elements apart. */
template <uint32_t PITCH>
__device__ static void transpose_tile(const float *__restrict__ in, float *__restrict__ out, uint32_t rows,
                                      uint32_t columns, uint32_t tile_row, uint32_t tile_column)
{
    __shared__ float tile[TILE][PITCH];
    uint32_t column = tile_column * TILE + threadIdx.x, row = tile_row * TILE + threadIdx.y;
#pragma unroll
    for (uint32_t i = 0; i < TILE; i += TILE_ROWS)
        if (column < columns && row + i < rows)
            tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * columns + column];
    __syncthreads();
    column = tile_column * TILE + threadIdx.y;
    row = tile_row * TILE + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < TILE; i += TILE_ROWS)
        if (column + i < columns && row < rows)
            out[(column + i) * rows + row] = tile[threadIdx.x][threadIdx.y + i];
}
// end

// steps use transpose.h:tile, tile

// region tiled "Tiles in shared memory"
/* Reads and writes of the matrices are along rows. The column is read from shared memory, which has no sectors but 32
 * banks, 4 bytes wide. The rows of the tile are 32 elements apart, so the elements of a column are all in one bank. */
extern "C" __global__ void transpose_tiled(const float *__restrict__ in, float *__restrict__ out, uint32_t rows,
                                           uint32_t columns)
{
    transpose_tile<TILE>(in, out, rows, columns, blockIdx.y, blockIdx.x);
}
// end

// region padded "Padded tiles"
/* With one element of padding the rows of the tile are 33 elements apart, and the elements of a column in 32 banks. */
extern "C" __global__ void transpose_padded(const float *__restrict__ in, float *__restrict__ out, uint32_t rows,
                                            uint32_t columns)
{
    transpose_tile<TILE + 1>(in, out, rows, columns, blockIdx.y, blockIdx.x);
}
// end

// region diagonal "Diagonal order"
/* Consecutive blocks take the padded tiles of a diagonal instead of those of a row. Blocks that run at the same time
 * neither read nor write in one row of tiles, so that their accesses were spread over the partitions of the memory
 * before the hardware did this itself. */
extern "C" __global__ void transpose_diagonal(const float *__restrict__ in, float *__restrict__ out, uint32_t rows,
                                              uint32_t columns)
{
    uint32_t block = blockIdx.y * gridDim.x + blockIdx.x;
    uint32_t tile_row = block % gridDim.y, tile_column = (block / gridDim.y + tile_row) % gridDim.x;
    transpose_tile<TILE + 1>(in, out, rows, columns, tile_row, tile_column);
}
// end

// steps use transpose.h:wide-tile

// region vectorized "16-byte accesses"
/* Tiles of 64 x 64. Each thread loads 4 x 4 elements with four loads of 16 bytes, transposes them in its registers,
 * and stores four rows of 16 bytes in shared memory. Instead of padding, the units of 16 bytes are permuted within
 * each row, so that the 8 threads that access shared memory in the same cycle use all banks. */
/* Index in shared memory of a unit of 4 elements: the exclusive or permutes. Padding would put rows at addresses that
 * are no multiple of 16 bytes. */
__device__ static uint32_t unit_index(uint32_t row, uint32_t unit)
{
    return row * UNITS + (unit ^ row / 4);
}

/* Rows and columns are multiples of 4, so a thread's square of 4 x 4 elements is inside the matrix or outside. */
extern "C" __global__ void __launch_bounds__(UNITS *UNITS)
    transpose_vectorized(const float4 *__restrict__ in, float4 *__restrict__ out, uint32_t rows, uint32_t columns)
{
    __shared__ float4 tile[WIDE * UNITS];
    uint32_t x = threadIdx.x, y = threadIdx.y, row_units = rows / 4, column_units = columns / 4;
    uint32_t column_unit = blockIdx.x * UNITS + x, row_unit = blockIdx.y * UNITS + y;
    if (column_unit < column_units && row_unit < row_units) {
        const float4 *from = in + row_unit * 4 * column_units + column_unit;
        float4 a = from[0], b = from[column_units], c = from[2 * column_units], d = from[3 * column_units];
        tile[unit_index(4 * x, y)] = make_float4(a.x, b.x, c.x, d.x);
        tile[unit_index(4 * x + 1, y)] = make_float4(a.y, b.y, c.y, d.y);
        tile[unit_index(4 * x + 2, y)] = make_float4(a.z, b.z, c.z, d.z);
        tile[unit_index(4 * x + 3, y)] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();
    column_unit = blockIdx.x * UNITS + y;
    row_unit = blockIdx.y * UNITS + x;
    if (column_unit < column_units && row_unit < row_units) {
        float4 *to = out + column_unit * 4 * row_units + row_unit;
#pragma unroll
        for (uint32_t i = 0; i < 4; i++)
            to[i * row_units] = tile[unit_index(4 * y + i, x)];
    }
}
// end

LAB_CHECK_KERNEL(transpose_check, transpose_expected)
