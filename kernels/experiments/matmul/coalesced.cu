/* Coalesced global memory access: one thread per element of C, as in the naive kernel, but neighbouring threads compute
 * neighbouring columns.
 *
 * A warp then reads 32 contiguous elements of B and writes 32 contiguous elements of C, each as one access of
 * 128 bytes, and all its threads read the same element of A.
 */

// step coalesced "Global-memory coalescing" shows coalesced.cu
/* The only change: threadIdx.x selects the column instead of the row. The threads of a warp now read 32 adjacent
 * elements of a row of B, 128 contiguous bytes, and all read the same element of A, which is fetched once for the
 * warp. Expect several times the throughput of the naive kernel.
 *
 * The limit is the number of loads: two for each multiply-add, and only one in seven instructions of the loop is a
 * multiply-add. While the matrices fit in the L2 cache, the load/store unit is the bottleneck. When they no longer
 * fit, the cache hit rate drops, the warps wait for memory, and throughput falls as the matrices grow. */
#include <cstdint>

enum { BLOCK = 32 };

extern "C" __global__ __launch_bounds__(BLOCK *BLOCK) void coalesced(uint32_t m, uint32_t n, uint32_t k, const float *a,
                                                                     const float *b, float *c)
{
    size_t row = blockIdx.y * BLOCK + threadIdx.y;
    size_t column = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= m || column >= n)
        return;

    float sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
