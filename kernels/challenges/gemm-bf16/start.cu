/* A thread adds up the products of an element, without tensor cores. */
#include <cuda_bf16.h>

__global__ void gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += __bfloat162float(a[row * n + k]) * __bfloat162float(b[k * n + column]);
    c[row * n + column] = sum;
}
