/* The same tiles as in the step before, moved in fours: every access to global memory, and every read of shared memory,
 * is one instruction for 16 bytes instead of four for 4 bytes.
 *
 * To read four rows of A at once, its tile is laid into shared memory transposed. Four floats of padding put the 32
 * floats that a warp stores there at a time into 32 different banks.
 */
#include "copies.cuh"
#include "gemm.h"

enum {
    TILE = 128,
    DEPTH = 8,
    EACH = 8,
    SIDE = TILE / EACH,
    THREADS = SIDE * SIDE, /* as many as there are quads in a tile of A or B */
    PADDING = 4
};

/* Adds the products of one column of the tile of A and one row of that of B. A thread has rows 4y to 4y + 3 and
 * 64 + 4y to 64 + 4y + 3, and columns likewise. */
__device__ static void multiply(float (&sums)[EACH][EACH], const float *a_column, const float *b_row, uint32_t x,
                                uint32_t y)
{
    float a_part[EACH], b_part[EACH];
    for (int half = 0; half < 2; half++) {
        *reinterpret_cast<float4 *>(&a_part[half * 4]) =
            *reinterpret_cast<const float4 *>(&a_column[half * TILE / 2 + y * 4]);
        *reinterpret_cast<float4 *>(&b_part[half * 4]) =
            *reinterpret_cast<const float4 *>(&b_row[half * TILE / 2 + x * 4]);
    }
    for (int r = 0; r < EACH; r++)
        for (int s = 0; s < EACH; s++)
            sums[r][s] += a_part[r] * b_part[s];
}

template <bool QUADS>
__global__ __launch_bounds__(THREADS, 2) void vectorized(uint32_t m, uint32_t n, uint32_t k, const float *a,
                                                         const float *b, float *c)
{
    __shared__ __align__(16) float a_tile[DEPTH][TILE + PADDING], b_tile[DEPTH][TILE];
    uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    uint32_t first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;

    /* The quad of A and the one of B that the thread brings. */
    uint32_t a_row = threadIdx.x / (DEPTH / 4), a_column = threadIdx.x % (DEPTH / 4) * 4;
    uint32_t b_row = threadIdx.x / (TILE / 4), b_column = threadIdx.x % (TILE / 4) * 4;

    float sums[EACH][EACH] = {};
    for (uint32_t first = 0; first < k; first += DEPTH) {
        float4 a_quad = load_quad<QUADS>(a, m, k, first_row + a_row, first + a_column);
        float4 b_quad = load_quad<QUADS>(b, k, n, first + b_row, first_column + b_column);
        a_tile[a_column + 0][a_row] = a_quad.x;
        a_tile[a_column + 1][a_row] = a_quad.y;
        a_tile[a_column + 2][a_row] = a_quad.z;
        a_tile[a_column + 3][a_row] = a_quad.w;
        *reinterpret_cast<float4 *>(&b_tile[b_row][b_column]) = b_quad;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
            multiply(sums, a_tile[i], b_tile[i], x, y);
        __syncthreads();
    }

    for (int r = 0; r < EACH; r++)
        for (int half = 0; half < 2; half++) {
            const float *quad = &sums[r][half * 4];
            store_quad<QUADS>(c, m, n, first_row + r / 4 * TILE / 2 + y * 4 + r % 4,
                              first_column + half * TILE / 2 + x * 4, make_float4(quad[0], quad[1], quad[2], quad[3]));
        }
}

static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((gemm->n + TILE - 1) / TILE, (gemm->m + TILE - 1) / TILE);
    config.blockDim = THREADS;
    config.stream = stream;
    bool quads = gemm->n % 4 == 0 && gemm->k % 4 == 0;
    return cudaLaunchKernelEx(&config, quads ? vectorized<true> : vectorized<false>, gemm->m, gemm->n, gemm->k,
                              (const float *)gemm->a, (const float *)gemm->b, (float *)gemm->c);
}

const struct cuda_gemm_step lab_cuda_gemm_vectorized = {
    CUDA_GEMM_BIT(LAB_GEMM_FP32), CUDA_GEMM_BIT(LAB_GEMM_NN), 0, 0, nullptr, launch, nullptr};
