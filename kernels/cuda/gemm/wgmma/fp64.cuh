/* The consumers for fp64: multiply by mma.sync. The four warps of a consumer have a quarter of its 64 rows and BN columns each:
 * 32 rows and BN / 2 columns, as fragments of 16 rows of A and of 8 columns of B. An instruction multiplies 8 numbers along
 * k. With g = lane / 4 and t = lane % 4, a thread holds of A the rows g and g + 8 and of B the column g, at t and t + 4 along
 * k.
 *
 * In shared memory a row has 8 chunks of 16 bytes: two numbers along k, or along n in boxes of B in layout NN. Chunk c of row r
 * is at place c ^ r % 8 (the swizzle). Which row of A and column of B is "g" is free. They are chosen such that the 16 threads
 * that read at a time read from different banks.
 */
#ifndef LAB_CUDA_GEMM_WGMMA_FP64_CUH
#define LAB_CUDA_GEMM_WGMMA_FP64_CUH

#include "../mma.cuh"
#include "block.cuh"

namespace
{

enum {
    FRAGMENT_M = 16,
    FRAGMENT_N = 8,
    FRAGMENTS_M = 32 / FRAGMENT_M,
    CHUNK = 16,  /* bytes */
    BOX_N = 16,  /* columns of a box of B in layout NN */
    QUARTER = 32 /* bytes along k: the numbers of t = 0 to 3 */
};

template <class Shape> constexpr int fragments_n = Shape::BN / 2 / FRAGMENT_N;

/* The row of A, of the 8 of a fragment's half, that is g; the column of B in layout TN. */
__device__ uint32_t line_fp64(uint32_t g)
{
    return g % 4 * 2 + g / 4;
}

/* The column of B that is g, from the first column of the warp on. In layout NN, two fragments have four and four columns of
 * each box. */
template <lab_gemm_layout LAYOUT> __device__ uint32_t column_fp64(uint32_t g, int fragment)
{
    return LAYOUT == LAB_GEMM_TN ? fragment * FRAGMENT_N + line_fp64(g)
                                 : fragment / 2 * BOX_N + fragment % 2 * 4 + g / 2 % 2 * 8 + g / 4 * 2 + g % 2;
}

/* The addresses in shared memory from which a thread reads, relative to the stage's A and B, of the first number along k of
 * the first fragment. */
struct AddressesFp64 {
    uint32_t a, b;
};

template <lab_gemm_layout LAYOUT, class Shape> __device__ AddressesFp64 addresses_fp64(Thread thread)
{
    uint32_t warp = thread.index / 32, g = thread.index % 32 / 4, t = thread.index % 4, line = line_fp64(g);
    uint32_t row = thread.consumer * Shape::ROWS + warp / 2 * 32 + line, column = warp % 2 * (Shape::BN / 2);
    uint32_t along_k = (t / 2 ^ line) * CHUNK + t % 2 * 8, n = column_fp64<LAYOUT>(g, 0);
    uint32_t tn = (column + n) * WIDTH + along_k, nn = column * WIDTH + t * WIDTH + (n / 2 ^ t) * CHUNK + n % 2 * 8;
    return {row * WIDTH + along_k, LAYOUT == LAB_GEMM_TN ? tn : nn};
}

/* Load the factors of a thread for half a stage: 8 numbers along k. `a` and `b` are the stage's addresses. */
__device__ void load_rows(double (&factors)[FRAGMENTS_M][4], uint32_t a, const AddressesFp64 &at, int half)
{
#pragma unroll
    for (int quarter = 0; quarter < 2; quarter++) {
        uint32_t from = a + (at.a ^ (2 * half + quarter) * QUARTER);
#pragma unroll
        for (int i = 0; i < FRAGMENTS_M; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                factors[i][2 * quarter + j] = load_shared_double(from + (i * FRAGMENT_M + j * 8) * WIDTH);
    }
}
template <lab_gemm_layout LAYOUT>
__device__ void load_column(double (&factors)[2], uint32_t b, const AddressesFp64 &at, int half, int fragment)
{
#pragma unroll
    for (int quarter = 0; quarter < 2; quarter++) {
        if constexpr (LAYOUT == LAB_GEMM_TN)
            factors[quarter] =
                load_shared_double(b + (at.b ^ (2 * half + quarter) * QUARTER) + fragment * FRAGMENT_N * WIDTH);
        else
            factors[quarter] = load_shared_double(b + (at.b ^ quarter * 4 * CHUNK ^ fragment % 2 * 2 * CHUNK) +
                                                  (fragment / 2 * BOX_N + (2 * half + quarter) * 4) * WIDTH);
    }
}

/* Arrives at the "empty" barrier of a stage of a block of the cluster. */
template <class Shape> __device__ void release_at(Shared<Shape> &shared, uint32_t stage, uint32_t rank)
{
    if constexpr (Shape::CLUSTER == 1)
        barrier_arrive(&shared.empty[stage]);
    else
        barrier_arrive_at(&shared.empty[stage], rank);
}

/* Computes the sums of a part. While half a stage is multiplied, the factors of the next half are loaded: its rows into other
 * registers, its columns into those of the columns that have been multiplied. They are loaded in at most two groups, because
 * before registers are overwritten all earlier instructions must have read theirs. */
template <lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_fp64_part(Sums<Shape> &sums, Shared<Shape> &shared, RingPosition<Shape::STAGES> &ring,
                                   uint32_t steps, Thread thread)
{
    static_assert(Shape::TILES == 1, "a consumer has 64 rows");
    constexpr int N = fragments_n<Shape>, LEFT = N > 2 ? N / 2 : 0; /* columns, and those of the first group */
    const AddressesFp64 at = addresses_fp64<LAYOUT, Shape>(thread);
    auto &fours = reinterpret_cast<double(&)[FRAGMENTS_M][N][4]>(sums);
    double rows[2][FRAGMENTS_M][4], columns[N][2];
    uint32_t lane = lane_of_thread();

    auto load_left = [&](int half) {
        load_rows(rows[half], shared_address(shared.a[ring.stage]), at, half);
#pragma unroll
        for (int j = 0; j < LEFT; j++)
            load_column<LAYOUT>(columns[j], shared_address(shared.b[ring.stage]), at, half, j);
    };
    auto load_right = [&](int half) {
#pragma unroll
        for (int j = LEFT; j < N; j++)
            load_column<LAYOUT>(columns[j], shared_address(shared.b[ring.stage]), at, half, j);
    };
    auto multiply = [&](int half, int from, int to) {
#pragma unroll
        for (int j = from; j < to; j++)
#pragma unroll
            for (int i = 0; i < FRAGMENTS_M; i++)
                multiply_add_fp64(fours[i][j], rows[half][i], columns[j]);
    };

#pragma unroll
    for (int i = 0; i < Shape::SUMS; i++)
        sums[0][i] = 0;
    barrier_wait(&shared.full[ring.stage], ring.parity);
    load_left(0);
    load_right(0);
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t stage = ring.stage;
        bool more = step + 1 < steps;
        multiply(0, 0, LEFT);
        load_left(1);
        multiply(0, LEFT, N);
        load_right(1);
        ring.next();
        bool arrived = more && barrier_has_completed(&shared.full[ring.stage], ring.parity);
        multiply(1, 0, LEFT);
        if (more && !arrived)
            barrier_wait(&shared.full[ring.stage], ring.parity);
        if (more)
            load_left(0);
        multiply(1, LEFT, N);
        /* All threads have multiplied the stage's factors, so they have loaded them. This assumes that the compiler leaves the
         * arrival below after the multiplications; gpulab-tune-gemm finds it if not (README.md). */
        __syncwarp();
        if (lane < Shape::CLUSTER)
            release_at(shared, stage, lane);
        if (more)
            load_right(0);
    }
}

/* Stores the sums. A thread has the columns 2 t and 2 t + 1, as B has them, of the rows g and g + 8 of each fragment. */
template <lab_gemm_layout LAYOUT, class Shape>
__device__ void store_fp64(const Sums<Shape> &sums, const wgmma_job &job, const BlockPart &part, Thread thread)
{
    uint32_t warp = thread.index / 32, g = thread.index % 32 / 4, t = thread.index % 4;
    uint32_t row = part.row + thread.consumer * Shape::ROWS + warp / 2 * 32 + line_fp64(g);
    uint32_t column = part.column + warp % 2 * (Shape::BN / 2);
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
