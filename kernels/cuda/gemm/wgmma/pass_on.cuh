/* The consumers: add the sums of a tile that other blocks pass on, and pass sums on to the block that adds them. */
#ifndef LAB_CUDA_GEMM_WGMMA_PASS_ON_CUH
#define LAB_CUDA_GEMM_WGMMA_PASS_ON_CUH

#include "block.cuh"

namespace
{

/* Sums of a thread that are passed on at a time: 16 bytes. */
template <typename Sum> struct __align__(16) Few
{
    enum { COUNT = 16 / sizeof(Sum) };
    Sum sums[COUNT];
};

/* Where a consumer passes its sums on. */
template <class Shape> __device__ uint4 *passed_sums(const wgmma_job &job, uint32_t block, Thread thread)
{
    constexpr uint32_t of_consumer = Shape::TILES * Shape::SUMS / Few<typename Shape::Sum>::COUNT * WARPGROUP;
    return static_cast<uint4 *>(job.sums) + (block * Shape::CONSUMERS + thread.consumer) * (size_t)of_consumer +
           thread.index;
}

template <class Shape> __device__ uint32_t *flag_of(const wgmma_job &job, uint32_t block, Thread thread)
{
    return job.flags + block * Shape::CONSUMERS + thread.consumer;
}

/* Passes the sums on. */
template <class Shape> __device__ void pass_sums(const Sums<Shape> &sums, const wgmma_job &job, Thread thread)
{
    using Passed = Few<typename Shape::Sum>;
    uint4 *to = passed_sums<Shape>(job, blockIdx.x, thread);
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
#pragma unroll
        for (int i = 0; i < Shape::SUMS; i += Passed::COUNT, to += WARPGROUP) {
            Passed few;
#pragma unroll
            for (int j = 0; j < Passed::COUNT; j++)
                few.sums[j] = sums[tile][i + j];
            __stcg(to, reinterpret_cast<const uint4 &>(few));
        }
    synchronize_warpgroup(1 + thread.consumer);
    if (thread.index == 0)
        set_flag(flag_of<Shape>(job, blockIdx.x, thread), 1);
}

/* Adds the sums that another block has passed on, when it has. */
template <class Shape>
__device__ void add_passed_sums(Sums<Shape> &sums, const wgmma_job &job, uint32_t block, Thread thread)
{
    using Passed = Few<typename Shape::Sum>;
    const uint4 *from = passed_sums<Shape>(job, block, thread);
    if (thread.index == 0)
        wait_for_flag(flag_of<Shape>(job, block, thread));
    synchronize_warpgroup(1 + thread.consumer);
#pragma unroll
    for (int i = 0; i < Shape::TILES; i++)
#pragma unroll
        for (int j = 0; j < Shape::SUMS; j += Passed::COUNT, from += WARPGROUP) {
            uint4 few = __ldcg(from);
#pragma unroll
            for (int l = 0; l < Passed::COUNT; l++)
                sums[i][j + l] += reinterpret_cast<const Passed &>(few).sums[l];
        }
    synchronize_warpgroup(1 + thread.consumer);
    if (thread.index == 0)
        set_flag(flag_of<Shape>(job, block, thread), 0); /* for the next product */
}

/* Adds what other clusters pass on to this one of a shared tile, always in the same order, so that the result is always
 * the same. */
template <class Shape>
__device__ void add_sums_of_sharers(Sums<Shape> &sums, const wgmma_job &job, uint32_t tile, Thread thread)
{
    const wgmma_sharers sharers = wgmma_sharers_of(&job.schedule, tile);
    uint32_t rank = sharers.last - blockIdx.x / Shape::CLUSTER;
    for (uint32_t distance = 1; wgmma_adds(&sharers, rank, distance); distance *= 2)
        add_passed_sums<Shape>(sums, job, blockIdx.x - distance * Shape::CLUSTER, thread);
}

} // namespace

#endif
