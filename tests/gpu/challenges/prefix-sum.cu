// --cooperative --grid 132 --block 1024
#include <cooperative_groups.h>

__device__ unsigned int sums_of_blocks[132];

/* The sum of the values of the threads up to this one; *all: the sum of the block. */
__device__ unsigned int scan(unsigned int own, unsigned int *all)
{
    __shared__ unsigned int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(0xffffffff, own, distance);
        own += lane >= distance ? left : 0;
    }
    if (lane == 31)
        sums[warp] = own;
    __syncthreads();
    if (warp == 0) {
        unsigned int sum = sums[lane];
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned int left = __shfl_up_sync(0xffffffff, sum, distance);
            sum += lane >= distance ? left : 0;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    *all = sums[31];
    own += warp > 0 ? sums[warp - 1] : 0;
    __syncthreads();
    return own;
}

__global__ void prefix_sum(const unsigned int *x, unsigned int *y, int n)
{
    int part = (n + gridDim.x - 1) / gridDim.x;
    int first = min(n, (int)blockIdx.x * part), end = min(n, first + part);
    unsigned int own = 0, all, before = 0;
    for (int i = first + threadIdx.x; i < end; i += 1024)
        own += x[i];
    scan(own, &all);
    if (threadIdx.x == 0)
        sums_of_blocks[blockIdx.x] = all;
    cooperative_groups::this_grid().sync();
    scan(threadIdx.x < blockIdx.x ? sums_of_blocks[threadIdx.x] : 0, &before);
    for (int begin = first; begin < end; begin += 1024) {
        int i = begin + threadIdx.x;
        unsigned int sum = scan(i < end ? x[i] : 0, &all);
        if (i < end)
            y[i] = before + sum;
        before += all;
    }
}
