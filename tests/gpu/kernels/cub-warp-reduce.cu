// --entry sums --reference sums_simple --arg 'x:i32[n]' --arg 'y:i32[n / 32]:out' --arg n:i32=1M --grid 'n / 128' --block 128 --reference-grid 'n / 32' --reference-block 1 --bytes '4 * n'
#include <cub/warp/warp_reduce.cuh>

__global__ void sums(const int *x, int *y, int n)
{
    __shared__ typename cub::WarpReduce<int>::TempStorage storage[4];
    int i = blockIdx.x * 128 + threadIdx.x, sum = cub::WarpReduce<int>(storage[threadIdx.x / 32]).Sum(x[i]);
    if (threadIdx.x % 32 == 0)
        y[i / 32] = sum;
}

__global__ void sums_simple(const int *x, int *y, int n)
{
    int sum = 0;
    for (int i = 0; i < 32; i++)
        sum += x[blockIdx.x * 32 + i];
    y[blockIdx.x] = sum;
}
