// --entry sort --reference sort_simple --arg 'x:u32[n]' --arg 'y:u32[n]:out' --arg n:i32=64K --grid 'n / 512' --block 128 --reference-block 512
#include <cub/block/block_radix_sort.cuh>

__global__ void sort(const unsigned *x, unsigned *y, int n)
{
    using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
    __shared__ typename Sort::TempStorage storage;
    unsigned items[4];
    for (int i = 0; i < 4; i++)
        items[i] = x[blockIdx.x * 512 + threadIdx.x * 4 + i];
    Sort(storage).Sort(items);
    for (int i = 0; i < 4; i++)
        y[blockIdx.x * 512 + threadIdx.x * 4 + i] = items[i];
}

__global__ void sort_simple(const unsigned *x, unsigned *y, int n)
{
    const unsigned *own = x + blockIdx.x * 512;
    unsigned value = own[threadIdx.x];
    int rank = 0;
    for (int i = 0; i < 512; i++)
        rank += own[i] < value || (own[i] == value && i < threadIdx.x);
    y[blockIdx.x * 512 + rank] = value;
}
