/* The producer: loads the stages. */
#ifndef LAB_CUDA_GEMM_WGMMA_PRODUCE_CUH
#define LAB_CUDA_GEMM_WGMMA_PRODUCE_CUH

#include "block.cuh"

namespace
{

/* Starts to load a box for this block, or for both blocks of the cluster if `both`. */
__device__ void load(void *box, const CUtensorMap *map, uint32_t column, uint32_t row, uint64_t *full, bool both)
{
    if (both)
        load_box(box, map, column, row, full, 3);
    else
        load_box(box, map, column, row, full);
}

/* Starts to load a stage: of what both blocks of the cluster need this block loads its half, for both. `first_k` is an
 * element. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void load_stage(Shared<Shape> &shared, const wgmma_job &job, uint32_t stage, const BlockPart &block,
                           uint32_t first_k)
{
    constexpr uint32_t rows = Shape::BM / Shape::CLUSTER_N, columns = Shape::BN / Shape::CLUSTER_M;
    constexpr uint32_t box_columns = WIDTH / sizeof(Element), box = box_columns * WIDTH; /* along m or n */
    static_assert(LAYOUT == LAB_GEMM_TN || is_transposed<Element, LAYOUT> || columns % box_columns == 0,
                  "a block loads whole boxes of B along n");
    static_assert(!is_transposed<Element, LAYOUT> || rows % box_columns == 0, "a block loads whole boxes of A along m");
    uint32_t first_row = Shape::CLUSTER_N > 1 ? cluster_rank<Shape>() * rows : 0;
    uint32_t first_column = Shape::CLUSTER_M > 1 ? cluster_rank<Shape>() * columns : 0;
    unsigned char *a = shared.a[stage] + first_row * WIDTH, *b = shared.b[stage] + first_column * WIDTH;
    uint64_t *full = &shared.full[stage];

    barrier_arrive_and_expect(full, Shape::STAGE_BYTES);
    if constexpr (is_transposed<Element, LAYOUT>) {
        for (uint32_t i = 0; i < rows / box_columns; i++)
            load(a + i * box, &job.a, block.row + first_row + i * box_columns, first_k, full, Shape::CLUSTER_N > 1);
    } else {
        load(a, &job.a, first_k, block.row + first_row, full, Shape::CLUSTER_N > 1);
    }
    if constexpr (LAYOUT == LAB_GEMM_TN || is_transposed<Element, LAYOUT>) {
        load(b, &job.b, first_k, block.column + first_column, full, Shape::CLUSTER_M > 1);
    } else {
        for (uint32_t i = 0; i < columns / box_columns; i++)
            load(b + i * box, &job.b, block.column + first_column + i * box_columns, first_k, full,
                 Shape::CLUSTER_M > 1);
    }
}

/* Keeps the blocks near each other along k, so that rows of A and columns of B that several need are read from memory
 * once and then from the L2 cache. */
class Progress
{
    uint32_t given = 0;
    bool may_wait = true;

  public:
    /* Signals this block's progress (schedule.h). At its n-th signal, a block then waits until all blocks together have
     * given n - 1 signals for each block: one that is ahead waits, on average, for the others. A wait that takes too
     * long, because another kernel keeps blocks from starting, is this block's last one. */
    __device__ void signal(const wgmma_job &job)
    {
        if (given == job.signals)
            return;
        uint32_t needed = given++ * gridDim.x;
        if (given < job.signals) {
            atomicAdd(job.progress, 1);
            for (long long start = clock64(); may_wait && load_relaxed(job.progress) < needed;)
                may_wait = clock64() - start < LONGEST_WAIT;
        } else if (atomicAdd(job.progress, 1) + 1 == given * gridDim.x) {
            atomicExch(job.progress, 0); /* the last signal of all: no block reads it any more */
        }
    }
};

/* Loads the stages of all parts of this block. Every second part is traversed backwards along k: the tiles that are
 * computed together next often need the same rows of A or columns of B, and what was loaded of them last is still in
 * the L2 cache. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void produce(Shared<Shape> &shared, const wgmma_job &job)
{
    RingPosition<Shape::STAGES> ring;
    Progress progress;
    bool backwards = false, waited = false;
    for_parts<Shape>(job.schedule, [&](const BlockPart &block) {
        uint32_t last = block.part.first + block.part.count - 1;
        if (!waited)
            wait_for_kernels_before(); /* while the first part is found, it may still run */
        waited = true;
        for (uint32_t done = 0, count; done < block.part.count; done += count) {
            count = min(block.part.count - done, (uint32_t)WGMMA_SIGNAL_STEPS);
            for (uint32_t i = done; i < done + count; i++) {
                uint32_t step = backwards ? last - i : block.part.first + i;
                barrier_wait(shared_address(&shared.empty[ring.stage]),
                             ring.parity ^ 1); /* does not wait on a newly initialised barrier */
                load_stage<Element, LAYOUT>(shared, job, ring.stage, block, step * (uint32_t)(WIDTH / sizeof(Element)));
                ring.next();
            }
            if (count == WGMMA_SIGNAL_STEPS)
                progress.signal(job);
        }
        backwards = !backwards;
    });
    let_next_kernel_start();
}

} // namespace

#endif
