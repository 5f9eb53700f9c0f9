/* The sum of two vectors in the ways in which the first CUDA kernels are usually written. */
#include "benchmark/check.h"
#include "vector_add.h"

// region one-block
/* One block: its threads take the elements in turn, and only one multiprocessor works. */
extern "C" __global__ void vector_add_one_block(const float *a, const float *b, float *c, uint64_t n)
{
    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}
// end one-block

// region thread-per-element
/* As many threads as elements. The last block may have threads without an element. */
extern "C" __global__ void vector_add_thread_per_element(const float *a, const float *b, float *c, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
// end thread-per-element

// region grid-stride
/* Any number of blocks: the threads of the grid take the elements in turn. */
extern "C" __global__ void vector_add_grid_stride(const float *a, const float *b, float *c, uint64_t n)
{
    uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        c[i] = a[i] + b[i];
}
// end grid-stride

// region vectorized
/* The same with 4 neighbouring elements for each thread, which one instruction of 16 bytes loads or stores. */
extern "C" __global__ void vector_add_vectorized(const float4 *a, const float4 *b, float4 *c, uint64_t n)
{
    uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += threads) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}
// end vectorized

LAB_CHECK_KERNEL(vector_add_check, vector_add_expected)
