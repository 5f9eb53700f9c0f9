/* mma: tensor cores, by the instruction that every generation since Ampere has. The 32 threads of a warp multiply
 * together; each holds a few elements of A and B and four sums of a 16 x 8 tile.
 *
 * A block computes 256 x 128 elements of C, each of its 8 warps 64 x 64 of them. Along k it goes by stages of 64
 * bytes of every row of A and column of B: asynchronous copies bring stages into a ring in shared memory, several ahead
 * of the one that is multiplied, and matrix loads bring one step of 32 bytes from there into registers while the step
 * before is multiplied. All types have 32 bytes to a step (16 elements of bf16 and fp16, 8 of tf32), so that one text
 * serves all.
 */
#include "gemm.h"

#include "mma.cuh"

#include <type_traits>

namespace
{

enum {
    TILE_ROWS = 256,
    TILE_COLUMNS = 128,
    WARP_ROWS = 64,
    WARP_COLUMNS = 64,
    WARPS_DOWN = TILE_ROWS / WARP_ROWS,
    THREADS = WARPS_DOWN * (TILE_COLUMNS / WARP_COLUMNS) * 32,
    MULTIPLY_ROWS = 16, /* of the tensor cores' instruction */
    MULTIPLY_COLUMNS = 8,
    FRAGMENTS_DOWN = WARP_ROWS / MULTIPLY_ROWS,
    FRAGMENTS_ACROSS = WARP_COLUMNS / MULTIPLY_COLUMNS,
    PIECE = 16,       /* bytes that are copied as one */
    STEP_BYTES = 32,  /* along k, of one multiplication */
    STAGE_BYTES = 64, /* along k, of a stage */
    STEPS = STAGE_BYTES / STEP_BYTES,
    PIECES_ALONG = STAGE_BYTES / PIECE, /* of a row along k */
    STAGES = 4,
    A_BYTES = TILE_ROWS * STAGE_BYTES,
    PADDING = 32, /* bytes: see place */
    B_BYTES = TILE_COLUMNS * STAGE_BYTES + STAGE_BYTES / 4 * PADDING,
    SHARED_BYTES = STAGES * (A_BYTES + B_BYTES), /* 98 KiB: every GPU since Ampere can give a block 99 */
    BAND = 8                                     /* see tile_of_block */
};

struct job {
    uint32_t m, n, k;
    const void *a, *b;
    void *c;
};

/* What a thread holds for one step. */
struct fragments {
    uint32_t a[FRAGMENTS_DOWN][4];
    uint32_t b[FRAGMENTS_ACROSS][2];
};

/* --- shared memory ------------------------------------------------------------------------------------------------ */

/* A tile in shared memory: rows of PIECES pieces of 16 bytes. Eight pieces are read at a time, which takes one turn
 * when they lie in different banks. A matrix load reads pieces of 8 rows below each other: so pieces are swapped within
 * their row, differently in each of 8 rows (rows of 64 bytes lie two to a line of banks). BY_ELEMENTS: 8 neighbours in
 * each of 4 rows are read instead, and rows are padded by 8 elements. */
template <int PIECES, bool BY_ELEMENTS = false> __device__ int place(int row, int piece)
{
    if constexpr (BY_ELEMENTS)
        return row * (PIECES * PIECE + PADDING) + piece * PIECE;
    int swap = PIECES >= 8 ? row % 8 : row / 2 % PIECES;
    return (row * PIECES + (piece ^ swap)) * PIECE;
}

/* How B is stored and read; its rows across are those along n, of layout NN. */
template <typename Element> constexpr int pieces_across = TILE_COLUMNS * sizeof(Element) / PIECE;
template <typename Element> constexpr int depth_of_stage = STAGE_BYTES / sizeof(Element);
template <typename Element, lab_gemm_layout LAYOUT>
constexpr bool by_elements = LAYOUT == LAB_GEMM_NN &&std::is_same_v<Element, float>;

/* --- from global to shared memory --------------------------------------------------------------------------------- */

/* Brings up to `left` elements of one piece; the rest of it is zeros. */
template <typename Element, bool ALIGNED>
__device__ void copy_piece(unsigned char *to, const Element *from, uint32_t left)
{
    if constexpr (ALIGNED) {
        copy_async(to, from, left != 0); /* rows are whole pieces */
    } else {
        constexpr int count = PIECE / sizeof(Element);
        alignas(PIECE) Element values[count];
#pragma unroll
        for (uint32_t i = 0; i < count; i++)
            values[i] = i < left ? from[i] : Element(0.0f);
        *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(values);
    }
}

/* Brings ROWS rows of PIECES pieces of a matrix, from (row, column) on; what lies outside is zeros. */
template <typename Element, bool ALIGNED, int ROWS, int PIECES, bool BY_ELEMENTS = false>
__device__ void copy_rows(unsigned char *to, const void *matrix, uint32_t rows, uint32_t columns, uint32_t row,
                          uint32_t column)
{
    constexpr int at_once = THREADS / PIECES;
    static_assert(at_once % 8 == 0, "a thread's pieces are all swapped alike");
    int below = threadIdx.x / PIECES, piece = threadIdx.x % PIECES;
    row += below;
    column += piece * (PIECE / sizeof(Element));
    to += place<PIECES, BY_ELEMENTS>(below, piece);
    const Element *from = static_cast<const Element *>(matrix) + (size_t)row * columns + column;
    uint32_t left = column < columns ? columns - column : 0;
#pragma unroll(ALIGNED ? ROWS / at_once : 1)
    for (int i = 0; i < ROWS; i += at_once)
        copy_piece<Element, ALIGNED>(to + place<PIECES, BY_ELEMENTS>(i, 0), from + (size_t)i * columns,
                                     row + i < rows ? left : 0);
}

/* Brings a stage of A, whose rows lie along k, and of B, whose columns lie along k in layout TN and across it in NN. */
template <typename Element, lab_gemm_layout LAYOUT, bool ALIGNED>
__device__ void copy_stage(unsigned char *a, unsigned char *b, const job &job, uint32_t row, uint32_t column,
                           uint32_t depth)
{
    copy_rows<Element, ALIGNED, TILE_ROWS, PIECES_ALONG>(a, job.a, job.m, job.k, row, depth);
    if constexpr (LAYOUT == LAB_GEMM_TN)
        copy_rows<Element, ALIGNED, TILE_COLUMNS, PIECES_ALONG>(b, job.b, job.n, job.k, column, depth);
    else
        copy_rows<Element, ALIGNED, depth_of_stage<Element>, pieces_across<Element>, by_elements<Element, LAYOUT>>(
            b, job.b, job.k, job.n, depth, column);
}

/* --- from shared memory to registers ------------------------------------------------------------------------------ */

/* Two fragments of B at once: 16 columns from `column` on. */
template <typename Element, lab_gemm_layout LAYOUT>
__device__ void load_b(uint32_t (&pair)[4], const unsigned char *b, int column, int step)
{
    int lane = threadIdx.x % 32;
    if constexpr (LAYOUT == LAB_GEMM_TN) {
        int row = column + lane / 16 * 8 + lane % 8, piece = step * 2 + lane / 8 % 2;
        load_matrices(pair, b + place<PIECES_ALONG>(row, piece));
    } else if constexpr (!by_elements<Element, LAYOUT>) {
        int row = step * 16 + lane % 16, piece = column / 8 + lane / 16;
        load_matrices_transposed(pair, b + place<pieces_across<Element>>(row, piece));
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int row = step * 8 + i % 2 * 4 + lane % 4, at = column + i / 2 * 8 + lane / 4;
            const unsigned char *piece = b + place<pieces_across<Element>, true>(row, at / 4);
            pair[i] = reinterpret_cast<const uint32_t *>(piece)[at % 4];
        }
    }
}

