// region kernel
/* fp64 by the tensor cores with mma.sync, on Hopper. A warp multiplies 16 x 16 by 16 x 8 numbers of 8 bytes with one
 * instruction, twice as fast as the fp64 cores do.
 *
 * A block computes BM x BN elements of C, each of its warps WM x WN of them. It advances along k in stages of BK. As in
 * mma.cu, asynchronous copies load stages into a ring buffer in shared memory, several stages ahead of the one that is
 * multiplied, and the numbers of the next instructions are loaded into registers while those of the current ones are
 * multiplied. There are no matrix loads for numbers of 8 bytes: a thread reads each from shared memory, where rows are
 * padded by 4 numbers, so that the numbers that half a warp reads together are in different banks.
 */
#include "gemm.h"

#include "mma.cuh"

#include <cstdio>

namespace
{

enum {
    BK = 16, /* numbers along k in a stage, and of one instruction */
    MMA_M = 16,
    MMA_N = 8,
    PADDING = 4, /* numbers after each row in shared memory */
    GROUP_M = 8  /* see tile_of_block */
};

struct job {
    uint32_t m, n, k;
    const double *a, *b;
    double *c;
};

/* The sizes of a block. */
template <int BM_, int BN_, int WM_, int WN_, int STEP_, int STAGES_, int BLOCKS_> struct Shape {
    enum {
        BM = BM_,
        BN = BN_,
        WM = WM_,
        WN = WN_,
        STEP = STEP_, /* numbers along k that are multiplied from registers: 4 or 8 */
        STEPS = BK / STEP,
        STAGES = STAGES_,
        BLOCKS = BLOCKS_, /* per multiprocessor */
        WARPS_M = BM / WM,
        THREADS = WARPS_M * (BN / WN) * 32,
        FRAGMENTS_M = WM / MMA_M,
        FRAGMENTS_N = WN / MMA_N,
        A_NUMBERS = BM * (BK + PADDING),
        B_NUMBERS = BN * (BK + PADDING) > BK *(BN + PADDING) ? BN *(BK + PADDING) : BK *(BN + PADDING),
        SHARED_BYTES = STAGES * (A_NUMBERS + B_NUMBERS) * 8
    };
};

/* --- from global to shared memory --------------------------------------------------------------------------------- */

/* Copies ROWS rows of COLUMNS numbers of a matrix from (row, column) on; numbers outside the matrix become 0. ALIGNED: its
 * rows begin at multiples of 16 bytes, so that two numbers are copied at a time. */
template <int ROWS, int COLUMNS, int THREADS, bool ALIGNED>
__device__ void copy_rows(double *to, const double *matrix, uint32_t rows, uint32_t columns, uint32_t row,
                          uint32_t column)
{
    constexpr int at_once = ALIGNED ? 2 : 1, copies = ROWS * COLUMNS / at_once;
#pragma unroll
    for (int i = threadIdx.x; i < copies; i += THREADS) {
        uint32_t r = i / (COLUMNS / at_once), c = i % (COLUMNS / at_once) * at_once;
        bool inside = row + r < rows && column + c < columns;
        const double *from = inside ? matrix + (size_t)(row + r) * columns + column + c : matrix;
        if constexpr (ALIGNED)
            copy_async(to + r * (COLUMNS + PADDING) + c, from, inside);
        else
            copy_async_8(to + r * (COLUMNS + PADDING) + c, from, inside);
    }
}

/* Copies a stage of A, whose rows are along k, and of B, whose rows in memory are along k in layout TN and along n in NN. */
template <class Shape, lab_gemm_layout LAYOUT, bool ALIGNED>
__device__ void copy_stage(double *a, double *b, const job &job, uint32_t row, uint32_t column, uint32_t first_k)
{
    copy_rows<Shape::BM, BK, Shape::THREADS, ALIGNED>(a, job.a, job.m, job.k, row, first_k);
    if constexpr (LAYOUT == LAB_GEMM_TN)
        copy_rows<Shape::BN, BK, Shape::THREADS, ALIGNED>(b, job.b, job.n, job.k, column, first_k);
    else
        copy_rows<BK, Shape::BN, Shape::THREADS, ALIGNED>(b, job.b, job.k, job.n, first_k, column);
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

/* The numbers of A and B that a thread multiplies in one step. With g = lane / 4 and t = lane % 4 these are, of each fragment
 * of A, rows g and g + 8, of B column g, at t along k, and at t + 4 if the step has 8 numbers. */
template <class Shape> struct Fragments {
    double a[Shape::FRAGMENTS_M][Shape::STEP / 2];
    double b[Shape::FRAGMENTS_N][Shape::STEP / 4];
};

template <class Shape, lab_gemm_layout LAYOUT>
__device__ void load_fragments(Fragments<Shape> &fragments, const double *a, const double *b, int row, int column,
                               int step)
{
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 + step * Shape::STEP;
#pragma unroll
    for (int i = 0; i < Shape::FRAGMENTS_M; i++)
#pragma unroll
        for (int j = 0; j < Shape::STEP / 2; j++)
            fragments.a[i][j] = a[(row + i * MMA_M + g + j % 2 * 8) * (BK + PADDING) + t + j / 2 * 4];
#pragma unroll
    for (int i = 0; i < Shape::FRAGMENTS_N; i++)
#pragma unroll
        for (int j = 0; j < Shape::STEP / 4; j++)
            fragments.b[i][j] = LAYOUT == LAB_GEMM_TN ? b[(column + i * MMA_N + g) * (BK + PADDING) + t + j * 4]
                                                      : b[(t + j * 4) * (Shape::BN + PADDING) + column + i * MMA_N + g];
}

template <class Shape> using Sums = double[Shape::FRAGMENTS_M][Shape::FRAGMENTS_N][4];

template <class Shape> __device__ void multiply(Sums<Shape> &sums, const Fragments<Shape> &fragments)
{
#pragma unroll
    for (int i = 0; i < Shape::FRAGMENTS_M; i++)
#pragma unroll
        for (int j = 0; j < Shape::FRAGMENTS_N; j++)
            multiply_add_fp64(sums[i][j], fragments.a[i], fragments.b[j]);
}

/* Stores two neighbouring elements, with one instruction if the rows of C have an even number of elements. */
__device__ void store_pair(const job &job, uint32_t row, uint32_t column, double first, double second)
{
    double *to = job.c + (size_t)row * job.n + column;
    if (row >= job.m || column >= job.n)
        return;
    if (job.n % 2 == 0) {
        *reinterpret_cast<double2 *>(to) = make_double2(first, second);
    } else {
        to[0] = first;
        if (column + 1 < job.n)
            to[1] = second;
    }
}

template <class Shape> __device__ void store(const Sums<Shape> &sums, const job &job, uint32_t row, uint32_t column)
{
    row += threadIdx.x % 32 / 4;
    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < Shape::FRAGMENTS_M; i++)
#pragma unroll
        for (int j = 0; j < Shape::FRAGMENTS_N; j++) {
            const double *four = sums[i][j];
            store_pair(job, row + i * MMA_M, column + j * MMA_N, four[0], four[1]);
            store_pair(job, row + i * MMA_M + 8, column + j * MMA_N, four[2], four[3]);
        }
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* As in mma.cu: the blocks that run at the same time have tiles that form about a square. */
template <class Shape> __device__ void tile_of_block(const job &job, uint32_t *row, uint32_t *column)
{
    uint32_t rows = (job.m + Shape::BM - 1) / Shape::BM, columns = (job.n + Shape::BN - 1) / Shape::BN;
    uint32_t first = blockIdx.x / (GROUP_M * columns) * GROUP_M, within = blockIdx.x % (GROUP_M * columns);
    uint32_t height = min((uint32_t)GROUP_M, rows - first);
    *row = (first + within % height) * Shape::BM;
    *column = within / height * Shape::BN;
}

/* Stage number `stage` along k is in slot stage % STAGES of the ring buffer. While a step is multiplied,
 * from registers, the next one is loaded. */
template <class Shape, lab_gemm_layout LAYOUT, bool ALIGNED>
__global__ __launch_bounds__(Shape::THREADS, Shape::BLOCKS) void multiply_by_mma_fp64(job job)
{
#if __CUDA_ARCH__ == 900
    extern __shared__ __align__(16) double shared_numbers[];
    double *a = shared_numbers, *b = shared_numbers + Shape::STAGES * Shape::A_NUMBERS;
    uint32_t row, column, stages = (job.k + BK - 1) / BK;
    tile_of_block<Shape>(job, &row, &column);
    int warp = threadIdx.x / 32, warp_row = warp % Shape::WARPS_M * Shape::WM;
    int warp_column = warp / Shape::WARPS_M * Shape::WN;
    Sums<Shape> sums = {};
    Fragments<Shape> fragments[2];

    auto copy = [&](uint32_t stage) {
        uint32_t slot = stage % Shape::STAGES;
        if (stage < stages)
            copy_stage<Shape, LAYOUT, ALIGNED>(a + slot * Shape::A_NUMBERS, b + slot * Shape::B_NUMBERS, job, row,
                                               column, stage * BK);
        commit_copies(); /* an empty group after the last stage, because wait_for_copies counts groups */
    };
    auto load = [&](uint32_t stage, int step) {
        uint32_t slot = stage % Shape::STAGES;
        load_fragments<Shape, LAYOUT>(fragments[step % 2], a + slot * Shape::A_NUMBERS, b + slot * Shape::B_NUMBERS,
                                      warp_row, warp_column, step);
    };

    for (uint32_t stage = 0; stage < Shape::STAGES - 1; stage++)
        copy(stage);
    wait_for_copies<Shape::STAGES - 2>();
    __syncthreads();
    load(0, 0);
    for (uint32_t stage = 0; stage < stages; stage++) {
#pragma unroll
        for (int step = 0; step < Shape::STEPS; step++) {
            if (step == 0)
                copy(stage + Shape::STAGES - 1); /* into the slot of the stage before, which all threads have read */
            if (step < Shape::STEPS - 1) {
                load(stage, step + 1);
            } else {
                wait_for_copies<Shape::STAGES - 2>(); /* this thread's copies of the next stage have arrived */
                __syncthreads();                      /* so have all threads', and all have read this stage */
                load(stage + 1, 0);                   /* after the last stage this loads data that is not used */
            }
            multiply<Shape>(sums, fragments[step % 2]);
        }
    }
    store<Shape>(sums, job, row + warp_row, column + warp_column);
#endif
}

} // namespace
// end kernel

namespace
{

/* --- host code ---------------------------------------------------------------------------------------------------- */

using kernel = void (*)(job);

struct instance {
    kernel kernels[LAB_GEMM_LAYOUTS][2]; /* by layout, and by whether rows are aligned */
    uint32_t bm, bn, blocks, threads, shared_bytes;
};

template <class Shape> instance instance_of()
{
    return {{{multiply_by_mma_fp64<Shape, LAB_GEMM_NN, false>, multiply_by_mma_fp64<Shape, LAB_GEMM_NN, true>},
             {multiply_by_mma_fp64<Shape, LAB_GEMM_TN, false>, multiply_by_mma_fp64<Shape, LAB_GEMM_TN, true>}},
            Shape::BM,
            Shape::BN,
            Shape::BLOCKS,
            Shape::THREADS,
            Shape::SHARED_BYTES};
}

/* Large tiles read A and B less often; small ones are enough for all multiprocessors if C is small. */
const instance instances[] = {
    instance_of<Shape<128, 128, 64, 32, 4, 4, 1>>(),
    instance_of<Shape<64, 64, 32, 32, 8, 4, 2>>(),
    instance_of<Shape<32, 64, 16, 32, 8, 4, 3>>(),
};

/* The instance whose tiles, one after the other on each multiprocessor, take the least time: the number of rounds, times the
 * tile's size and what its traffic costs. */
const instance &instance_for(const struct cuda_gemm *gemm)
{
    const instance *best = &instances[0];
    double least = 0;
    for (const instance &one : instances) {
        uint64_t tiles = (uint64_t)((gemm->m + one.bm - 1) / one.bm) * ((gemm->n + one.bn - 1) / one.bn);
        uint64_t at_once = (uint64_t)gemm->multiprocessors * one.blocks;
        double traffic = 1 + 8.0 / one.bm + 8.0 / one.bn;
        double time = (double)((tiles + at_once - 1) / at_once) * one.blocks * one.bm * one.bn * traffic;
        if (&one == &instances[0] || time < least) {
            best = &one;
            least = time;
        }
    }
    return *best;
}

kernel kernel_of(const struct cuda_gemm *gemm)
{
    bool aligned = gemm->k % 2 == 0 && (gemm->layout == LAB_GEMM_TN || gemm->n % 2 == 0);
    return instance_for(gemm).kernels[gemm->layout][aligned];
}

cudaError_t prepare(struct cuda_gemm *gemm, const char **)
{
    return cudaFuncSetAttribute(kernel_of(gemm), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)instance_for(gemm).shared_bytes);
}

cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    const instance &chosen = instance_for(gemm);
    cudaLaunchConfig_t config = {};
    config.gridDim = ((gemm->m + chosen.bm - 1) / chosen.bm) * ((gemm->n + chosen.bn - 1) / chosen.bn);
    config.blockDim = chosen.threads;
    config.dynamicSmemBytes = chosen.shared_bytes;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel_of(gemm),
                              job{gemm->m, gemm->n, gemm->k, static_cast<const double *>(gemm->a),
                                  static_cast<const double *>(gemm->b), static_cast<double *>(gemm->c)});
}

void describe(const struct cuda_gemm *gemm, struct cuda_gemm_kernel *kernel)
{
    const instance &chosen = instance_for(gemm);
    snprintf(kernel->name, sizeof kernel->name, "mma %ux%u", chosen.bm, chosen.bn);
    kernel->function = reinterpret_cast<const void *>(kernel_of(gemm));
    kernel->threads = chosen.threads;
    kernel->shared_bytes = chosen.shared_bytes;
}

} // namespace

const struct cuda_gemm_step lab_cuda_gemm_mma_fp64 = {CUDA_GEMM_BIT(LAB_GEMM_FP64),
                                                      CUDA_GEMM_BIT(LAB_GEMM_NN) | CUDA_GEMM_BIT(LAB_GEMM_TN),
                                                      90,
                                                      90,
                                                      prepare,
                                                      launch,
                                                      nullptr,
                                                      describe};
