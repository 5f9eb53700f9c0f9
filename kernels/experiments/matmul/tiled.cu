/* Shared memory tiling: a block computes a square tile of C, one element per thread, so that BM = BN = BK. In each step
 * along k the threads together load a tile of A and a tile of B into shared memory, one element of each per thread, and
 * then read both tiles from there. Each element is read from global memory once per block instead of once per thread.
 */
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
