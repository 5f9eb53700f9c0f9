/* The sum of n floats by algorithms that round differently. In all but the tree one thread adds, so that the times
 * compare the additions; the other threads of its warp help it load. n is a multiple of the size of a batch. */
#include "benchmark/check.h"
#include "summation.h"

constexpr uint32_t warp = 32;

// region batches
/* Calls add(batch) in the first thread of the warp with each batch of x, in shared memory. Meanwhile all threads load
 * the next batch. */
template <typename Add> __device__ void for_each_batch(const float *x, uint64_t n, Add add)
{
    constexpr uint32_t each = SUMMATION_BATCH / 4 / warp;
    __shared__ float4 batch[SUMMATION_BATCH / 4];
    const float4 *next = reinterpret_cast<const float4 *>(x) + threadIdx.x;
    float4 values[each];
    for (uint64_t i = 0; i <= n; i += SUMMATION_BATCH, next += SUMMATION_BATCH / 4) {
#pragma unroll
        for (uint32_t k = 0; k < each; k++)
            values[k] = i < n ? next[k * warp] : make_float4(0, 0, 0, 0);
        if (i > 0 && threadIdx.x == 0)
            add(reinterpret_cast<const float *>(batch));
        __syncwarp();
#pragma unroll
        for (uint32_t k = 0; k < each; k++)
            batch[k * warp + threadIdx.x] = values[k];
        __syncwarp();
    }
}
// end

// steps use summation.h:sizes, batches

// region in-order "One element after the other"
/* One sum, to which each element is added. Its rounding errors are those of a number that grows with n. The other
 * threads of the warp only help to load, so that the additions decide the time. */
extern "C" __global__ void summation_in_order(const float *x, float *result, uint64_t n)
{
    float sum = 0;
    for_each_batch(x, n, [&](const float *batch) {
#pragma unroll 64
        for (uint32_t k = 0; k < SUMMATION_BATCH; k++)
            sum += batch[k];
    });
    if (threadIdx.x == 0)
        *result = sum;
}
// end

// region pairwise "Sums of equally many elements"
/* 64 elements are added as a tree: 32 additions, 16, 8, … that do not wait for each other. The sums of these leaves
 * are added in pairs as well: `sums[level]` is the sum of `2^level` leaves if that bit of the number of leaves is 1, so
 * that adding a leaf is like adding 1 to a binary number. The compiler must keep the order of additions, so it does not
 * make this out of the loop in order. */
__device__ static float leaf_sum(const float *leaf)
{
    float sums[SUMMATION_LEAF];
#pragma unroll
    for (uint32_t k = 0; k < SUMMATION_LEAF; k++)
        sums[k] = leaf[k];
#pragma unroll
    for (uint32_t half = SUMMATION_LEAF / 2; half > 0; half /= 2)
#pragma unroll
        for (uint32_t k = 0; k < SUMMATION_LEAF / 2; k++)
            if (k < half)
                sums[k] += sums[k + half];
    return sums[0];
}

extern "C" __global__ void summation_pairwise(const float *x, float *result, uint64_t n)
{
    float sums[SUMMATION_LEVELS], sum = 0;
    uint64_t leaves = 0;
    for_each_batch(x, n, [&](const float *batch) {
        for (const float *leaf = batch; leaf < batch + SUMMATION_BATCH; leaf += SUMMATION_LEAF) {
            float of_leaf = leaf_sum(leaf);
            uint32_t level = 0;
            for (; leaves >> level & 1; level++)
                of_leaf += sums[level];
            sums[level] = of_leaf;
            leaves++;
        }
    });
    for (uint32_t level = 0; leaves >> level > 0; level++)
        if (leaves >> level & 1)
            sum += sums[level];
    if (threadIdx.x == 0)
        *result = sum;
}
// end

// region kahan "In order, compensated (Kahan)"
/* `next - sum` is what was really added. The difference from what should have been added, `excess`, is the rounding
 * error, by which the next element is reduced. An optimiser that treats floats like real numbers would see that it is 0
 * and remove it; nvcc does not. */
extern "C" __global__ void summation_kahan(const float *x, float *result, uint64_t n)
{
    float sum = 0, excess = 0;
    for_each_batch(x, n, [&](const float *batch) {
#pragma unroll 64
        for (uint32_t k = 0; k < SUMMATION_BATCH; k++) {
            float corrected = batch[k] - excess, next = sum + corrected;
            excess = (next - sum) - corrected;
            sum = next;
        }
    });
    if (threadIdx.x == 0)
        *result = sum;
}
// end

// region double "In order, in fp64"
/* The same additions with 53 bits in place of 24; the result is rounded once. Each element has to be converted. On GPUs
 * for graphics fp64 additions are 32 to 64 times slower than those of fp32; for a single thread the latency counts. */
extern "C" __global__ void summation_double(const float *x, float *result, uint64_t n)
{
    double sum = 0;
    for_each_batch(x, n, [&](const float *batch) {
#pragma unroll 64
        for (uint32_t k = 0; k < SUMMATION_BATCH; k++)
            sum += batch[k];
    });
    if (threadIdx.x == 0)
        *result = (float)sum;
}
// end

// steps use summation.h:sizes

// region tree "Pairwise, by all threads"
/* Each block adds up a tile of 1024 elements as a tree: four elements in each thread, the threads of a warp, the warps.
 * Further launches add up the sums of the blocks. Elements after the end are 0. */
__device__ static float warp_sum(float value)
{
    for (uint32_t offset = warp / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

extern "C" __global__ void summation_tree(const float *x, float *sums, uint64_t n)
{
    constexpr uint32_t warps = SUMMATION_BLOCK / warp, each = SUMMATION_TILE / SUMMATION_BLOCK;
    __shared__ float sums_of_warps[warps];
    uint32_t lane = threadIdx.x % warp;
    float four[each];
#pragma unroll
    for (uint32_t k = 0; k < each; k++) {
        uint64_t i = (uint64_t)blockIdx.x * SUMMATION_TILE + k * SUMMATION_BLOCK + threadIdx.x;
        four[k] = i < n ? x[i] : 0;
    }
    float sum = warp_sum((four[0] + four[1]) + (four[2] + four[3]));
    if (lane == 0)
        sums_of_warps[threadIdx.x / warp] = sum;
    __syncthreads();
    if (threadIdx.x >= warp)
        return;
    sum = warp_sum(lane < warps ? sums_of_warps[lane] : 0);
    if (lane == 0)
        sums[blockIdx.x] = sum;
}
// end

LAB_FILL_KERNEL(summation_fill, summation_element)

/* The exact sum is computed from the function that fills the input, in integers. `bits` are those of the error
 * bound. */
extern "C" __global__ void summation_check(const float *result, uint64_t count, uint64_t seed, uint64_t content,
                                           uint64_t n, uint64_t bits, struct lab_check_result *of_check)
{
    uint64_t sum = 0, units;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
        sum += summation_units(i, seed, content);
    if (!lab_check_total(of_check, sum, &units))
        return;
    double error = summation_error(*result, units);
    of_check->error = __double_as_longlong(error);
    if (error > __longlong_as_double((long long)bits))
        of_check->wrong = count;
}
