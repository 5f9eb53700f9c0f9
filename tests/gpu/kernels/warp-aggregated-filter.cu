// --entry filter --reference filter_simple --arg 'x:u32[n]' --arg 'count:u32[1]:inout:zero' --arg n:i32=1M --block 256 --grid 'n / 256' --bytes '4 * n'
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void filter(const unsigned *x, unsigned *count, int n)
{
    if (x[blockIdx.x * blockDim.x + threadIdx.x] % 3 != 0)
        return;
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
        atomicAdd(count, active.size());
}

__global__ void filter_simple(const unsigned *x, unsigned *count, int n)
{
    if (x[blockIdx.x * blockDim.x + threadIdx.x] % 3 == 0)
        atomicAdd(count, 1);
}
