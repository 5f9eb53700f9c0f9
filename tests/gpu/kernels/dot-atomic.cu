// --entry dot --reference dot_simple --arg 'x:fp32[n]' --arg 'y:fp32[n]' --arg 'sum:fp64[1]:inout:zero' --arg n:i32=1M --grid 128 --block 256 --bytes '8 * n' --tolerance 1e-6

__global__ void dot(const float *x, const float *y, double *sum, int n)
{
    double own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += (double)x[i] * y[i];
    for (int offset = 16; offset > 0; offset /= 2)
        own += __shfl_down_sync(~0u, own, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}

__global__ void dot_simple(const float *x, const float *y, double *sum, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, (double)x[i] * y[i]);
}
