// --entry sort --reference sort_simple --arg 'x:u32[n]' --arg 'y:u32[n]:out' --arg n:i32=64K --grid 'n / 1024' --block 512 --reference-block 1024

__global__ void sort(const unsigned *x, unsigned *y, int n)
{
    __shared__ unsigned own[1024];
    for (int i = threadIdx.x; i < 1024; i += 512)
        own[i] = x[blockIdx.x * 1024 + i];
    for (int size = 2; size <= 1024; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int low = 2 * distance * (threadIdx.x / distance) + threadIdx.x % distance, high = low + distance;
            bool down = (low & size) != 0;
            if ((own[low] > own[high]) != down) {
                unsigned kept = own[low];
                own[low] = own[high];
                own[high] = kept;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 512)
        y[blockIdx.x * 1024 + i] = own[i];
}

__global__ void sort_simple(const unsigned *x, unsigned *y, int n)
{
    const unsigned *own = x + blockIdx.x * 1024;
    int rank = 0;
    for (int i = 0; i < 1024; i++)
        rank += own[i] < own[threadIdx.x] || (own[i] == own[threadIdx.x] && i < threadIdx.x);
    y[blockIdx.x * 1024 + rank] = own[threadIdx.x];
}
