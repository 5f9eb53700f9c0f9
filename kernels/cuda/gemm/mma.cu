// region kernel
/* Tensor cores with mma.sync, which every generation since Ampere supports. The 32 threads of a warp multiply together;
 * each holds a few elements of A and B and four sums of a 16 x 8 tile.
 *
 * A block computes BM x BN elements of C, each of its 8 warps WM x WN of them. It advances along k in stages of
 * BK_BYTES bytes of every row of A and column of B. Asynchronous copies load stages into a ring buffer in shared
 * memory, several stages ahead of the one that is multiplied; matrix loads (ldmatrix) load one step of 32 bytes from
 * there into registers while the step before is multiplied. A step has 32 bytes for all types (16 elements of bf16 and
 * fp16, 8 of tf32), so that they share this code.
 */
#include "gemm.h"

#include "mma.cuh"

#include <cstdio>
#include <type_traits>

namespace
{

enum {
    BM = 256, /* rows and columns of C per block */
    BN = 128,
    WM = 64, /* rows and columns of C per warp */
    WN = 64,
    WARPS_M = BM / WM,
    THREADS = WARPS_M * (BN / WN) * 32,
    MMA_M = 16, /* rows and columns of C of one mma.sync instruction */
    MMA_N = 8,
    FRAGMENTS_M = WM / MMA_M,
    FRAGMENTS_N = WN / MMA_N,
    CHUNK = 16,      /* bytes of one asynchronous copy */
    STEP_BYTES = 32, /* bytes along k that one instruction multiplies */
    BK_BYTES = 64,   /* bytes along k in a stage */
    STEPS = BK_BYTES / STEP_BYTES,
    K_CHUNKS = BK_BYTES / CHUNK, /* chunks along k in a stage */
    STAGES = 4,
    A_BYTES = BM * BK_BYTES,
    PADDING = 32, /* bytes; see shared_offset */
    B_BYTES = BN * BK_BYTES + BK_BYTES / 4 * PADDING,
    SHARED_BYTES = STAGES * (A_BYTES + B_BYTES), /* 98 KiB; every GPU since Ampere allows a block 99 KiB */
    GROUP_M = 8                                  /* see tile_of_block */
};

struct job {
    uint32_t m, n, k;
    const void *a, *b;
    void *c;
};

/* The elements of A and B that a thread multiplies in one step. */
struct fragments {
    uint32_t a[FRAGMENTS_M][4];
    uint32_t b[FRAGMENTS_N][2];
};

/* --- shared memory ------------------------------------------------------------------------------------------------ */

/* The offset in bytes of a chunk of a tile in shared memory, whose rows have CHUNKS chunks of 16 bytes. Eight chunks
 * are read at a time, without bank conflicts if they are in different banks. A matrix load reads the same chunk of 8
 * consecutive rows, so the chunks of a row are swizzled, differently in each of 8 rows (two rows of 64 bytes fill all
 * banks once). BY_ELEMENTS: 8 neighbouring elements in each of 4 rows are read instead, and rows are padded by 8
 * elements. */
template <int CHUNKS, bool BY_ELEMENTS = false> __device__ int shared_offset(int row, int chunk)
{
    if constexpr (BY_ELEMENTS)
        return row * (CHUNKS * CHUNK + PADDING) + chunk * CHUNK;
    int swizzle = CHUNKS >= 8 ? row % 8 : row / 2 % CHUNKS;
    return (row * CHUNKS + (chunk ^ swizzle)) * CHUNK;
}

/* For B in layout NN, whose rows in memory are along n: n_chunks is the number of chunks per row of a stage, bk the
 * number of rows of a stage, by_elements whether it is read element by element. */
template <typename Element> constexpr int n_chunks = BN * sizeof(Element) / CHUNK;
template <typename Element> constexpr int bk = BK_BYTES / sizeof(Element);
template <typename Element, lab_gemm_layout LAYOUT>
constexpr bool by_elements = LAYOUT == LAB_GEMM_NN &&std::is_same_v<Element, float>;

/* --- from global to shared memory --------------------------------------------------------------------------------- */

/* Copies one chunk, of which the first `left` elements are inside the matrix; the others become 0. */
template <typename Element, bool ALIGNED>
__device__ void copy_chunk(unsigned char *to, const Element *from, uint32_t left)
{
    if constexpr (ALIGNED) {
        copy_async(to, from, left != 0); /* rows consist of complete chunks */
    } else {
        constexpr int count = CHUNK / sizeof(Element);
        alignas(CHUNK) Element values[count];
#pragma unroll
        for (uint32_t i = 0; i < count; i++)
            values[i] = i < left ? from[i] : Element(0.0f);
        *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(values);
    }
}

/* Copies ROWS rows of CHUNKS chunks of a matrix from (row, column) on; elements outside the matrix become 0. */
template <typename Element, bool ALIGNED, int ROWS, int CHUNKS, bool BY_ELEMENTS = false>
__device__ void copy_rows(unsigned char *to, const void *matrix, uint32_t rows, uint32_t columns, uint32_t row,
                          uint32_t column)
{
    constexpr int at_once = THREADS / CHUNKS;
    static_assert(at_once % 8 == 0, "all chunks of a thread must have the same swizzle");
    int thread_row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
    row += thread_row;
    column += chunk * (CHUNK / sizeof(Element));
    to += shared_offset<CHUNKS, BY_ELEMENTS>(thread_row, chunk);
    const Element *from = static_cast<const Element *>(matrix) + (size_t)row * columns + column;
    uint32_t left = column < columns ? columns - column : 0;
#pragma unroll(ALIGNED ? ROWS / at_once : 1)
    for (int i = 0; i < ROWS; i += at_once)
        copy_chunk<Element, ALIGNED>(to + shared_offset<CHUNKS, BY_ELEMENTS>(i, 0), from + (size_t)i * columns,
                                     row + i < rows ? left : 0);
}

/* Copies a stage of A, whose rows are along k, and of B, whose rows in memory are along k in layout TN and along n in
 * NN. */
template <typename Element, lab_gemm_layout LAYOUT, bool ALIGNED>
__device__ void copy_stage(unsigned char *a, unsigned char *b, const job &job, uint32_t row, uint32_t column,
                           uint32_t first_k)
{
    copy_rows<Element, ALIGNED, BM, K_CHUNKS>(a, job.a, job.m, job.k, row, first_k);
    if constexpr (LAYOUT == LAB_GEMM_TN)
        copy_rows<Element, ALIGNED, BN, K_CHUNKS>(b, job.b, job.n, job.k, column, first_k);
    else
        copy_rows<Element, ALIGNED, bk<Element>, n_chunks<Element>, by_elements<Element, LAYOUT>>(
            b, job.b, job.k, job.n, first_k, column);
}

/* --- from shared memory to registers ------------------------------------------------------------------------------ */

/* Loads two fragments of B: 16 columns from `column` on. */
template <typename Element, lab_gemm_layout LAYOUT>
__device__ void load_b(uint32_t (&pair)[4], const unsigned char *b, int column, int step)
{
    int lane = threadIdx.x % 32;
    if constexpr (LAYOUT == LAB_GEMM_TN) {
        int row = column + lane / 16 * 8 + lane % 8, chunk = step * 2 + lane / 8 % 2;
        load_matrices(pair, b + shared_offset<K_CHUNKS>(row, chunk));
    } else if constexpr (!by_elements<Element, LAYOUT>) {
        int row = step * 16 + lane % 16, chunk = column / 8 + lane / 16;
        load_matrices_transposed(pair, b + shared_offset<n_chunks<Element>>(row, chunk));
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int row = step * 8 + i % 2 * 4 + lane % 4, at = column + i / 2 * 8 + lane / 4;
            const unsigned char *chunk = b + shared_offset<n_chunks<Element>, true>(row, at / 4);
            pair[i] = reinterpret_cast<const uint32_t *>(chunk)[at % 4];
        }
    }
}

