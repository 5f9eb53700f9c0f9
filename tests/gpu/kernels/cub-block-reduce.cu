// --entry 'sum<BLOCK>' --reference sum_simple --define BLOCK=128,256 --arg 'x:fp32[n]' --arg 'out:fp32[n / BLOCK]:out' --arg n:i32=1M --grid 'n / BLOCK' --block BLOCK --reference-block 1 --bytes '4 * n' --tolerance 1e-3
#include <cub/block/block_reduce.cuh>

template <int THREADS> __global__ void sum(const float *x, float *out, int n)
{
    using Reduce = cub::BlockReduce<float, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    float total = Reduce(storage).Sum(x[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

__global__ void sum_simple(const float *x, float *out, int n)
{
    float total = 0;
    for (int i = 0; i < BLOCK; i++)
        total += x[blockIdx.x * BLOCK + i];
    out[blockIdx.x] = total;
}
