/* Shared memory tiling: a block computes a square tile of C, one element per thread, so that BM = BN = BK. In each step
 * along k the threads together load a tile of A and a tile of B into shared memory, one element of each per thread, and
 * then read both tiles from there. Each element is read from global memory once per block instead of once per thread.
 */

// step tiled-8 "Shared-memory tiling, 8 x 8" shows tiled.cu
/* A block of 8 x 8 threads copies an 8 x 8 tile of A and one of B to shared memory, one element of each per thread,
 * waits at a barrier, and multiplies the two tiles. Each element is read from global memory once per block instead of
 * once per thread, which saves seven of eight loads.
 *
 * This gains little over coalescing, and can lose where the matrices fit in the L2 cache, for three reasons. The rows
 * of a tile are only 32 bytes long, so a warp's load touches four places. Each tile costs two barriers and the copying
 * for only 8 multiply-adds per thread, so one in six instructions of the loop is a multiply-add. And shared memory is
 * read through the same unit as the cache, so it competes with the loads from global memory. The coalesced kernel gets
 * most of its data from the cache. */

// step tiled-16 "Shared-memory tiling, 16 x 16" shows tiled.cu
/* The same kernel with tiles of 16 x 16: one sixteenth of the loads from global memory, in rows of 64 bytes, and 16
 * multiply-adds between two barriers.
 *
 * Less copying leaves more of the load/store unit to the reads from shared memory, which are now the limit. For each
 * multiply-add of a warp that unit needs more than one cycle: one for the element of B, the rest for the element of A,
 * which the compiler reads four at a time, and for the copying. The four schedulers of a multiprocessor could issue
 * four multiply-adds per cycle. */

// step tiled-32 "Shared-memory tiling, 32 x 32" shows tiled.cu
/* Tiles of 32 x 32: whole warps copy whole rows of 128 bytes, and the loads from global memory are halved again.
 *
 * The gain is small, because global memory was no longer the limit: a multiply-add still needs two numbers from shared
 * memory. A block now has 1024 threads, so only two blocks fit on a multiprocessor. When one of them waits at its
 * barrier, half of the warps are idle. To go further, each thread must do more with every number that it reads. */
#include <cstdint>

template <typename Real, int BK>
__device__ static void multiply(uint32_t m, uint32_t n, uint32_t k, const Real *a, const Real *b, Real *c)
{
    __shared__ Real a_tile[BK][BK], b_tile[BK][BK];
    uint32_t x = threadIdx.x, y = threadIdx.y;
    size_t row = blockIdx.y * BK + y;
    size_t column = blockIdx.x * BK + x;

    Real sum = 0;
    for (uint32_t first = 0; first < k; first += BK) {
        /* Elements outside a matrix are 0, which adds nothing to a sum. */
        a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
        b_tile[y][x] = first + y < k && column < n ? b[(size_t)(first + y) * n + column] : 0;
        __syncthreads(); /* the tiles are complete */
#pragma unroll
        for (int i = 0; i < BK; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads(); /* all threads have read the tiles, so they may be overwritten */
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

#define KERNEL(name, Real, BK)                                                                                         \
    extern "C" __global__ __launch_bounds__(BK *BK) void name(uint32_t m, uint32_t n, uint32_t k, const Real *a,       \
                                                              const Real *b, Real *c)                                  \
    {                                                                                                                  \
        multiply<Real, BK>(m, n, k, a, b, c);                                                                          \
    }
KERNEL(tiled_8_fp32, float, 8)
KERNEL(tiled_16_fp32, float, 16)
KERNEL(tiled_32_fp32, float, 32)
KERNEL(tiled_8_fp64, double, 8)
KERNEL(tiled_16_fp64, double, 16)
KERNEL(tiled_32_fp64, double, 32)