template <typename Element, lab_gemm_layout LAYOUT>
__device__ void load_fragments(fragments &fragments, const unsigned char *a, const unsigned char *b, int row,
                               int column, int step)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < FRAGMENTS_M; i++)
        load_matrices(fragments.a[i], a + shared_offset<K_CHUNKS>(row + i * MMA_M + lane % 16, step * 2 + lane / 16));
#pragma unroll
    for (int j = 0; j < FRAGMENTS_N; j += 2) {
        uint32_t pair[4];
        load_b<Element, LAYOUT>(pair, b, column + j * MMA_N, step);
#pragma unroll
        for (int i = 0; i < 4; i++)
            fragments.b[j + i / 2][i % 2] = pair[i];
    }
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

template <typename Element>
__device__ void multiply(float (&sums)[FRAGMENTS_M][FRAGMENTS_N][4], const fragments &fragments)
{
#pragma unroll
    for (int i = 0; i < FRAGMENTS_M; i++)
#pragma unroll
        for (int j = 0; j < FRAGMENTS_N; j++)
            multiply_add<Element>(sums[i][j], fragments.a[i], fragments.b[j]);
}

/* Stores two neighbouring elements, with one instruction if the rows of C have an even number of elements. */
template <typename Element>
__device__ void store_pair(const job &job, uint32_t row, uint32_t column, float first, float second)
{
    struct alignas(2 * sizeof(Element)) pair {
        Element first, second;
    };
    Element *to = static_cast<Element *>(job.c) + (size_t)row * job.n + column;
    if (row >= job.m || column >= job.n)
        return;
    if (job.n % 2 == 0) {
        *reinterpret_cast<pair *>(to) = {Element(first), Element(second)};
    } else {
        to[0] = Element(first);
        if (column + 1 < job.n)
            to[1] = Element(second);
    }
}

