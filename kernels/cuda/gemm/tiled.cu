/* A block computes a square tile of C, an element per thread. It walks along k in steps of the tile's side: the threads
 * bring a tile of A and one of B into shared memory together, an element of each per thread, and then all read there
 * what the others brought. Each element comes from global memory once per block, not once per thread.
 */
#include "gemm.h"

template <typename Real, int TILE>
__global__ __launch_bounds__(TILE *TILE) void tiled(uint32_t m, uint32_t n, uint32_t k, const Real *a, const Real *b,
                                                    Real *c)
{
    __shared__ Real a_tile[TILE][TILE], b_tile[TILE][TILE];
    uint32_t x = threadIdx.x, y = threadIdx.y;
    size_t row = blockIdx.y * TILE + y;
    size_t column = blockIdx.x * TILE + x;

    Real sum = 0;
    for (uint32_t first = 0; first < k; first += TILE) {
        /* What lies outside a matrix counts as 0, which adds nothing to a sum. */
        a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
        b_tile[y][x] = first + y < k && column < n ? b[(size_t)(first + y) * n + column] : 0;
        __syncthreads(); /* the tiles are complete */
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads(); /* all have read them: the next may come */
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

template <typename Real, int TILE> static cudaError_t launch_for(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((gemm->n + TILE - 1) / TILE, (gemm->m + TILE - 1) / TILE);
    config.blockDim = dim3(TILE, TILE);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, tiled<Real, TILE>, gemm->m, gemm->n, gemm->k, (const Real *)gemm->a,
                              (const Real *)gemm->b, (Real *)gemm->c);
}

template <int TILE> static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    return gemm->type == LAB_GEMM_FP64 ? launch_for<double, TILE>(gemm, stream) : launch_for<float, TILE>(gemm, stream);
}

enum { TYPES = CUDA_GEMM_BIT(LAB_GEMM_FP32) | CUDA_GEMM_BIT(LAB_GEMM_FP64), LAYOUTS = CUDA_GEMM_BIT(LAB_GEMM_NN) };

const struct cuda_gemm_step lab_cuda_gemm_tiled_8 = {TYPES, LAYOUTS, 0, 0, nullptr, launch<8>, nullptr};
const struct cuda_gemm_step lab_cuda_gemm_tiled_16 = {TYPES, LAYOUTS, 0, 0, nullptr, launch<16>, nullptr};
const struct cuda_gemm_step lab_cuda_gemm_tiled_32 = {TYPES, LAYOUTS, 0, 0, nullptr, launch<32>, nullptr};
