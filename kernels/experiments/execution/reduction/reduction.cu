/* Sums of n elements, from tree reductions in shared memory to one pass that is limited by the memory. The kernels
 * exist for uint32_t and float. Those that write `sums` write a partial sum for each block, and are followed by other
 * launches. */
#include "benchmark/check.h"
#include "reduction.h"

#include <cooperative_groups.h>

// region load
/* Each thread loads one element; elements after the end are 0. */
template <typename T> __device__ void load(T *values, const T *in, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
}
// end

// steps use load

// region divergent "Interleaved and divergent"
/* The tree adds neighbours first. In each round the threads that add are those whose number is a multiple of a power of
 * two. They are spread over all warps, and a warp executes an instruction for all of its threads even if one takes
 * part. The remainder of a division by a number that is not known when compiling takes some twenty instructions
 * more. */
template <typename T> __device__ void divergent(const T *in, T *sums, uint64_t n)
{
    __shared__ T values[REDUCTION_BLOCK];
    load(values, in, n);
    for (uint32_t distance = 1; distance < blockDim.x; distance *= 2) {
        if (threadIdx.x % (2 * distance) == 0)
            values[threadIdx.x] += values[threadIdx.x + distance];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = values[0];
}
// end

// region interleaved "Interleaved, strided index"
/* The same additions by the first threads of the block: in the first round half of the warps have nothing to do, and no
 * remainder is needed. Their addresses are 2 * distance words apart, so that several threads access different words of
 * the same bank of shared memory, one after the other. */
template <typename T> __device__ void interleaved(const T *in, T *sums, uint64_t n)
{
    __shared__ T values[REDUCTION_BLOCK];
    load(values, in, n);
    for (uint32_t distance = 1; distance < blockDim.x; distance *= 2) {
        uint32_t i = 2 * distance * threadIdx.x;
        if (i < blockDim.x)
            values[i] += values[i + distance];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = values[0];
}
// end

// region sequential "Sequential addressing"
/* The second half of the values is added to the first. Neighbouring threads access neighbouring words: no conflicts. */
template <typename T> __device__ void add_halves(T *values)
{
    for (uint32_t distance = blockDim.x / 2; distance > 0; distance /= 2) {
        if (threadIdx.x < distance)
            values[threadIdx.x] += values[threadIdx.x + distance];
        __syncthreads();
    }
}

template <typename T> __device__ void sequential(const T *in, T *sums, uint64_t n)
{
    __shared__ T values[REDUCTION_BLOCK];
    load(values, in, n);
    add_halves(values);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = values[0];
}
// end

// steps use sequential

// region first-add "First addition at load"
/* Half of the threads did nothing but load. Now each thread loads two elements and adds them: half as many blocks and
 * rounds for the same array, and two loads under way in each thread. */
/* The sum of the two elements that a thread loads. */
template <typename T> __device__ T two_elements(const T *in, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * (2 * blockDim.x) + threadIdx.x, k = i + blockDim.x;
    T first = i < n ? in[i] : 0, second = k < n ? in[k] : 0;
    return first + second;
}

template <typename T> __device__ void first_add(const T *in, T *sums, uint64_t n)
{
    __shared__ T values[REDUCTION_BLOCK];
    values[threadIdx.x] = two_elements(in, n);
    __syncthreads();
    add_halves(values);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = values[0];
}
// end

// region block-sum
constexpr uint32_t warp = 32;

/* The sum of the values of a warp's threads, in its first thread. */
template <typename T> __device__ T warp_sum(T value)
{
    for (uint32_t offset = warp / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

/* The sum of the values of a block's threads, in its first thread. */
template <typename T> __device__ T block_sum(T value)
{
    __shared__ T sums[warp];
    uint32_t lane = threadIdx.x % warp;
    value = warp_sum(value);
    if (lane == 0)
        sums[threadIdx.x / warp] = value;
    __syncthreads();
    if (threadIdx.x >= warp)
        return 0;
    return warp_sum(lane < blockDim.x / warp ? sums[lane] : 0);
}
// end

// steps use first-add, block-sum

// region warp-shuffle "Warp shuffle"
/* The threads of a warp read each other's registers. Of the 8 barriers one remains: between the sums of the warps and
 * the first warp, which adds them up. */
template <typename T> __device__ void warp_shuffle(const T *in, T *sums, uint64_t n)
{
    T sum = block_sum(two_elements(in, n));
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
// end

// region tile
/* Four elements, which one instruction loads. */
template <typename T> struct vector_of;
template <> struct vector_of<uint32_t> {
    using type = uint4;
};
template <> struct vector_of<float> {
    using type = float4;
};

/* The sum of the thread's elements of a tile. All loads are issued before the first value is needed. */
template <typename T> __device__ T tile_sum(const T *in, uint64_t tile)
{
    using vector = typename vector_of<T>::type;
    const vector *first = reinterpret_cast<const vector *>(in + tile * REDUCTION_TILE) + threadIdx.x;
    vector values[REDUCTION_LOADS];
#pragma unroll
    for (uint32_t k = 0; k < REDUCTION_LOADS; k++)
        values[k] = __ldg(first + k * REDUCTION_BLOCK);
    T sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < REDUCTION_LOADS; k++)
        sum += (values[k].x + values[k].y) + (values[k].z + values[k].w);
    return sum;
}
// end

// region grid-stride
/* Any number of blocks: they take the tiles in turn. n is a multiple of the size of a tile. */
template <typename T> __device__ T grid_stride_sum(const T *in, uint64_t n)
{
    T sum = 0;
    for (uint64_t tile = blockIdx.x; tile < n / REDUCTION_TILE; tile += gridDim.x)
        sum += tile_sum(in, tile);
    return block_sum(sum);
}

template <typename T> __device__ void grid_stride(const T *in, T *sums, uint64_t n)
{
    T sum = grid_stride_sum(in, n);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
// end

// step grid-stride "Grid-stride loop, 16-byte loads" shows tile, block-sum, grid-stride, finish
/* At most four blocks on each multiprocessor take tiles of 32 KiB in turn. Each thread loads 16 bytes at a time, 8
 * times before it needs the first, and adds in a register; the tree comes once for each block, not once for each 512
 * elements. There are so few partial sums that one block adds them up in a second launch. */

// region finish
/* One block adds up the partial sums. */
template <typename T> __device__ void finish(const T *sums, T *result, uint64_t count)
{
    T sum = 0;
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x)
        sum += sums[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *result = sum;
}
// end

// steps use grid-stride, block-sum

// region one-pass "One pass with atomics"
/* The grid of the step before. Each block adds its sum to that of all by an atomic operation and counts itself by
 * another; the last block takes the result and leaves zeros for the next launch. So there is no second launch. The
 * loop matters: with a block for each tile, each tile costs two atomic operations, and while a block waits for them it
 * has no loads under way. */
/* What the blocks have added so far. It is zero before a launch and after it. */
template <typename T> struct progress {
    T sum;
    uint32_t blocks;
};

template <typename T> __device__ void one_pass(const T *in, T *result, struct progress<T> *progress, uint64_t n)
{
    T sum = grid_stride_sum(in, n);
    if (threadIdx.x != 0)
        return;
    atomicAdd(&progress->sum, sum);
    __threadfence();
    if (atomicInc(&progress->blocks, gridDim.x - 1) == gridDim.x - 1)
        *result = atomicExch(&progress->sum, 0);
}
// end

// steps use tile, grid-stride, finish

// region cooperative "Cooperative grid"
/* The kernel of the grid-stride loop, with a barrier for the whole grid in place of the second launch: the first block
 * waits for the partial sums of the others. All blocks must run at the same time, so there are no more than fit. */
template <typename T> __device__ void cooperative(const T *in, T *sums, T *result, uint64_t n)
{
    grid_stride(in, sums, n);
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0)
        finish(sums, result, gridDim.x);
}
// end

/* --- the kernels of the image ------------------------------------------------------------------------------------- */

#define TILED __launch_bounds__(REDUCTION_BLOCK, REDUCTION_RESIDENT_BLOCKS)

#define KERNEL(name, bounds, type, ...)                                                                                \
    extern "C" __global__ bounds void reduction_##name##_##type(__VA_ARGS__, uint64_t n)

#define PARTIAL_SUMS(name, bounds, T, type)                                                                            \
    KERNEL(name, bounds, type, const T *in, T *sums)                                                                   \
    {                                                                                                                  \
        name(in, sums, n);                                                                                             \
    }

#define KERNELS(T, type)                                                                                               \
    PARTIAL_SUMS(divergent, , T, type)                                                                                 \
    PARTIAL_SUMS(interleaved, , T, type)                                                                               \
    PARTIAL_SUMS(sequential, , T, type)                                                                                \
    PARTIAL_SUMS(first_add, , T, type)                                                                                 \
    PARTIAL_SUMS(warp_shuffle, , T, type)                                                                              \
    PARTIAL_SUMS(grid_stride, TILED, T, type)                                                                          \
    PARTIAL_SUMS(finish, , T, type)                                                                                    \
    KERNEL(one_pass, TILED, type, const T *in, T *result, struct progress<T> *progress)                                \
    {                                                                                                                  \
        one_pass(in, result, progress, n);                                                                             \
    }                                                                                                                  \
    KERNEL(cooperative, TILED, type, const T *in, T *sums, T *result)                                                  \
    {                                                                                                                  \
        cooperative(in, sums, result, n);                                                                              \
    }

KERNELS(uint32_t, int32)
KERNELS(float, fp32)

LAB_FILL_KERNEL(reduction_fill, reduction_element)

/* The sum of n elements is computed once more from the function that fills the input. */
extern "C" __global__ void reduction_check(const uint32_t *result, uint64_t count, uint64_t seed, uint64_t type,
                                           uint64_t n, uint64_t, struct lab_check_result *of_check)
{
    uint64_t sum = 0, total;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
        sum += (uint64_t)reduction_number(i, seed, type);
    if (lab_check_total(of_check, sum, &total) && *result != reduction_bits((int64_t)total, type))
        of_check->wrong = count;
}

// step library "CUB (library)" shows kernels/cuda/reduction.cu:sum
/* NVIDIA's library, as the reference: it chooses kernels, tiles and grids for the device. */
