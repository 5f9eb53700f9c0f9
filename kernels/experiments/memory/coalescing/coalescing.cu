/* Copies with an addition in which the threads of a warp read, or write, in different patterns. Each thread handles one
 * element of 4 bytes. */
#include "benchmark/check.h"
#include "coalescing.h"

// region shifted "Aligned and shifted"
/* Thread i accesses element i + shift; aligned is a shift of 0. A warp's 32 floats are 128 contiguous bytes: 4 sectors
 * if they begin at a multiple of 32 bytes, else 5. */
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
// end

// steps use coalescing.h:permutation

// region permuted "Permuted within the warp"
/* The threads of a warp access the same 128 bytes in another order. The hardware moves sectors, so the order does not
 * matter. */
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
// end

// steps use nothing

// region strided "Strided"
/* Neighbouring threads access elements that are `stride` apart, like a column of a matrix whose rows have `stride`
 * elements; blockIdx.y is the column, so that all elements are accessed once. From stride 8 on each thread needs a
 * sector of its own, of which it uses 4 of 32 bytes. */
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
// end

LAB_CHECK_KERNEL(coalescing_check, coalescing_expected)
