/* Each of 1024 threads adds up a part of the vector; after a scan of these sums it writes those of its part. */
__global__ void reference(const unsigned int *x, unsigned int *y, int n)
{
    __shared__ unsigned int sums[1024];
    int part = (n + 1023) / 1024, first = min(n, (int)threadIdx.x * part), end = min(n, first + part);
    unsigned int own = 0;
    for (int i = first; i < end; i++)
        own += x[i];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
        unsigned int left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    own = sums[threadIdx.x] - own;
    for (int i = first; i < end; i++)
        y[i] = own += x[i];
}
