// --entry rmsnorm --reference rmsnorm_simple --arg 'x:fp16[rows * 1024]' --arg 'y:fp16[rows * 1024]:out' --arg rows:i32=512 --arg scale:fp16=0.5 --grid rows --block 256 --reference-block 1
#include <cuda_fp16.h>

__global__ void rmsnorm(const half2 *x, half2 *y, int rows, half scale)
{
    __shared__ float partial[8];
    const half2 *row = x + blockIdx.x * 512;
    float sum = 0;
    for (int i = threadIdx.x; i < 512; i += 256) {
        float2 both = __half22float2(row[i]);
        sum += both.x * both.x + both.y * both.y;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(~0u, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++)
        sum += partial[i];
    half2 factor = __float2half2_rn(rsqrtf(sum / 1024) * __half2float(scale));
    for (int i = threadIdx.x; i < 512; i += 256)
        y[blockIdx.x * 512 + i] = __hmul2(row[i], factor);
}

__global__ void rmsnorm_simple(const half *x, half *y, int rows, half scale)
{
    float sum = 0;
    for (int i = 0; i < 1024; i++)
        sum += __half2float(x[blockIdx.x * 1024 + i]) * __half2float(x[blockIdx.x * 1024 + i]);
    for (int i = 0; i < 1024; i++)
        y[blockIdx.x * 1024 + i] =
            __float2half(__half2float(x[blockIdx.x * 1024 + i]) * rsqrtf(sum / 1024) * __half2float(scale));
}
