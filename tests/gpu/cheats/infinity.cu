// gemm-fp32 wrong
/* Writes values whose difference from the reference is no number. */
__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n)
        c[row * n + column] = __int_as_float(0x7f800000);
}
