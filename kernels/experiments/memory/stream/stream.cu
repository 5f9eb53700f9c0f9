/* Six kernels that read and write device memory in the proportions of the STREAM benchmark (J. D. McCalpin, 1995), and
 * pure reads and writes. n is the number of 16-byte elements. The threads of a grid of any size take the elements in turn, so
 * neighbouring threads access neighbouring elements. */
#include "benchmark/check.h"
#include "stream.h"

// region loop
#define FOR_EACH_ELEMENT(i, n)                                                                                         \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
// end loop

// region copy
extern "C" __global__ void stream_copy(const float4 *__restrict__ a, float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    c[i] = a[i];
}
// end copy

// region write
extern "C" __global__ void stream_write(float4 *c, uint64_t n)
{
    float4 value = make_float4(STREAM_SCALAR, STREAM_SCALAR, STREAM_SCALAR, STREAM_SCALAR);
    FOR_EACH_ELEMENT(i, n)
    c[i] = value;
}
// end write

// region scale
extern "C" __global__ void stream_scale(const float4 *__restrict__ a, float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    {
        float4 x = a[i];
        c[i] = make_float4(STREAM_SCALAR * x.x, STREAM_SCALAR * x.y, STREAM_SCALAR * x.z, STREAM_SCALAR * x.w);
    }
}
// end scale

// region add
extern "C" __global__ void stream_add(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                      float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}
// end add

// region triad
extern "C" __global__ void stream_triad(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                        float4 *__restrict__ c, uint64_t n)
{
#pragma unroll 4
    FOR_EACH_ELEMENT(i, n)
    {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + STREAM_SCALAR * y.x, x.y + STREAM_SCALAR * y.y, x.z + STREAM_SCALAR * y.z,
                           x.w + STREAM_SCALAR * y.w);
    }
}
// end triad

// region read
/* A kernel that reads must use what it reads, or the compiler removes the loads. Here each warp adds up a tile of 8 KiB,
 * with 16 loads of 512 bytes that do not wait for each other, and writes one sum. */
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
// end read

LAB_CHECK_KERNEL(stream_check, stream_expected)
