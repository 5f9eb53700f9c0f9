// --entry ranks --reference ranks_simple --cluster 16 --arg 'y:u32[256]:out' --grid 256 --block 32
#include <cooperative_groups.h>

__global__ void ranks(unsigned *y)
{
    if (threadIdx.x == 0)
        y[blockIdx.x] = cooperative_groups::this_cluster().block_rank();
}

__global__ void ranks_simple(unsigned *y)
{
    y[blockIdx.x] = blockIdx.x % 16;
}
