// --grid 1056 --block 256
__device__ unsigned int total[256], finished;

__global__ void histogram(const unsigned char *x, unsigned int *bins, int n)
{
    __shared__ unsigned int counts[8][256];
    __shared__ bool is_last;
    unsigned int *own = counts[threadIdx.x / 32];
    int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int warp = 0; warp < 8; warp++)
        counts[warp][threadIdx.x] = 0;
    __syncthreads();
    for (int i = first; i < n / 16; i += threads) {
        uint4 v = ((const uint4 *)x)[i];
        unsigned int words[] = {v.x, v.y, v.z, v.w};
        for (int w = 0; w < 4; w++)
            for (int shift = 0; shift < 32; shift += 8)
                atomicAdd(&own[words[w] >> shift & 255], 1);
    }
    for (int i = n / 16 * 16 + first; i < n; i += threads)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    unsigned int count = 0;
    for (int warp = 0; warp < 8; warp++)
        count += counts[warp][threadIdx.x];
    atomicAdd(&total[threadIdx.x], count);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last)
        bins[threadIdx.x] = atomicExch(&total[threadIdx.x], 0);
}
