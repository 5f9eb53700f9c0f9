/* Naive GEMM: one thread per element of C, which reads its row of A and its column of B from global memory.
 *
 * Neighbouring threads compute neighbouring rows, whose elements are one row length apart in memory. So each access of a
 * warp to A and C touches 32 different rows and is not coalesced.
 */
#include "gemm.h"

enum { BLOCK = 32 };

template <typename Real>
__global__ __launch_bounds__(BLOCK *BLOCK) void naive(uint32_t m, uint32_t n, uint32_t k, const Real *a, const Real *b,
                                                      Real *c)
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

template <typename Real> static cudaError_t launch_for(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((gemm->m + BLOCK - 1) / BLOCK, (gemm->n + BLOCK - 1) / BLOCK);
    config.blockDim = dim3(BLOCK, BLOCK);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, naive<Real>, gemm->m, gemm->n, gemm->k, (const Real *)gemm->a,
                              (const Real *)gemm->b, (Real *)gemm->c);
}

static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    return gemm->type == LAB_GEMM_FP64 ? launch_for<double>(gemm, stream) : launch_for<float>(gemm, stream);
}

const struct cuda_gemm_step lab_cuda_gemm_naive = {CUDA_GEMM_BIT(LAB_GEMM_FP32) | CUDA_GEMM_BIT(LAB_GEMM_FP64),
                                                   CUDA_GEMM_BIT(LAB_GEMM_NN),
                                                   0,
                                                   0,
                                                   nullptr,
                                                   launch,
                                                   nullptr};
