/* Shared memory tiling: a block computes a square tile of C, one element per thread, so that BM = BN = BK. In each step
 * along k the threads together load a tile of A and a tile of B into shared memory, one element of each per thread, and
 * then read both tiles from there. Each element is read from global memory once per block instead of once per thread.
 */
#include "gemm.h"

template <typename Real, int BK>
__global__ __launch_bounds__(BK *BK) void tiled(uint32_t m, uint32_t n, uint32_t k, const Real *a, const Real *b,
                                                Real *c)
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

template <typename Real, int BK> static cudaError_t launch_for(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((gemm->n + BK - 1) / BK, (gemm->m + BK - 1) / BK);
    config.blockDim = dim3(BK, BK);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, tiled<Real, BK>, gemm->m, gemm->n, gemm->k, (const Real *)gemm->a,
                              (const Real *)gemm->b, (Real *)gemm->c);
}

template <int BK> static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    return gemm->type == LAB_GEMM_FP64 ? launch_for<double, BK>(gemm, stream) : launch_for<float, BK>(gemm, stream);
}

enum { TYPES = CUDA_GEMM_BIT(LAB_GEMM_FP32) | CUDA_GEMM_BIT(LAB_GEMM_FP64), LAYOUTS = CUDA_GEMM_BIT(LAB_GEMM_NN) };

const struct cuda_gemm_step lab_cuda_gemm_tiled_8 = {TYPES, LAYOUTS, 0, 0, nullptr, launch<8>, nullptr};
const struct cuda_gemm_step lab_cuda_gemm_tiled_16 = {TYPES, LAYOUTS, 0, 0, nullptr, launch<16>, nullptr};
const struct cuda_gemm_step lab_cuda_gemm_tiled_32 = {TYPES, LAYOUTS, 0, 0, nullptr, launch<32>, nullptr};
