/* Coalesced global memory access: one thread per element of C, as in the naive kernel, but neighbouring threads compute
 * neighbouring columns.
 *
 * A warp then reads 32 contiguous elements of B and writes 32 contiguous elements of C, each as one access of
 * 128 bytes, and all its threads read the same element of A.
 */
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
