// --entry axpy --reference axpy_simple --arg n:i32=1M --arg a:bf16=1.5 --arg 'x:bf16[n]' --arg 'y:bf16[n]:inout' --block 256 --grid '(n / 2 + 255) / 256' --reference-grid '(n + 255) / 256' --bytes '6 * n'
#include <cuda_bf16.h>

__global__ void axpy(int n, __nv_bfloat16 a, const __nv_bfloat162 *x, __nv_bfloat162 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        y[i] = __hfma2(__bfloat162bfloat162(a), x[i], y[i]);
}

__global__ void axpy_simple(int n, __nv_bfloat16 a, const __nv_bfloat16 *x, __nv_bfloat16 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float2bfloat16(__bfloat162float(a) * __bfloat162float(x[i]) + __bfloat162float(y[i]));
}
