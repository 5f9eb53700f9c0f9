/* Kernels with blocks of one, two and three dimensions on a cube of side * side * side elements. The thread at (x, y,
 * z) of the grid has the element there; neighbours in x are neighbours in memory. */
#include "benchmark/check.h"
#include "block_shape.h"

// region place
/* The thread's place in the grid, which is that of its element; `inside` the cube. */
struct place {
    uint32_t x, y, z;
    uint64_t element;
    bool inside;
};

__device__ static place place_of(uint32_t side)
{
    place p = {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
               blockIdx.z * blockDim.z + threadIdx.z};
    p.element = ((uint64_t)p.z * side + p.y) * side + p.x;
    p.inside = p.x < side && p.y < side && p.z < side;
    return p;
}
// end

// steps use place

// region index "Which threads form a warp"
/* Each thread computes its number in the block, and asks the hardware for its lane (`%laneid`) and, by shuffles, for
 * the smallest number among the threads of its warp. It stores both. The check demands what the formula says: the first
 * thread of the warp has the number id / 32 * 32, and the lane is id % 32. */
extern "C" __global__ void block_shape_index(uint32_t *out, uint32_t side)
{
    constexpr uint32_t warp = 32, all_lanes = 0xffffffff;
    uint32_t id = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y, first = id, lane;
    for (uint32_t distance = warp / 2; distance > 0; distance /= 2)
        first = min(first, __shfl_xor_sync(all_lanes, first, distance));
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    place p = place_of(side);
    if (p.inside)
        out[p.element] = first * warp + lane;
}
// end

// region copy "A copy of the cube"
/* A warp has 32 threads with consecutive numbers: 32 neighbours in x if the block is at least as wide, else parts of
 * several rows. */
extern "C" __global__ void block_shape_copy(const float *in, float *out, uint32_t side)
{
    place p = place_of(side);
    if (p.inside)
        out[p.element] = in[p.element] + 1.0f;
}
// end

// steps use block_shape.h:work, place

// region branch-x "Two paths, by threadIdx.x"
/* Threads with odd and even `threadIdx.x` take different paths. They are in one warp in every block that is wider than
 * one. */
extern "C" __global__ void block_shape_branch_x(const float *in, float *out, uint32_t side, uint32_t length)
{
    place p = place_of(side);
    if (!p.inside)
        return;
    if (threadIdx.x % 2 == 0)
        out[p.element] = block_work(in[p.element], 0.5f, length);
    else
        out[p.element] = block_work(in[p.element], 0.75f, length);
}
// end

// region branch-y "Two paths, by threadIdx.y"
/* The same by `threadIdx.y`. In a block of 32 or more threads in x all threads of a warp have the same one; in a
 * narrower one a warp has several rows, and takes both paths. */
extern "C" __global__ void block_shape_branch_y(const float *in, float *out, uint32_t side, uint32_t length)
{
    place p = place_of(side);
    if (!p.inside)
        return;
    if (threadIdx.y % 2 == 0)
        out[p.element] = block_work(in[p.element], 0.5f, length);
    else
        out[p.element] = block_work(in[p.element], 0.75f, length);
}
// end

LAB_CHECK_KERNEL(block_shape_check, block_expected)
