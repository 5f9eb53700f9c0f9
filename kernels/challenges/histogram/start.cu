/* One block counts all bytes in shared memory. */
__global__ void histogram(const unsigned char *x, unsigned int *bins, int n)
{
    __shared__ unsigned int counts[256];
    for (int v = threadIdx.x; v < 256; v += blockDim.x)
        counts[v] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&counts[x[i]], 1);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += blockDim.x)
        bins[v] = counts[v];
}
