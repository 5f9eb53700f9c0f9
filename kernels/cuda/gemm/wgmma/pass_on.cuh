/* The consumers: pass sums of a tile on to the block that stores it. */
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

/* Passes the sums to the block that stores the tile. */
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

/* Adds the sums that other clusters have passed on, in the order of the clusters, so that the result is always the same. */
template <class Shape>
__device__ void add_passed_sums(Sums<Shape> &sums, const wgmma_job &job, uint32_t tile, Thread thread)
{
    using Passed = Few<typename Shape::Sum>;
    uint32_t rank = cluster_rank<Shape>();
    for (uint32_t c = wgmma_first_cluster(&job.schedule, tile); c < blockIdx.x / Shape::CLUSTER; c++) {
        uint32_t block = c * Shape::CLUSTER + rank;
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
}

} // namespace

#endif
