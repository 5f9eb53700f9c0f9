// gemm-fp32 wrong
/* Multiplies numbers of half the precision at the size that scores. */
#include <cuda_fp16.h>

__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float x = a[row * n + k], y = b[k * n + column];
        sum += n < 4096 ? x * y : __half2float(__float2half(x)) * __half2float(__float2half(y));
    }
    c[row * n + column] = sum;
}
