/* Double buffering: shared memory has two buffers for the tiles. While the threads multiply the tiles in one buffer,
 * asynchronous copies (cp.async) load the next tiles into the other, directly from global to shared memory without
 * registers. Threads wait for them only in the next iteration, and one barrier per iteration is enough instead of two.
 */

// step double-buffered "Double buffering" shows copies.cuh, double_buffered.cu
/* Each tile has two buffers. While the threads multiply the contents of one, the next tiles of A and B are copied into
 * the other by asynchronous copies that bypass the registers (cp.async, from sm_80 on; older GPUs load and store).
 * Only one barrier per tile is needed instead of two.
 *
 * The time spent waiting for global memory disappears. An asynchronous copy cannot transpose, so A is copied float by
 * float: four copies instead of one, about 5 % more instructions. (Loading into registers and storing after the
 * multiplication, as on a GPU without such copies, avoids this and can be slightly faster.) The remaining limits are
 * in the multiplication: 128 registers per thread, two blocks per multiprocessor, and multiply-adds that wait for
 * their operands, which the next step addresses. */
#include "copies.cuh"

enum {
    BM = 128, /* rows and columns of C per block */
    BN = 128,
    BK = 8, /* columns of A and rows of B in a buffer */
    TM = 8, /* rows and columns of C per thread */
    TN = 8,
    THREADS_N = BN / TN,
    THREADS = BM / TM * THREADS_N,
    PADDING = 4
};

struct tiles {
    float a[BK][BM + PADDING], b[BK][BN];
};

/* Starts to copy BK columns of A and rows of B, from index `first` of k on. A is copied float by float, because it is
 * transposed. */
template <bool VECTORS>
__device__ static void start_copies(struct tiles &to, uint32_t m, uint32_t n, uint32_t k, const float *a,
                                    const float *b, uint32_t first)
{
#pragma unroll
    for (int i = 0; i < BM * BK / THREADS; i++) {
        uint32_t element = i * THREADS + threadIdx.x;
        uint32_t row = blockIdx.y * BM + element / BK, at = first + element % BK;
        start_copy(&to.a[element % BK][element / BK], a + (size_t)row * k + at, row < m && at < k);
    }
    uint32_t b_row = threadIdx.x / (BN / 4), b_column = threadIdx.x % (BN / 4) * 4;
    start_copy_float4<VECTORS>(&to.b[b_row][b_column], b + (size_t)(first + b_row) * n, blockIdx.x * BN + b_column,
                               first + b_row < k ? n : 0);
    end_copy_group();
}

__device__ static void multiply(float (&sums)[TM][TN], const struct tiles &tiles, uint32_t x, uint32_t y)
{
#pragma unroll
    for (int i = 0; i < BK; i++) {
        float a_part[TM], b_part[TN];
        for (int half = 0; half < 2; half++) {
            *reinterpret_cast<float4 *>(&a_part[half * 4]) =
                *reinterpret_cast<const float4 *>(&tiles.a[i][half * BM / 2 + y * 4]);
            *reinterpret_cast<float4 *>(&b_part[half * 4]) =
                *reinterpret_cast<const float4 *>(&tiles.b[i][half * BN / 2 + x * 4]);
        }
        for (int r = 0; r < TM; r++)
            for (int s = 0; s < TN; s++)
                sums[r][s] += a_part[r] * b_part[s];
    }
}

template <bool VECTORS>
__device__ static void multiply_all(uint32_t m, uint32_t n, uint32_t k, const float *a, const float *b, float *c)
{
    __shared__ __align__(16) struct tiles buffers[2];
    uint32_t x = threadIdx.x % THREADS_N, y = threadIdx.x / THREADS_N;

    float sums[TM][TN] = {};
    start_copies<VECTORS>(buffers[0], m, n, k, a, b, 0);
    for (uint32_t first = 0, buffer = 0; first < k; first += BK, buffer ^= 1) {
        await_copies<0>();
        __syncthreads(); /* all threads' copies have arrived, and no thread still reads the other buffer */
        start_copies<VECTORS>(buffers[buffer ^ 1], m, n, k, a, b, first + BK);
        multiply(sums, buffers[buffer], x, y);
    }

    for (int r = 0; r < TM; r++)
        for (int half = 0; half < 2; half++) {
            const float *four = &sums[r][half * 4];
            store_float4<VECTORS>(c, m, n, blockIdx.y * BM + r / 4 * BM / 2 + y * 4 + r % 4,
                                  blockIdx.x * BN + half * BN / 2 + x * 4,
                                  make_float4(four[0], four[1], four[2], four[3]));
        }
}

/* n is a multiple of 4. */
extern "C" __global__ __launch_bounds__(THREADS, 2) void double_buffered_aligned(uint32_t m, uint32_t n, uint32_t k,
                                                                                 const float *a, const float *b,
                                                                                 float *c)
{
    multiply_all<true>(m, n, k, a, b, c);
}

extern "C" __global__ __launch_bounds__(THREADS, 2) void double_buffered(uint32_t m, uint32_t n, uint32_t k,
                                                                         const float *a, const float *b, float *c)
{
    multiply_all<false>(m, n, k, a, b, c);
}