template <typename Element, lab_gemm_layout LAYOUT>
__device__ void load_fragments(fragments &fragments, const unsigned char *a, const unsigned char *b, int row,
                               int column, int step)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < FRAGMENTS_DOWN; i++)
        load_matrices(fragments.a[i],
                      a + place<PIECES_ALONG>(row + i * MULTIPLY_ROWS + lane % 16, step * 2 + lane / 16));
#pragma unroll
    for (int j = 0; j < FRAGMENTS_ACROSS; j += 2) {
        uint32_t pair[4];
        load_b<Element, LAYOUT>(pair, b, column + j * MULTIPLY_COLUMNS, step);
#pragma unroll
        for (int i = 0; i < 4; i++)
            fragments.b[j + i / 2][i % 2] = pair[i];
    }
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

template <typename Element>
__device__ void multiply(float (&sums)[FRAGMENTS_DOWN][FRAGMENTS_ACROSS][4], const fragments &fragments)
{
#pragma unroll
    for (int i = 0; i < FRAGMENTS_DOWN; i++)
#pragma unroll
        for (int j = 0; j < FRAGMENTS_ACROSS; j++)
            multiply_add<Element>(sums[i][j], fragments.a[i], fragments.b[j]);
}

/* Two neighbours at once where rows of C hold whole pairs. */
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
__device__ void store(const float (&sums)[FRAGMENTS_DOWN][FRAGMENTS_ACROSS][4], const job &job, uint32_t row,
                      uint32_t column)
{
    row += threadIdx.x % 32 / 4;
    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < FRAGMENTS_DOWN; i++) {
#pragma unroll
        for (int j = 0; j < FRAGMENTS_ACROSS; j++) {
            const float *four = sums[i][j];
            store_pair<Element>(job, row + i * MULTIPLY_ROWS, column + j * MULTIPLY_COLUMNS, four[0], four[1]);
            store_pair<Element>(job, row + i * MULTIPLY_ROWS + 8, column + j * MULTIPLY_COLUMNS, four[2], four[3]);
        }
    }
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* Blocks that run at the same time have neighbouring numbers. Numbers run down bands of BAND rows of tiles instead of
 * along whole rows, so that these blocks' tiles make up about a square, whose rows of A and columns of B are few enough
 * to stay in the L2 cache. */