template <typename Element>
__device__ void store(const float (&sums)[FRAGMENTS_M][FRAGMENTS_N][4], const job &job, uint32_t row, uint32_t column)
{
    row += threadIdx.x % 32 / 4;
    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < FRAGMENTS_M; i++) {
#pragma unroll
        for (int j = 0; j < FRAGMENTS_N; j++) {
            const float *four = sums[i][j];
            store_pair<Element>(job, row + i * MMA_M, column + j * MMA_N, four[0], four[1]);
            store_pair<Element>(job, row + i * MMA_M + 8, column + j * MMA_N, four[2], four[3]);
        }
    }
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* Blocks that run at the same time have neighbouring indices. Indices advance down groups of GROUP_M rows of tiles
 * instead of along whole rows, so that the tiles of these blocks form about a square, whose rows of A and columns of B
 * fit in the L2 cache. */
[[maybe_unused]] __device__ void tile_of_block(const job &job, uint32_t *row, uint32_t *column)
{
    uint32_t rows = (job.m + BM - 1) / BM, columns = (job.n + BN - 1) / BN;
    uint32_t first = blockIdx.x / (GROUP_M * columns) * GROUP_M, within = blockIdx.x % (GROUP_M * columns);
    uint32_t height = min((uint32_t)GROUP_M, rows - first);
    *row = (first + within % height) * BM;
    *column = within / height * BN;
}

/* Stage number `stage` along k is in slot stage % STAGES of the ring buffer. While the last step of a stage is
 * multiplied, from registers, the slot is refilled and the first step of the next stage is loaded. */
