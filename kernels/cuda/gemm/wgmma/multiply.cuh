/* The consumers: multiply the stages that have arrived. */
#ifndef LAB_CUDA_GEMM_WGMMA_MULTIPLY_CUH
#define LAB_CUDA_GEMM_WGMMA_MULTIPLY_CUH

#include "block.cuh"

namespace
{

/* Queues the multiplications of one stage; a and b are the descriptors of its operands. In boxes of A, and of B in
 * layout TN, each row holds 128 bytes along k: the next slice is 32 bytes further. In layout NN, each box of B has a
 * row of 128 bytes of 64 columns for each k: the next 16 of k are two atoms further. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_stage(Sums<Shape> &sums, uint32_t a, uint32_t b, bool first)
{
    constexpr bool along_n = LAYOUT == LAB_GEMM_NN;
    constexpr uint32_t next_a = MULTIPLY_K >> 4; /* in units of 16 bytes, as descriptors hold addresses */
    constexpr uint32_t next_b = along_n ? (2 * ATOM) >> 4 : next_a, next_tile = MULTIPLY_M * WIDTH >> 4;
    multiply_fence();
#pragma unroll
    for (int slice = 0; slice < MULTIPLIES; slice++)
#pragma unroll
        for (int tile = 0; tile < Shape::TILES; tile++)
            multiply<Element, along_n>(sums[tile], a + slice * next_a + tile * next_tile, b + slice * next_b,
                                       !first || slice != 0);
    multiply_commit();
}

/* Computes the sums of a part. The multiplications of a stage are queued before those of the preceding stage have
 * finished, so that the tensor cores always have work. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_part(Sums<Shape> &sums, Shared<Shape> &shared, RingPosition<Shape::STAGES> &ring,
                              uint32_t steps, Thread thread)
{
    constexpr uint32_t leading = LAYOUT == LAB_GEMM_NN ? WIDTH / sizeof(Element) * WIDTH : 0; /* from box to box of B */
    constexpr uint32_t next_a = Shape::BM * WIDTH >> 4, next_b = Shape::BN * WIDTH >> 4;
    const uint32_t a =
        uniform(operand_descriptor(shared_address(shared.a[0] + thread.consumer * Shape::ROWS * WIDTH), 0));
    const uint32_t b = uniform(operand_descriptor(shared_address(shared.b[0]), leading));
    const Barriers<Shape> barriers(shared, thread.index);
    for_steps(ring, steps, [&](uint32_t stage, uint32_t step) {
        barriers.wait(stage, ring.parity);
        multiply_stage<Element, LAYOUT, Shape>(sums, a + stage * next_a, b + stage * next_b, step == 0);
        multiply_wait<1>();
        if (step != 0)
            barriers.release(stage_before<Shape>(stage));
    });
    multiply_wait<0>();
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
        order_after_wait(sums[tile]);
    barriers.release(stage_before<Shape>(ring.stage));
}

/* --- with the first factor in registers --------------------------------------------------------------------------- */

/* The rows of a tile of 64 that a thread has: with g = lane / 4, the rows g and g + 8 of its warp's 16 are these two.
 * Their order is such that the threads of a warp read B from different banks. */
__device__ uint32_t row_of_thread(uint32_t thread, uint32_t half)
{
    uint32_t warp = thread / 32, g = thread % 32 / 4;
    return warp / 2 * 32 + g / 4 * 16 + warp % 2 * 8 + half * 4 + g % 4;
}

/* What a thread holds of a stage of A: four numbers of each 8 along k. */
template <class Shape> struct Factors {
    uint32_t values[Shape::TILES][MULTIPLIES][4];
};

/* Loads the factors of a stage; this consumer's rows of A begin at `first`. In shared memory, a box has a row of 32
 * numbers along m for each k. */
template <class Shape> __device__ void load_factors(Factors<Shape> &factors, uint32_t first, Thread thread)
{
    uint32_t t = thread.index % 4;
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

/* Queues the multiplications of one stage; b is the descriptor of its operand. */
template <class Shape>
__device__ void multiply_factors(Sums<Shape> &sums, const Factors<Shape> &factors, uint32_t b, bool first)
{
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
    static_assert(Shape::STAGES % 2 == 0, "stages use the two sets of factors in turn");
    constexpr uint32_t next_a = Shape::BM * WIDTH, next_b = Shape::BN * WIDTH >> 4;
    const uint32_t a = uniform(shared_address(shared.a[0] + thread.consumer * Shape::ROWS * WIDTH));
    const uint32_t b = uniform(operand_descriptor(shared_address(shared.b[0]), 0));
    const Barriers<Shape> barriers(shared, thread.index);
    Factors<Shape> factors[2];
    barriers.wait(ring.stage, ring.parity);
    if (ring.stage % 2 == 0)
        load_factors(factors[0], a + ring.stage * next_a, thread);
    else
        load_factors(factors[1], a + ring.stage * next_a, thread);
    for_steps(ring, steps, [&](uint32_t stage, uint32_t step) {
        uint32_t next = (stage + 1) % Shape::STAGES;
        multiply_factors<Shape>(sums, factors[stage % 2], b + stage * next_b, step == 0);
        multiply_wait<1>(); /* the preceding stage has been multiplied: its factors can be replaced */
        if (step != 0)
            barriers.release(stage_before<Shape>(stage));
        if (step + 1 < steps) {
            barriers.wait(next, ring.parity ^ (next == 0));
            load_factors(factors[next % 2], a + next * next_a, thread);
        }
    });
    multiply_wait<0>();
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
        order_after_wait(sums[tile]);
    barriers.release(stage_before<Shape>(ring.stage));
}

} // namespace

#endif
