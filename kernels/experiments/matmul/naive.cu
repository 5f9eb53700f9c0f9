/* Naive GEMM: one thread per element of C, which reads its row of A and its column of B from global memory.
 *
 * Neighbouring threads compute neighbouring rows, whose elements are one row length apart in memory. So each access of a
 * warp to A and C touches 32 different rows and is not coalesced.
 */
#include <cstdint>

enum { BLOCK = 32 };

template <typename Real>
__device__ static void multiply(uint32_t m, uint32_t n, uint32_t k, const Real *a, const Real *b, Real *c)
{
    size_t row = blockIdx.x * BLOCK + threadIdx.x;
    size_t column = blockIdx.y * BLOCK + threadIdx.y;
    if (row >= m || column >= n)
        return;

    Real sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ __launch_bounds__(BLOCK *BLOCK) void naive_fp32(uint32_t m, uint32_t n, uint32_t k,
                                                                      const float *a, const float *b, float *c)
{
    multiply(m, n, k, a, b, c);
}

extern "C" __global__ __launch_bounds__(BLOCK *BLOCK) void naive_fp64(uint32_t m, uint32_t n, uint32_t k,
                                                                      const double *a, const double *b, double *c)
{
    multiply(m, n, k, a, b, c);
}
