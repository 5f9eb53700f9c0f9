// gemm-bf16 wrong
/* Adds in bf16. */
#include <cuda_bf16.h>

__global__ void gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    __nv_bfloat16 sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum + a[row * n + k] * b[k * n + column];
    c[row * n + column] = __bfloat162float(sum);
}
