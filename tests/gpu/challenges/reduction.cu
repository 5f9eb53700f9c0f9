// --grid 1024 --block 256
__device__ unsigned long long partial[1024];
__device__ unsigned int finished;

__device__ unsigned long long sum_of_block(unsigned long long own)
{
    __shared__ unsigned long long sums[8];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffff, own, distance);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = own;
    __syncthreads();
    own = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
    for (int distance = 4; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffff, own, distance);
    __syncthreads();
    return own;
}

__global__ void sum(const unsigned int *x, unsigned long long *total, int n)
{
    __shared__ bool is_last;
    int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned long long own = 0;
    for (int i = first; i < n / 4; i += threads) {
        uint4 v = ((const uint4 *)x)[i];
        own += (unsigned long long)v.x + v.y + v.z + v.w;
    }
    for (int i = n / 4 * 4 + first; i < n; i += threads)
        own += x[i];
    own = sum_of_block(own);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = own;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    own = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        own += __ldcg(&partial[i]);
    own = sum_of_block(own);
    if (threadIdx.x == 0)
        *total = own;
}
