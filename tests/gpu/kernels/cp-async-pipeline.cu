// --entry copy --reference copy_simple --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg n:i32=1M --grid 'n / 4096' --block 256 --bytes '8 * n'
#include <cuda_pipeline.h>

__global__ void copy(const float *x, float *y, int n)
{
    __shared__ float4 stage[2][256];
    const float4 *from = (const float4 *)(x + blockIdx.x * 4096);
    float4 *to = (float4 *)(y + blockIdx.x * 4096);
    __pipeline_memcpy_async(&stage[0][threadIdx.x], &from[threadIdx.x], 16);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            __pipeline_memcpy_async(&stage[(i + 1) % 2][threadIdx.x], &from[(i + 1) * 256 + threadIdx.x], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        float4 v = stage[i % 2][threadIdx.x];
        to[i * 256 + threadIdx.x] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}

__global__ void copy_simple(const float *x, float *y, int n)
{
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        y[blockIdx.x * 4096 + i] = 2 * x[blockIdx.x * 4096 + i];
}
