/* The sum of two vectors in the ways in which the first CUDA kernels are usually written. */
#include "benchmark/check.h"
#include "vector_add.h"

// region one-block "one block for all elements"
/* All threads are in one block and take the elements in turn. Only one multiprocessor works, and loads the elements at
 * its own pace. */
extern "C" __global__ void vector_add_one_block(const float *a, const float *b, float *c, uint64_t n)
{
    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
// end

// region thread-per-element "as many threads as elements"
/* As many threads as elements, rounded up to whole blocks; the last block may have threads without an element. */
extern "C" __global__ void vector_add_thread_per_element(const float *a, const float *b, float *c, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
// end

// region grid-stride "blocks of a given number, whose threads take the elements in turn"
/* The threads of the grid take the elements in turn, so the grid can have any number of blocks. */
extern "C" __global__ void vector_add_grid_stride(const float *a, const float *b, float *c, uint64_t n)
{
    uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        c[i] = a[i] + b[i];
}
// end

// region vectorized "the same with 16-byte loads"
/* Each thread adds four neighbouring elements: a quarter of the instructions, and four times the bytes under way. */
extern "C" __global__ void vector_add_vectorized(const float4 *a, const float4 *b, float4 *c, uint64_t n)
{
    uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += threads) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}
// end

LAB_CHECK_KERNEL(vector_add_check, vector_add_expected)
