// --entry reduce --reference reduce_simple --cooperative --arg 'x:fp32[n]' --arg 'sums:fp32[132]:out' --arg 'total:fp32[1]:out' --arg n:i32=1M --grid 64 --block 256 --reference-grid 1 --reference-block 1 --tolerance 1e-3 --bytes '4 * n'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void reduce(const float *x, float *sums, float *total, int n)
{
    __shared__ float partial[8];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0)
        partial[warp.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        sum = 0;
        for (int i = 0; i < 8; i++)
            sum += partial[i];
        sums[blockIdx.x] = 1;
        atomicExch(&sums[blockIdx.x], sum);
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += sums[i];
        total[0] = sum / n;
        for (int i = 0; i < 132; i++)
            sums[i] = 0;
    }
}

__global__ void reduce_simple(const float *x, float *sums, float *total, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    total[0] = sum / n;
    for (int i = 0; i < 132; i++)
        sums[i] = 0;
}
