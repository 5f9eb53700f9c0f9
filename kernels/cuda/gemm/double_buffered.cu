/* Each tile has two buffers: while the threads multiply what is in one, the next piece of A and B is on its way into
 * the other. The copies (cp.async) go from global to shared memory past the registers, and no thread waits for them
 * before its next turn; one barrier a turn remains of two.
 */
#include "copies.cuh"
#include "gemm.h"

enum { TILE = 128, DEPTH = 8, EACH = 8, SIDE = TILE / EACH, THREADS = SIDE * SIDE, PADDING = 4 };

struct tiles {
    float a[DEPTH][TILE + PADDING], b[DEPTH][TILE];
};

/* Starts to bring what follows element `first` of k. A copy moves neighbours to neighbours, so that A is transposed
 * float by float. */
template <bool QUADS>
__device__ static void start_copies(struct tiles &to, uint32_t m, uint32_t n, uint32_t k, const float *a,
                                    const float *b, uint32_t first)
{
#pragma unroll
    for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
        uint32_t element = i * THREADS + threadIdx.x;
        uint32_t row = blockIdx.y * TILE + element / DEPTH, at = first + element % DEPTH;
        start_copy(&to.a[element % DEPTH][element / DEPTH], a + (size_t)row * k + at, row < m && at < k);
    }
    uint32_t b_row = threadIdx.x / (TILE / 4), b_column = threadIdx.x % (TILE / 4) * 4;
    start_copy_quad<QUADS>(&to.b[b_row][b_column], b + (size_t)(first + b_row) * n, blockIdx.x * TILE + b_column,
                           first + b_row < k ? n : 0);
    end_copy_group();
}

__device__ static void multiply(float (&sums)[EACH][EACH], const struct tiles &tiles, uint32_t x, uint32_t y)
{
#pragma unroll
    for (int i = 0; i < DEPTH; i++) {
        float a_part[EACH], b_part[EACH];
        for (int half = 0; half < 2; half++) {
            *reinterpret_cast<float4 *>(&a_part[half * 4]) =
                *reinterpret_cast<const float4 *>(&tiles.a[i][half * TILE / 2 + y * 4]);
            *reinterpret_cast<float4 *>(&b_part[half * 4]) =
                *reinterpret_cast<const float4 *>(&tiles.b[i][half * TILE / 2 + x * 4]);
        }
        for (int r = 0; r < EACH; r++)
            for (int s = 0; s < EACH; s++)
                sums[r][s] += a_part[r] * b_part[s];
    }
}

template <bool QUADS>
__global__ __launch_bounds__(THREADS, 2) void double_buffered(uint32_t m, uint32_t n, uint32_t k, const float *a,
                                                              const float *b, float *c)
{
    __shared__ __align__(16) struct tiles buffers[2];
    uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;

    float sums[EACH][EACH] = {};
    start_copies<QUADS>(buffers[0], m, n, k, a, b, 0);
    for (uint32_t first = 0, turn = 0; first < k; first += DEPTH, turn ^= 1) {
        await_copies<0>();
        __syncthreads(); /* everybody's copies are there, and nobody reads the other buffer any more */
        start_copies<QUADS>(buffers[turn ^ 1], m, n, k, a, b, first + DEPTH);
        multiply(sums, buffers[turn], x, y);
    }

    for (int r = 0; r < EACH; r++)
        for (int half = 0; half < 2; half++) {
            const float *quad = &sums[r][half * 4];
            store_quad<QUADS>(c, m, n, blockIdx.y * TILE + r / 4 * TILE / 2 + y * 4 + r % 4,
                              blockIdx.x * TILE + half * TILE / 2 + x * 4,
                              make_float4(quad[0], quad[1], quad[2], quad[3]));
        }
}

static cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((gemm->n + TILE - 1) / TILE, (gemm->m + TILE - 1) / TILE);
    config.blockDim = THREADS;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, gemm->n % 4 == 0 ? double_buffered<true> : double_buffered<false>, gemm->m,
                              gemm->n, gemm->k, (const float *)gemm->a, (const float *)gemm->b, (float *)gemm->c);
}

const struct cuda_gemm_step lab_cuda_gemm_double_buffered = {
    CUDA_GEMM_BIT(LAB_GEMM_FP32), CUDA_GEMM_BIT(LAB_GEMM_NN), 0, 0, nullptr, launch, nullptr};
