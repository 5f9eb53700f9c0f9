/* Copies with an addition in which the threads of a warp read, or write, in different patterns. Each thread handles one
 * element of 4 bytes. */
#include "benchmark/check.h"
#include "coalescing.h"

// region shifted
/* Neighbouring threads access neighbouring elements, beginning `shift` elements after an aligned address. */
extern "C" __global__ void coalescing_read_shifted(const float *in, float *out, uint64_t n, uint64_t shift)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + shift] + 1.0f;
}

extern "C" __global__ void coalescing_write_shifted(const float *in, float *out, uint64_t n, uint64_t shift)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + shift] = in[i] + 1.0f;
}
// end shifted

// region permuted
/* The threads of a warp access the warp's 32 elements in another order. */
extern "C" __global__ void coalescing_read_permuted(const float *in, float *out, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[coalescing_permute(i)] + 1.0f;
}

extern "C" __global__ void coalescing_write_permuted(const float *in, float *out, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[coalescing_permute(i)] = in[i] + 1.0f;
}
// end permuted

// region strided
/* Neighbouring threads access elements that are `stride` apart, like a column of a matrix whose rows have `stride`
 * elements. blockIdx.y is the column, so that all elements are accessed once. */
extern "C" __global__ void coalescing_read_strided(const float *in, float *out, uint64_t rows, uint64_t stride)
{
    uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    if (row < rows)
        out[column * rows + row] = in[row * stride + column] + 1.0f;
}

extern "C" __global__ void coalescing_write_strided(const float *in, float *out, uint64_t rows, uint64_t stride)
{
    uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    if (row < rows)
        out[row * stride + column] = in[column * rows + row] + 1.0f;
}
// end strided

LAB_CHECK_KERNEL(coalescing_check, coalescing_expected)
