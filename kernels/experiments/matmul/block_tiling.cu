/* 2D block tiling: a block computes BM x BN elements of C, each thread TM x TN of them in registers. A thread uses each
 * value that it reads from shared memory 8 times: 16 reads for 64 multiply-adds, whereas shared memory tiling with one
 * element per thread needs two reads for each multiply-add.
 *
 * The elements of a thread are 16 rows or columns apart, so that neighbouring threads still compute neighbouring
 * elements: their reads of B use different banks of shared memory, and their writes of C are coalesced.
 */

// step register-tiles "2D block tiling" shows block_tiling.cu
/* Each thread computes TM x TN = 8 x 8 elements of C, with the sums in registers. In each step along k it reads 8
 * elements of A and 8 of B and multiplies each pair: 64 multiply-adds for 16 numbers, which took 128 numbers before. A
 * block of 256 threads computes BM x BN = 128 x 128 elements of C with BK = 8, so global memory is read a quarter as
 * often as with tiles of 32.
 *
 * This is one of the largest gains, because the reads from shared memory are no longer the bottleneck. The price is
 * about 128 registers per thread: 16 warps fit on a multiprocessor instead of 64 (25 % occupancy). That is enough,
 * since the 64 multiply-adds of a thread are independent. Warps now wait for the next tiles, at the barrier, and for
 * registers, of which a multiply-add reads three; almost a third of the instructions are not multiply-adds. Small
 * matrices get slower: at 512 there are only 16 blocks, fewer than a large GPU has multiprocessors. */
#include <cstdint>

enum {
    BM = 128, /* rows and columns of C per block */
    BN = 128,
    BK = 8, /* columns of A and rows of B in shared memory at a time */
    TM = 8, /* rows and columns of C per thread */
    TN = 8,
    THREADS_M = BM / TM,
    THREADS_N = BN / TN,
    THREADS = THREADS_M * THREADS_N
};

extern "C" __global__ __launch_bounds__(THREADS, 2) void block_tiling(uint32_t m, uint32_t n, uint32_t k,
                                                                      const float *a, const float *b, float *c)
{
    __shared__ float a_tile[BM][BK], b_tile[BK][BN];
    uint32_t x = threadIdx.x % THREADS_N, y = threadIdx.x / THREADS_N;
    uint32_t first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

    float sums[TM][TN] = {};
    for (uint32_t first = 0; first < k; first += BK) {
#pragma unroll
        for (int i = 0; i < BM * BK / THREADS; i++) {
            uint32_t element = i * THREADS + threadIdx.x;
            uint32_t row = first_row + element / BK, at = first + element % BK;
            a_tile[element / BK][element % BK] = row < m && at < k ? a[(size_t)row * k + at] : 0;
        }
#pragma unroll
        for (int i = 0; i < BN * BK / THREADS; i++) {
            uint32_t element = i * THREADS + threadIdx.x;
            uint32_t at = first + element / BN, column = first_column + element % BN;
            b_tile[element / BN][element % BN] = at < k && column < n ? b[(size_t)at * n + column] : 0;
        }
        __syncthreads();

#pragma unroll 4
        for (int i = 0; i < BK; i++) {
            float a_part[TM], b_part[TN];
            for (int r = 0; r < TM; r++)
                a_part[r] = a_tile[y + r * THREADS_M][i];
            for (int s = 0; s < TN; s++)
                b_part[s] = b_tile[i][x + s * THREADS_N];
            for (int r = 0; r < TM; r++)
                for (int s = 0; s < TN; s++)
                    sums[r][s] += a_part[r] * b_part[s];
        }
        __syncthreads();
    }

    for (int r = 0; r < TM; r++)
        for (int s = 0; s < TN; s++) {
            uint32_t row = first_row + y + r * THREADS_M, column = first_column + x + s * THREADS_N;
            if (row < m && column < n)
                c[(size_t)row * n + column] = sums[r][s];
        }
}
