// --entry histogram --reference histogram_simple --arg n:i32=1M --arg 'b:{lo:fp32=0,hi:fp32=1,cells:i32=64}' --arg 'x:fp32[n]' --arg 'bins:u32[64]:inout:zero' --block 256 --grid '(n + 255) / 256' --bytes '4 * n'

struct box {
    float lo, hi;
    int cells;
};

__global__ void histogram(int n, box b, const float *x, unsigned *bins)
{
    __shared__ unsigned own[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 64)
        own[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&own[min(max((int)((x[i] - b.lo) / (b.hi - b.lo) * b.cells), 0), b.cells - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void histogram_simple(int n, box b, const float *x, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[min(max((int)(x[i] * 64), 0), 63)], 1u);
}
