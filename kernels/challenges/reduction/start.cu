/* One block: each thread adds up a part, then a tree adds up the sums of the threads. */
__global__ void sum(const unsigned int *x, unsigned long long *total, int n)
{
    __shared__ unsigned long long sums[256];
    unsigned long long own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own += x[i];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = sums[0];
}
