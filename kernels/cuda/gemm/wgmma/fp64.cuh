/* The consumers for fp64: multiply by mma.sync. Each of the four warps of a consumer computes 32 rows: with BN / 2
 * columns if the consumer has 64 rows, with BN / 4 if it has 32. It does so in fragments of 16 rows of A and of 8
 * columns of B, and an instruction multiplies all 16 numbers along k of a stage. With g = lane / 4 and t = lane % 4, a
 * thread holds of A the rows g and g + 8 and of B the column g, at t, t + 4, t + 8 and t + 12 along k.
 *
 * In shared memory a row has 8 chunks of 16 bytes: two numbers along k, or along n in boxes of B in layout NN. Chunk c
 * of row r is at place c ^ r % 8 (the swizzle). Which row of A and which column of B the instruction gets as g is free.
 * They are chosen such that the 16 threads that read at a time read from different banks. */
#ifndef LAB_CUDA_GEMM_WGMMA_FP64_CUH
#define LAB_CUDA_GEMM_WGMMA_FP64_CUH

#include "../mma.cuh"
#include "block.cuh"

namespace
{

enum {
    FRAGMENT_M = 16,
    FRAGMENT_N = 8,
    WARP_M = 32, /* rows of a warp */
    FRAGMENTS_M = WARP_M / FRAGMENT_M,
    CHUNK = 16,   /* bytes */
    BOX_N = 16,   /* columns of a box of B in layout NN */
    QUARTERS = 4, /* of a stage */
    QUARTER = 32  /* bytes along k: the numbers of t = 0 to 3 */
};

/* The number of warps that have the same rows, and the columns of each. */
template <class Shape> constexpr int warps_n = WARPGROUP / 32 * WARP_M / Shape::ROWS;
template <class Shape> constexpr int warp_columns = Shape::BN / warps_n<Shape>;
template <class Shape> constexpr int fragments_n = warp_columns<Shape> / FRAGMENT_N;

/* The first row and column of a warp in the tile. */
template <class Shape> __device__ uint32_t warp_row(Thread thread)
{
    return thread.consumer * Shape::ROWS + thread.index / 32 / warps_n<Shape> * WARP_M;
}
template <class Shape> __device__ uint32_t warp_column(Thread thread)
{
    return thread.index / 32 % warps_n<Shape> * warp_columns<Shape>;
}

/* The row of A, of the 8 of a fragment's half, that is g; the column of B in layout TN. */
__device__ uint32_t line_fp64(uint32_t g)
{
    return g % 4 * 2 + g / 4;
}

/* The column of B that is g, from the first column of the warp on. In layout NN, of the 16 columns of
 * a box an even fragment has 0 to 3 and 8 to 11, the odd one after it 4 to 7 and 12 to 15. */
template <lab_gemm_layout LAYOUT> __device__ uint32_t column_fp64(uint32_t g, int fragment)
{
    return LAYOUT == LAB_GEMM_TN ? fragment * FRAGMENT_N + line_fp64(g)
                                 : fragment / 2 * BOX_N + fragment % 2 * 4 + g / 2 % 2 * 8 + g / 4 * 2 + g % 2;
}

/* The addresses in shared memory, in the first stage, of a thread's numbers of its first row of A and column of B:
 * a[quarter]; b[quarter] in layout TN, b[fragment % 2 * 2 + quarter % 2] in layout NN. */
struct AddressesFp64 {
    uint32_t a[QUARTERS], b[QUARTERS];
};

template <lab_gemm_layout LAYOUT, class Shape>
__device__ AddressesFp64 addresses_fp64(const Shared<Shape> &shared, Thread thread)
{
    uint32_t g = thread.index % 32 / 4, t = thread.index % 4, line = line_fp64(g), n = column_fp64<LAYOUT>(g, 0);
    uint32_t row = warp_row<Shape>(thread) + line, column = warp_column<Shape>(thread);
    uint32_t along_k = (t / 2 ^ line) * CHUNK + t % 2 * 8, along_n = (n / 2 ^ t) * CHUNK + n % 2 * 8;
    AddressesFp64 at;
    for (int i = 0; i < QUARTERS; i++) {
        at.a[i] = kept(shared_address(shared.a[0]) + row * WIDTH + (along_k ^ i * QUARTER));
        at.b[i] =
            kept(shared_address(shared.b[0]) +
                 (LAYOUT == LAB_GEMM_TN ? (column + n) * WIDTH + (along_k ^ i * QUARTER)
                                        : (column + t) * WIDTH + (along_n ^ i % 2 * 4 * CHUNK ^ i / 2 * 2 * CHUNK)));
    }
    return at;
}

/* The factors of a thread in a stage. */
template <class Shape> struct FactorsFp64 {
    double rows[FRAGMENTS_M][2 * QUARTERS], columns[fragments_n<Shape>][QUARTERS];
};

/* Loads the factors of a stage. */
template <lab_gemm_layout LAYOUT, class Shape>
__device__ void load_factors(FactorsFp64<Shape> &factors, const AddressesFp64 &at, uint32_t stage)
{
    uint32_t a = stage * Shape::BM * WIDTH, b = stage * Shape::BN * WIDTH;
#pragma unroll
    for (int quarter = 0; quarter < QUARTERS; quarter++)
#pragma unroll
        for (int i = 0; i < FRAGMENTS_M; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                factors.rows[i][2 * quarter + j] =
                    load_shared_double(at.a[quarter] + a + (i * FRAGMENT_M + j * 8) * WIDTH);
#pragma unroll
    for (int i = 0; i < fragments_n<Shape>; i++)
#pragma unroll
        for (int quarter = 0; quarter < QUARTERS; quarter++)
            factors.columns[i][quarter] =
                LAYOUT == LAB_GEMM_TN
                    ? load_shared_double(at.b[quarter] + b + i * FRAGMENT_N * WIDTH)
                    : load_shared_double(at.b[i % 2 * 2 + quarter % 2] + b + (i / 2 * BOX_N + quarter * 4) * WIDTH);
}

/* Computes the sums of a part. While a warp waits for its factors, the other warps of its scheduler multiply. */
template <lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_fp64_part(Sums<Shape> &sums, Shared<Shape> &shared, RingPosition<Shape::STAGES> &ring,
                                   uint32_t steps, Thread thread)
{
    static_assert(Shape::TILES == 1, "a consumer has at most 64 rows");
    constexpr int N = fragments_n<Shape>;
    const AddressesFp64 at = addresses_fp64<LAYOUT>(shared, thread);
    const Barriers<Shape> barriers(shared, lane_of_thread());
    auto &fours = reinterpret_cast<double(&)[FRAGMENTS_M][N][4]>(sums);

#pragma unroll
    for (int i = 0; i < Shape::SUMS; i++)
        sums[0][i] = 0;
    for_steps(ring, steps, [&](uint32_t stage, uint32_t) {
        FactorsFp64<Shape> factors;
        barriers.wait(stage, ring.parity);
        load_factors<LAYOUT>(factors, at, stage);
#pragma unroll
        for (int j = 0; j < N; j++)
#pragma unroll
            for (int i = 0; i < FRAGMENTS_M; i++)
                multiply_add_fp64(fours[i][j], factors.rows[i], factors.columns[j]);
        __threadfence_block(); /* waits for the loads; the arrival alone does not, and TMA could overwrite the stage */
        __syncwarp();
        barriers.release(stage);
    });
}

/* Stores the sums. A thread has the columns 2 t and 2 t + 1, as B has them, of the rows g and g + 8 of each
 * fragment. */
template <lab_gemm_layout LAYOUT, class Shape>
__device__ void store_fp64(const Sums<Shape> &sums, const wgmma_job &job, const BlockPart &block, Thread thread)
{
    uint32_t g = thread.index % 32 / 4, t = thread.index % 4;
    uint32_t row = block.row + warp_row<Shape>(thread) + line_fp64(g),
             column = block.column + warp_column<Shape>(thread);
#pragma unroll
    for (int i = 0; i < Shape::SUMS; i += 2) {
        uint32_t r = row + i / 2 % 2 * 8 + i / 4 / fragments_n<Shape> * FRAGMENT_M;
        uint32_t first = column + column_fp64<LAYOUT>(2 * t, i / 4 % fragments_n<Shape>);
        uint32_t second = column + column_fp64<LAYOUT>(2 * t + 1, i / 4 % fragments_n<Shape>);
        double *to = static_cast<double *>(job.results) + (size_t)r * job.n;
        if (r >= job.m)
            continue;
        if (LAYOUT == LAB_GEMM_NN && job.n % 2 == 0 && second < job.n) { /* they are neighbours, aligned to 16 bytes */
            *reinterpret_cast<double2 *>(to + first) = make_double2(sums[0][i], sums[0][i + 1]);
        } else {
            if (first < job.n)
                to[first] = sums[0][i];
            if (second < job.n)
                to[second] = sums[0][i + 1];
        }
    }
}

} // namespace

#endif
