/* The consumers: pass sums of a tile on to the block that stores it. */
#ifndef LAB_CUDA_GEMM_WGMMA_PASS_ON_CUH
#define LAB_CUDA_GEMM_WGMMA_PASS_ON_CUH

#include "block.cuh"

namespace
{

/* Where a consumer passes its sums on: four of each thread next to each other. */
template <class Shape> __device__ float4 *passed_sums(const wgmma_job &job, uint32_t block, Thread thread)
{
    constexpr uint32_t of_consumer = Shape::TILES * Shape::SUMS / 4 * WARPGROUP;
    return static_cast<float4 *>(job.sums) + (block * Shape::CONSUMERS + thread.consumer) * (size_t)of_consumer +
           thread.index;
}

template <class Shape> __device__ uint32_t *flag_of(const wgmma_job &job, uint32_t block, Thread thread)
{
    return job.flags + block * Shape::CONSUMERS + thread.consumer;
}

/* Passes the sums to the block that stores the tile. */
template <class Shape> __device__ void pass_sums(const Sums<Shape> &sums, const wgmma_job &job, Thread thread)
{
    float4 *to = passed_sums<Shape>(job, blockIdx.x, thread);
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
#pragma unroll
        for (int i = 0; i < Shape::SUMS; i += 4, to += WARPGROUP)
            __stcg(to, make_float4(sums[tile][i], sums[tile][i + 1], sums[tile][i + 2], sums[tile][i + 3]));
    synchronize_warpgroup(1 + thread.consumer);
    if (thread.index == 0)
        set_flag(flag_of<Shape>(job, blockIdx.x, thread), 1);
}

/* Adds the sums that other clusters have passed on, in the order of the clusters, so that the result is always the same. */
template <class Shape>
__device__ void add_passed_sums(Sums<Shape> &sums, const wgmma_job &job, uint32_t tile, Thread thread)
{
    uint32_t rank = cluster_rank<Shape>();
    for (uint32_t c = wgmma_first_cluster(&job.schedule, tile); c < blockIdx.x / Shape::CLUSTER; c++) {
        uint32_t block = c * Shape::CLUSTER + rank;
        const float4 *from = passed_sums<Shape>(job, block, thread);
        if (thread.index == 0)
            wait_for_flag(flag_of<Shape>(job, block, thread));
        synchronize_warpgroup(1 + thread.consumer);
#pragma unroll
        for (int i = 0; i < Shape::TILES; i++)
#pragma unroll
            for (int j = 0; j < Shape::SUMS; j += 4, from += WARPGROUP) {
                float4 four = __ldcg(from);
                sums[i][j] += four.x;
                sums[i][j + 1] += four.y;
                sums[i][j + 2] += four.z;
                sums[i][j + 3] += four.w;
            }
        synchronize_warpgroup(1 + thread.consumer);
        if (thread.index == 0)
            set_flag(flag_of<Shape>(job, block, thread), 0); /* for the next product */
    }
}

} // namespace

#endif
