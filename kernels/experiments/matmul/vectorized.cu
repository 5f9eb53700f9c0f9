/* Vectorised memory access: the same tiles as in 2D block tiling, but every access to global memory and every read of
 * shared memory is one instruction for a float4 (16 bytes) instead of four for a float each.
 *
 * The tile of A is stored transposed in shared memory, so that one read gets the elements of four rows. A padding of
 * four floats per row puts the 32 floats that a warp stores at a time into 32 different banks.
 */

// step vectorized "Vectorised loads" shows copies.cuh, vectorized.cu
/* The same tiles, but each thread loads 16 bytes at a time (float4): one load for A and one for B from global memory
 * per tile, and four from shared memory per 64 multiply-adds. For this, A is stored transposed in shared memory, so
 * that four rows are adjacent, and its rows are padded by four floats, so that the 32 floats which a warp stores at
 * once fall into 32 different banks.
 *
 * The multiply-adds are the same, with about 20 % fewer instructions: nine in ten are now multiply-adds. What remains
 * is waiting: all threads of a block load, wait for their loads, wait for each other at the barrier, and then
 * multiply. */
#include "copies.cuh"

enum {
    BM = 128, /* rows and columns of C per block */
    BN = 128,
    BK = 8, /* columns of A and rows of B in shared memory at a time */
    TM = 8, /* rows and columns of C per thread */
    TN = 8,
    THREADS_N = BN / TN,
    THREADS = BM / TM * THREADS_N, /* equals the number of float4s in a tile of A or B */
    PADDING = 4
};

/* Adds the products of one column of the tile of A and one row of the tile of B. A thread's rows are 4y to 4y + 3 and
 * 64 + 4y to 64 + 4y + 3; its columns are 4x to 4x + 3 and 64 + 4x to 64 + 4x + 3. */
__device__ static void multiply(float (&sums)[TM][TN], const float *a_column, const float *b_row, uint32_t x,
                                uint32_t y)
{
    float a_part[TM], b_part[TN];
    for (int half = 0; half < 2; half++) {
        *reinterpret_cast<float4 *>(&a_part[half * 4]) =
            *reinterpret_cast<const float4 *>(&a_column[half * BM / 2 + y * 4]);
        *reinterpret_cast<float4 *>(&b_part[half * 4]) =
            *reinterpret_cast<const float4 *>(&b_row[half * BN / 2 + x * 4]);
    }
    for (int r = 0; r < TM; r++)
        for (int s = 0; s < TN; s++)
            sums[r][s] += a_part[r] * b_part[s];
}

template <bool VECTORS>
__device__ static void multiply_all(uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c)
{
    __shared__ __align__(16) float a_tile[BK][BM + PADDING], b_tile[BK][BN];
    uint32_t x = threadIdx.x % THREADS_N, y = threadIdx.x / THREADS_N;
    uint32_t first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

    /* The positions in the tiles of the float4 of A and of B that this thread loads. */
    uint32_t a_row = threadIdx.x / (BK / 4), a_column = threadIdx.x % (BK / 4) * 4;
    uint32_t b_row = threadIdx.x / (BN / 4), b_column = threadIdx.x % (BN / 4) * 4;

    float sums[TM][TN] = {};
    for (uint32_t first = 0; first < k; first += BK) {
        float4 a_vector = load_float4<VECTORS>(a, m, k, first_row + a_row, first + a_column);
        float4 b_vector = load_float4<VECTORS>(b, k, n, first + b_row, first_column + b_column);
        a_tile[a_column + 0][a_row] = a_vector.x;
        a_tile[a_column + 1][a_row] = a_vector.y;
        a_tile[a_column + 2][a_row] = a_vector.z;
        a_tile[a_column + 3][a_row] = a_vector.w;
        *reinterpret_cast<float4 *>(&b_tile[b_row][b_column]) = b_vector;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++)
            multiply(sums, a_tile[i], b_tile[i], x, y);
        __syncthreads();
    }

    for (int r = 0; r < TM; r++)
        for (int half = 0; half < 2; half++) {
            const float *four = &sums[r][half * 4];
            store_float4<VECTORS>(c, m, n, first_row + r / 4 * BM / 2 + y * 4 + r % 4,
                                  first_column + half * BN / 2 + x * 4,
                                  make_float4(four[0], four[1], four[2], four[3]));
        }
}

/* n and k are multiples of 4. */
extern "C" __global__ __launch_bounds__(THREADS, 2) void vectorized_aligned(uint32_t m, uint32_t n, uint32_t k,
                                                                            const float *a, const float *b, float *c)
{
    multiply_all<true>(m, n, k, a, b, c);
}

extern "C" __global__ __launch_bounds__(THREADS, 2) void vectorized(uint32_t m, uint32_t n, uint32_t k, const float *a,
                                                                    const float *b, float *c)
{
    multiply_all<false>(m, n, k, a, b, c);
}
