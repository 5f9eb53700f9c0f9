/* One block goes over the vector, 256 elements at a time. */
__global__ void prefix_sum(const unsigned int *x, unsigned int *y, int n)
{
    __shared__ unsigned int sums[256];
    unsigned int before = 0; /* the sum of all elements before the 256 that are added up */
    for (int first = 0; first < n; first += 256) {
        int i = first + threadIdx.x;
        sums[threadIdx.x] = i < n ? x[i] : 0;
        __syncthreads();
        for (int distance = 1; distance < 256; distance *= 2) {
            unsigned int left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        if (i < n)
            y[i] = before + sums[threadIdx.x];
        before += sums[255];
        __syncthreads();
    }
}
