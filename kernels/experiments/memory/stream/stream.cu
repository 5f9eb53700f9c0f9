/* Six kernels that read and write device memory in the proportions of the STREAM benchmark, and pure reads and writes.
 * n is the number of 16-byte elements. */
#include "benchmark/check.h"
#include "benchmark/elements.cuh"
#include "stream.h"

// steps use stream.h:constants

// region read "sum of a"
/* A kernel must use what it reads, or the compiler removes the loads. Tiles of 8 KiB are added up and one sum is
 * written for each, so almost all of the traffic is reads. On a GPU a warp takes a tile, and each thread has 16 loads
 * of 16 bytes under way before it needs the first. */
extern "C" __global__ void stream_read(const uint4 *__restrict__ a, uint32_t *__restrict__ sums, uint64_t n)
{
    constexpr uint32_t warp = 32, loads = STREAM_TILE_WORDS / 4 / warp;
    uint32_t lane = threadIdx.x % warp;
    uint64_t tiles = n / (loads * warp), warps = (uint64_t)gridDim.x * blockDim.x / warp;
    for (uint64_t tile = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / warp; tile < tiles; tile += warps) {
        uint4 values[loads];
#pragma unroll
        for (uint32_t k = 0; k < loads; k++)
            values[k] = a[(tile * loads + k) * warp + lane];
        uint32_t sum = 0;
#pragma unroll
        for (uint32_t k = 0; k < loads; k++)
            sum += values[k].x + values[k].y + values[k].z + values[k].w;
        for (uint32_t offset = warp / 2; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0)
            sums[tile] = sum;
    }
}
// end

// steps use stream.h:constants, kernels/benchmark/elements.cuh:elements

// region write "c = s"
/* Stores only. A thread of a GPU does not wait for its stores, so few warps keep the memory busy. A CPU core first
 * reads each cache line that it is going to write, unless it can tell that all of it will be written. */
extern "C" __global__ void stream_write(float4 *c, uint64_t n)
{
    FOR_EACH_ELEMENT(i, n)
    c[i] = make_float4(STREAM_SCALAR, STREAM_SCALAR, STREAM_SCALAR, STREAM_SCALAR);
}
// end

// region copy "c = a"
/* One load and one store per element. The memory's bus changes its direction between them, which costs bandwidth. The
 * loop of the GPU is unrolled four times, so that four loads of a thread are under way. */
extern "C" __global__ void stream_copy(const float4 *__restrict__ a, float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    c[i] = a[i];
}
// end

// region scale "c = s a"
/* The same traffic as copy, and four multiplications for 32 bytes: the arithmetic is hidden behind the memory. */
extern "C" __global__ void stream_scale(const float4 *__restrict__ a, float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    c[i] = STREAM_SCALAR * a[i];
}
// end

// region add "c = a + b"
/* Two loads for each store: a larger share of reads, and fewer changes of direction. */
extern "C" __global__ void stream_add(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                      float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    c[i] = a[i] + b[i];
}
// end

// region triad "c = a + s b"
/* The traffic of add with a multiply-add in place of the addition; the kernel that STREAM is usually quoted with. */
extern "C" __global__ void stream_triad(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                        float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    c[i] = a[i] + STREAM_SCALAR * b[i];
}
// end

// steps use nothing

// step memset "Memset (library)" shows kernels/cuda/operations.c:set
/* The driver sets each byte of the array, by a kernel of its own. */

LAB_CHECK_KERNEL(stream_check, stream_expected)
