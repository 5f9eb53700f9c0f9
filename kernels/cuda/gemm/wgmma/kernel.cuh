// region kernel
/* WGMMA + TMA, for Hopper. A block computes one part of C after the other (schedule.h); some of its warps only load,
 * the others only multiply. One thread of the block, the producer, makes the tensor memory accelerator (TMA) copy boxes
 * of A and B into a ring buffer of stages in shared memory. One or two warpgroups of 128 threads (fp64: up to three),
 * the consumers, multiply the stages that have arrived (wgmma), with the sums in registers. Each stage has two barriers
 * in shared memory: "full" when TMA has written it, "empty" when all consumers have read it. While the consumers round
 * and store a tile, the producer already loads the next one.
 *
 * Two blocks may form a cluster, whose tiles are neighbours in C. They need the same columns of B, or the same rows of
 * A, so each block loads half of them and TMA multicasts every box to both shared memories.
 *
 * A stage has 128 bytes along k of each row of A and column of B, a step; a wgmma multiplies 32 of them, for every
 * type. So the types share this code.
 *
 * wgmma reads B of tf32 in shared memory only along k. In layout NN it is along n there, so the transposed product is
 * computed, C' = B' A' (' is transposed): wgmma also takes its first factor from registers, to which the threads can
 * read B in any order. What is called A, B, m and n below is then B', A', n and m.
 *
 * There is no wgmma for fp64. The warps of a consumer then multiply by mma.sync, with factors that they load from the
 * stages (fp64.cuh). Compiled only for sm_90a.
 */
#ifndef LAB_CUDA_GEMM_WGMMA_KERNEL_CUH
#define LAB_CUDA_GEMM_WGMMA_KERNEL_CUH

#include "fp64.cuh"
#include "multiply.cuh"
#include "pass_on.cuh"
#include "produce.cuh"
#include "store.cuh"

namespace
{

template <typename Element, typename Result, lab_gemm_layout LAYOUT, class Shape>
__device__ void consume(Shared<Shape> &shared, const wgmma_job &job, Thread thread)
{
    Sums<Shape> sums;
    RingPosition<Shape::STAGES> ring;
    constexpr bool transposed = is_transposed<Element, LAYOUT>;
    for_parts<Shape>(job.schedule, [&](const BlockPart &block) {
        if constexpr (is_fp64<Element>)
            multiply_fp64_part<LAYOUT, Shape>(sums, shared, ring, block.part.count, thread);
        else if constexpr (transposed)
            multiply_transposed_part<Shape>(sums, shared, ring, block.part.count, thread);
        else
            multiply_part<Element, LAYOUT, Shape>(sums, shared, ring, block.part.count, thread);
        if (!wgmma_has_first_step(&block.part))
            add_sums_of_sharers<Shape>(sums, job, block.part.tile, thread);
        if (!wgmma_has_last_step(&job.schedule, &block.part)) {
            pass_sums<Shape>(sums, job, thread);
            return;
        }
        if constexpr (is_fp64<Element>)
            store_fp64<LAYOUT, Shape>(sums, job, block, thread);
        else
            store<Result, transposed, Shape>(sums, shared, job, block, thread);
    });
    wait_for_stores_to_read<0>();
}

template <typename Element, class Shape> __device__ void init_barriers(Shared<Shape> &shared, const wgmma_job &job)
{
    constexpr uint32_t releases = is_fp64<Element> ? WARPGROUP / 32 : 1; /* of a stage by a consumer */
    prefetch_map(&job.a);
    prefetch_map(&job.b);
    for (int stage = 0; stage < Shape::STAGES; stage++) {
        barrier_init(&shared.full[stage], 1);
        barrier_init(&shared.empty[stage], Shape::CLUSTER * Shape::CONSUMERS * releases);
    }
    barrier_init_done();
}

template <typename Element, typename Result, lab_gemm_layout LAYOUT, class Shape>
__global__ __launch_bounds__(Shape::THREADS,
                             Shape::BLOCKS) void multiply_by_wgmma(const __grid_constant__ wgmma_job job)
{
    extern __shared__ unsigned char memory[];
    uintptr_t aligned = (reinterpret_cast<uintptr_t>(memory) + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT;
    Shared<Shape> &shared = *reinterpret_cast<Shared<Shape> *>(aligned * SHARED_ALIGNMENT);
    /* The shuffle shows the compiler that all threads of a warp have the same value. */
    int warpgroup = __shfl_sync(UINT32_MAX, threadIdx.x / WARPGROUP, 0);
    uint32_t thread = threadIdx.x % WARPGROUP;

    if (threadIdx.x == 0)
        init_barriers<Element>(shared, job);
    synchronize_blocks<Shape>();
    if (warpgroup == Shape::CONSUMERS) {
        if constexpr (Shape::MOVES_REGISTERS)
            decrease_registers<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce<Element, LAYOUT>(shared, job);
        __syncwarp();
    } else {
        if constexpr (Shape::MOVES_REGISTERS)
            increase_registers<Shape::CONSUMER_REGISTERS>();
        consume<Element, Result, LAYOUT>(shared, job, Thread{warpgroup, thread});
    }
    if (Shape::CLUSTER > 1)
        synchronize_cluster(); /* a block must not end while the other one may still write to its shared memory */
}

} // namespace
// end

#endif
