/* One block counts all bytes in shared memory. */
__global__ void reference(const unsigned char *x, unsigned int *bins, int n)
{
    __shared__ unsigned int counts[256];
    if (threadIdx.x < 256)
        counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 1024)
        atomicAdd(&counts[x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 256)
        bins[threadIdx.x] = counts[threadIdx.x];
}
