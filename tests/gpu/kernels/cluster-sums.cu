// --entry sums --reference sums_simple --cluster 4 --arg 'x:u32[n]' --arg 'y:u32[n / 1024]:out' --arg n:i32=1M --grid 'n / 256' --block 256 --reference-grid 'n / 1024' --reference-block 1 --bytes '4 * n'
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sums(const unsigned *x, unsigned *y, int n)
{
    __shared__ unsigned sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * 256 + threadIdx.x]);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        unsigned total = 0;
        for (int i = 0; i < cluster.num_blocks(); i++)
            total += *cluster.map_shared_rank(&sum, i);
        y[blockIdx.x / 4] = total;
    }
    cluster.sync();
}

__global__ void sums_simple(const unsigned *x, unsigned *y, int n)
{
    unsigned total = 0;
    for (int i = 0; i < 1024; i++)
        total += x[blockIdx.x * 1024 + i];
    y[blockIdx.x] = total;
}
