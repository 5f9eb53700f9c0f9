/* The consumers: multiply the stages that have arrived. */
#ifndef LAB_CUDA_GEMM_WGMMA_MULTIPLY_CUH
#define LAB_CUDA_GEMM_WGMMA_MULTIPLY_CUH

#include "block.cuh"

namespace
{

/* Queues the multiplications of one stage. In boxes of A, and of B in layout TN, each row holds 128 bytes along k: the next
 * slice is 32 bytes further. In layout NN, each box of B has a row of 128 bytes of 64 columns for each k: the next 16 of k
 * are two atoms further. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_stage(Sums<Shape> &sums, const Shared<Shape> &shared, uint32_t stage, int consumer, bool first)
{
    constexpr bool along_n = LAYOUT == LAB_GEMM_NN;
    constexpr uint32_t box = WIDTH / sizeof(Element) * WIDTH;
    constexpr uint64_t next_a = MULTIPLY_K >> 4; /* in units of 16 bytes, as descriptors hold addresses */
    constexpr uint64_t next_b = along_n ? (2 * ATOM) >> 4 : next_a, next_tile = MULTIPLY_M * WIDTH >> 4;
    uint64_t a = operand_descriptor(shared.a[stage] + consumer * Shape::ROWS * WIDTH, 0, ATOM);
    uint64_t b = operand_descriptor(shared.b[stage], along_n ? box : 0, ATOM);

    multiply_fence();
#pragma unroll
    for (int slice = 0; slice < MULTIPLIES; slice++)
#pragma unroll
        for (int tile = 0; tile < Shape::TILES; tile++)
            multiply<Element, along_n>(sums[tile], a + slice * next_a + tile * next_tile, b + slice * next_b,
                                       !first || slice != 0);
    multiply_commit();
}

/* Signals to the producers that write to the stage, which are those of all blocks of the cluster, that this warpgroup has
 * finished reading it. */
template <class Shape> __device__ void release_stage(Shared<Shape> &shared, uint32_t stage, uint32_t thread)
{
    if (thread < Shape::CLUSTER)
        barrier_arrive_at(&shared.empty[stage], thread);
}

/* Computes the sums of a part. The multiplications of a stage are queued before those of the preceding stage have finished,
 * so that the tensor cores always have work. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_part(Sums<Shape> &sums, Shared<Shape> &shared, RingPosition<Shape::STAGES> &ring,
                              uint32_t steps, Thread thread)
{
    uint32_t last = 0;
    for (uint32_t step = 0; step < steps; step++) {
        barrier_wait(&shared.full[ring.stage], ring.parity);
        multiply_stage<Element, LAYOUT>(sums, shared, ring.stage, thread.consumer, step == 0);
        multiply_wait<1>();
        if (step != 0)
            release_stage(shared, last, thread.index);
        last = ring.stage;
        ring.next();
    }
    multiply_wait<0>();
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
        order_after_wait(sums[tile]);
    release_stage(shared, last, thread.index);
}

/* --- with the first factor in registers --------------------------------------------------------------------------- */

/* The rows of a tile of 64 that a thread has: with g = lane / 4, the rows g and g + 8 of its warp's 16 are these two. Their
 * order is such that the threads of a warp read B from different banks. */
__device__ uint32_t row_of_thread(uint32_t thread, uint32_t half)
{
    uint32_t warp = thread / 32, g = thread % 32 / 4;
    return warp / 2 * 32 + g / 4 * 16 + warp % 2 * 8 + half * 4 + g % 4;
}

/* What a thread holds of a stage of A: four numbers of each 8 along k. */
template <class Shape> struct Factors {
    uint32_t values[Shape::TILES][MULTIPLIES][4];
};

/* Loads the factors of a stage. In shared memory, a box has a row of 32 numbers along m for each k. */
template <class Shape>
__device__ void load_factors(Factors<Shape> &factors, const Shared<Shape> &shared, uint32_t stage, Thread thread)
{
    uint32_t t = thread.index % 4, first = shared_address(shared.a[stage] + thread.consumer * Shape::ROWS * WIDTH);
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t row = row_of_thread(thread.index, i % 2), k = t + i / 2 * 4;
            uint32_t at =
                first + (tile * MULTIPLY_M + row / 32 * 32) * WIDTH + k * WIDTH + (row % 32 / 4 ^ k) * 16 + row % 4 * 4;
#pragma unroll
            for (int slice = 0; slice < MULTIPLIES; slice++)
                factors.values[tile][slice][i] = load_shared(at + slice * ATOM);
        }
}

/* Queues the multiplications of one stage. */
template <class Shape>
__device__ void multiply_factors(Sums<Shape> &sums, const Factors<Shape> &factors, const Shared<Shape> &shared,
                                 uint32_t stage, bool first)
{
    uint64_t b = operand_descriptor(shared.b[stage], 0, ATOM);
    multiply_fence();
#pragma unroll
    for (int slice = 0; slice < MULTIPLIES; slice++)
#pragma unroll
        for (int tile = 0; tile < Shape::TILES; tile++)
            multiply(sums[tile], factors.values[tile][slice], b + slice * (MULTIPLY_K >> 4), !first || slice != 0);
    multiply_commit();
}

/* Like multiply_part. The factors of a stage are loaded while the preceding stage is multiplied. */
template <class Shape>
__device__ void multiply_transposed_part(Sums<Shape> &sums, Shared<Shape> &shared, RingPosition<Shape::STAGES> &ring,
                                         uint32_t steps, Thread thread)
{
    Factors<Shape> even, odd;
    uint32_t before = 0, last = 0; /* stages */
    auto multiply_step = [&](const Factors<Shape> &now, Factors<Shape> &next, uint32_t step) {
        multiply_factors<Shape>(sums, now, shared, ring.stage, step == 0);
        before = last;
        last = ring.stage;
        ring.next();
        multiply_wait<1>(); /* the preceding stage has been multiplied: its factors can be replaced */
        if (step != 0)
            release_stage(shared, before, thread.index);
        if (step + 1 < steps) {
            barrier_wait(&shared.full[ring.stage], ring.parity);
            load_factors<Shape>(next, shared, ring.stage, thread);
        }
    };
    barrier_wait(&shared.full[ring.stage], ring.parity);
    load_factors<Shape>(even, shared, ring.stage, thread);
    for (uint32_t step = 0; step < steps; step += 2) {
        multiply_step(even, odd, step);
        if (step + 1 < steps)
            multiply_step(odd, even, step + 1);
    }
    multiply_wait<0>();
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
        order_after_wait(sums[tile]);
    release_stage(shared, last, thread.index);
}

} // namespace

#endif