[[maybe_unused]] __device__ void tile_of_block(const job &job, uint32_t *row, uint32_t *column)
{
    uint32_t rows = (job.m + TILE_ROWS - 1) / TILE_ROWS, columns = (job.n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint32_t first = blockIdx.x / (BAND * columns) * BAND, within = blockIdx.x % (BAND * columns);
    uint32_t height = min((uint32_t)BAND, rows - first);
    *row = (first + within % height) * TILE_ROWS;
    *column = within / height * TILE_COLUMNS;
}

/* The ring: stage number `stage` of the whole depth is in slot stage % STAGES. While a stage's last step is multiplied,
 * which is in registers by then, its slot is filled again and the next stage's first step is loaded. */
template <typename Element, lab_gemm_layout LAYOUT, bool ALIGNED>
__global__ __launch_bounds__(THREADS) void multiply_by_mma(job job)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) unsigned char shared[];
    unsigned char *a = shared, *b = shared + STAGES * A_BYTES;
    constexpr uint32_t depth = depth_of_stage<Element>;
    uint32_t row, column, stages = (job.k + depth - 1) / depth;
    tile_of_block(job, &row, &column);
    int warp = threadIdx.x / 32, down = warp % WARPS_DOWN * WARP_ROWS, across = warp / WARPS_DOWN * WARP_COLUMNS;
    float sums[FRAGMENTS_DOWN][FRAGMENTS_ACROSS][4] = {};
    fragments fragments[2];

    auto copy = [&](uint32_t stage) {
        uint32_t slot = stage % STAGES;
        if (stage < stages)
            copy_stage<Element, LAYOUT, ALIGNED>(a + slot * A_BYTES, b + slot * B_BYTES, job, row, column,
                                                 stage * depth);
        commit_copies(); /* of nothing at the end, so that the count of groups stays right */
    };
    auto load = [&](uint32_t stage, int step) {
        uint32_t slot = stage % STAGES;
        load_fragments<Element, LAYOUT>(fragments[step % 2], a + slot * A_BYTES, b + slot * B_BYTES, down, across,
                                        step);
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
                wait_for_copies<STAGES - 2>(); /* this thread's part of the next stage is there */
                __syncthreads();               /* so is everybody's, and nobody reads this stage's slot any more */
                load(stage + 1, 0);            /* after the last stage: something, which is not used */
                copy(stage + STAGES);
            }
            multiply<Element>(sums, fragments[step % 2]);
        }
    }
    store<Element>(sums, job, row + down, column + across);
#endif
}

/* --- the host's side ---------------------------------------------------------------------------------------------- */

using kernel = void (*)(job);

template <typename Element> kernel kernel_of_type(bool tn, bool aligned)
{
    if (tn)
        return aligned ? multiply_by_mma<Element, LAB_GEMM_TN, true> : multiply_by_mma<Element, LAB_GEMM_TN, false>;
    return aligned ? multiply_by_mma<Element, LAB_GEMM_NN, true> : multiply_by_mma<Element, LAB_GEMM_NN, false>;
}

/* Asynchronous copies move whole pieces from addresses that are multiples of theirs: rows must be such multiples too.
 */
kernel kernel_of(const struct cuda_gemm *gemm)
{
    bool tn = gemm->layout == LAB_GEMM_TN;
    size_t bytes = lab_gemm_element_bytes(gemm->type);
    bool aligned = gemm->k * bytes % PIECE == 0 && (tn || gemm->n * bytes % PIECE == 0);
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
    uint32_t rows = (gemm->m + TILE_ROWS - 1) / TILE_ROWS, columns = (gemm->n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    cudaLaunchConfig_t config = {};
    config.gridDim = rows * columns;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = SHARED_BYTES;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel_of(gemm), job{gemm->m, gemm->n, gemm->k, gemm->a, gemm->b, gemm->c});
}

} // namespace

const struct cuda_gemm_step lab_cuda_gemm_mma = {CUDA_GEMM_BIT(LAB_GEMM_TF32) | CUDA_GEMM_BIT(LAB_GEMM_BF16) |
                                                     CUDA_GEMM_BIT(LAB_GEMM_FP16),
                                                 CUDA_GEMM_BIT(LAB_GEMM_NN) | CUDA_GEMM_BIT(LAB_GEMM_TN),
                                                 80,
                                                 0,
                                                 prepare,
                                                 launch,
                                                 nullptr};
