// --entry histogram --reference histogram_simple --define BINS=64,256,1024 --arg 'x:u32[n]' --arg 'bins:u32[BINS]:inout:zero' --arg n:u32=1M --block 256 --grid 256 --bytes '4 * n'

__global__ void histogram(const unsigned *x, unsigned *bins, unsigned n)
{
    __shared__ unsigned own[BINS];
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i] % BINS], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], own[i]);
}

__global__ void histogram_simple(const unsigned *x, unsigned *bins, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i] % BINS], 1);
}
