/* Naive GEMM: one thread per element of C, which reads its row of A and its column of B from global memory.
 *
 * Neighbouring threads compute neighbouring rows, whose elements are one row length apart in memory. So each access of
 * a warp to A and C touches 32 different rows and is not coalesced.
 */

// step naive "Naive" shows naive.cu
/* Each thread computes one element of C: it reads a row of A and a column of B and adds up k products. Adjacent
 * threads compute adjacent rows. In each iteration the 32 threads of a warp therefore read 32 elements of A that are a
 * whole row apart. Memory is fetched in sectors of 32 bytes, so one load instruction fetches 32 sectors, 1024 bytes,
 * and uses 128 of them.
 *
 * The limit is the load/store unit, which spends almost all of its time on splitting up such accesses, while the
 * schedulers rarely issue an instruction. More threads do not help: the multiprocessors are already full. */
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
