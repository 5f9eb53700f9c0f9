/* A thread for each element; sums are those of double. */
#include <cuda_bf16.h>

__global__ void reference(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= n || column >= n)
        return;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)__bfloat162float(a[row * n + k]) * __bfloat162float(b[k * n + column]);
    c[row * n + column] = (float)sum;
}