template <typename Element, lab_gemm_layout LAYOUT, bool ALIGNED>
__global__ __launch_bounds__(THREADS) void multiply_by_mma(job job)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) unsigned char shared[];
    unsigned char *a = shared, *b = shared + STAGES * A_BYTES;
    constexpr uint32_t stage_k = bk<Element>;
    uint32_t row, column, stages = (job.k + stage_k - 1) / stage_k;
    tile_of_block(job, &row, &column);
    int warp = threadIdx.x / 32, warp_row = warp % WARPS_M * WM, warp_column = warp / WARPS_M * WN;
    float sums[FRAGMENTS_M][FRAGMENTS_N][4] = {};
    fragments fragments[2];

    auto copy = [&](uint32_t stage) {
        uint32_t slot = stage % STAGES;
        if (stage < stages)
            copy_stage<Element, LAYOUT, ALIGNED>(a + slot * A_BYTES, b + slot * B_BYTES, job, row, column,
                                                 stage * stage_k);
        commit_copies(); /* an empty group after the last stage, because wait_for_copies counts groups */
    };
    auto load = [&](uint32_t stage, int step) {
        uint32_t slot = stage % STAGES;
        load_fragments<Element, LAYOUT>(fragments[step % 2], a + slot * A_BYTES, b + slot * B_BYTES, warp_row,
                                        warp_column, step);
    };

    for (uint32_t stage = 0; stage < STAGES; stage++)
        copy(stage);
    wait_for_copies<STAGES - 1>();
    __syncthreads();
    load(0, 0);
    for (uint32_t stage = 0; stage < stages; stage++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            if (step < STEPS - 1) {
                load(stage, step + 1);
            } else {
                wait_for_copies<STAGES - 2>(); /* this thread's copies of the next stage have arrived */
                __syncthreads();               /* so have all threads', and no thread still reads this stage's slot */
                load(stage + 1, 0);            /* after the last stage this loads data that is not used */
                copy(stage + STAGES);
            }
            multiply<Element>(sums, fragments[step % 2]);
        }
    }
    store<Element>(sums, job, row + warp_row, column + warp_column);
#endif
}

} // namespace
// end

namespace
{

/* --- host code ---------------------------------------------------------------------------------------------------- */

using kernel = void (*)(job);

template <typename Element> kernel kernel_of_type(bool tn, bool aligned)
{
    if (tn)
        return aligned ? multiply_by_mma<Element, LAB_GEMM_TN, true> : multiply_by_mma<Element, LAB_GEMM_TN, false>;
    return aligned ? multiply_by_mma<Element, LAB_GEMM_NN, true> : multiply_by_mma<Element, LAB_GEMM_NN, false>;
}

/* Selects the kernel. Asynchronous copies need complete, aligned chunks, so they are used only if the size of a row is
 * a multiple of CHUNK. */
kernel kernel_of(const struct cuda_gemm *gemm)
{
    bool tn = gemm->layout == LAB_GEMM_TN;
    size_t bytes = lab_gemm_element_bytes(gemm->type);
    bool aligned = gemm->k * bytes % CHUNK == 0 && (tn || gemm->n * bytes % CHUNK == 0);
    if (gemm->type == LAB_GEMM_BF16)
        return kernel_of_type<__nv_bfloat16>(tn, aligned);
    if (gemm->type == LAB_GEMM_FP16)
        return kernel_of_type<__half>(tn, aligned);
    return kernel_of_type<float>(tn, aligned);
}

cudaError_t prepare(struct cuda_gemm *gemm, const char **)
{
    return cudaFuncSetAttribute(kernel_of(gemm), cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
}

cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    uint32_t rows = (gemm->m + BM - 1) / BM, columns = (gemm->n + BN - 1) / BN;
    cudaLaunchConfig_t config = {};
    config.gridDim = rows * columns;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = SHARED_BYTES;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel_of(gemm), job{gemm->m, gemm->n, gemm->k, gemm->a, gemm->b, gemm->c});
}

void describe(const struct cuda_gemm *gemm, struct cuda_gemm_kernel *kernel)
{
    snprintf(kernel->name, sizeof kernel->name, "mma %dx%d", BM, BN);
    kernel->function = reinterpret_cast<const void *>(kernel_of(gemm));
    kernel->threads = THREADS;
    kernel->shared_bytes = SHARED_BYTES;
}

} // namespace

const struct cuda_gemm_method lab_cuda_gemm_mma = {CUDA_GEMM_BIT(LAB_GEMM_TF32) | CUDA_GEMM_BIT(LAB_GEMM_BF16) |
                                                       CUDA_GEMM_BIT(LAB_GEMM_FP16),
                                                   CUDA_GEMM_BIT(LAB_GEMM_NN) | CUDA_GEMM_BIT(LAB_GEMM_TN),
                                                   80,
                                                   0,
                                                   prepare,
                                                   launch,
                                                   nullptr,
                                                   describe};
