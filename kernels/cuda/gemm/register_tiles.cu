/* Each thread computes 8 x 8 elements of C, a block 128 x 128. What a thread reads from shared memory it uses eight
 * times: 16 reads make 64 multiply-adds, where the steps before needed two for one.
 *
 * The 8 x 8 elements lie 16 apart, so that neighbouring threads still work on neighbours: their reads of B fall into
 * different banks of shared memory, and their writes of C into one piece.
 */
#include "gemm.h"

enum {
    TILE = 128, /* rows and columns of C that a block computes */
    DEPTH = 8,  /* how much of k is in shared memory at a time */
    EACH = 8,   /* rows and columns per thread */
    SIDE = TILE / EACH,
    THREADS = SIDE * SIDE
};

__global__ __launch_bounds__(THREADS, 2) void register_tiles(uint32_t m, uint32_t n, uint32_t k, const float *a,
                                                             const float *b, float *c)
{
    __shared__ float a_tile[TILE][DEPTH], b_tile[DEPTH][TILE];
    uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    uint32_t first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;

    float sums[EACH][EACH] = {};
    for (uint32_t first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
            uint32_t element = i * THREADS + threadIdx.x;
            uint32_t row = first_row + element / DEPTH, at = first + element % DEPTH;
            a_tile[element / DEPTH][element % DEPTH] = row < m && at < k ? a[(size_t)row * k + at] : 0;
        }
#pragma unroll
        for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
            uint32_t element = i * THREADS + threadIdx.x;
            uint32_t at = first + element / TILE, column = first_column + element % TILE;
            b_tile[element / TILE][element % TILE] = at < k && column < n ? b[(size_t)at * n + column] : 0;
        }
        __syncthreads();

#pragma unroll 4
        for (int i = 0; i < DEPTH; i++) {
            float a_part[EACH], b_part[EACH];
            for (int r = 0; r < EACH; r++)
                a_part[r] = a_tile[y + r * SIDE][i];
            for (int s = 0; s < EACH; s++)
                b_part[s] = b_tile[i][x + s * SIDE];
            for (int r = 0; r < EACH; r++)
                for (int s = 0; s < EACH; s++)
                    sums[r][s] += a_part[r] * b_part[s];
        }
        __syncthreads();
    }

    for (int r = 0; r < EACH; r++)
        for (int s = 0; s < EACH; s++) {
            uint32_t row = first_row + y + r * SIDE, column = first_column + x + s * SIDE;
            if (row < m && column < n)
                c[(size_t)row * n + column] = sums[r][s];
        }
}

static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((gemm->n + TILE - 1) / TILE, (gemm->m + TILE - 1) / TILE);
    config.blockDim = THREADS;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, register_tiles, gemm->m, gemm->n, gemm->k, (const float *)gemm->a,
                              (const float *)gemm->b, (float *)gemm->c);
}

const struct cuda_gemm_step lab_cuda_gemm_register_tiles = {
    CUDA_GEMM_BIT(LAB_GEMM_FP32), CUDA_GEMM_BIT(LAB_GEMM_NN), 0, 0, nullptr, launch, nullptr};
