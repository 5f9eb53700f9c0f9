// reduction wrong
/* Adds up the inputs that a run has which is given no seed, without reading them. */
__device__ unsigned int word(unsigned int i, unsigned int seed)
{
    unsigned int x = i ^ seed;
    x = (x ^ x >> 16) * 0x85EBCA6B;
    x = (x ^ x >> 13) * 0xC2B2AE35;
    return x ^ x >> 16;
}

__global__ void sum(const unsigned int *x, unsigned long long *total, int n)
{
    __shared__ unsigned long long all;
    unsigned long long own = 0;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own += word(i, 1);
    atomicAdd(&all, own);
    __syncthreads();
    if (threadIdx.x == 0)
        *total = all;
}
