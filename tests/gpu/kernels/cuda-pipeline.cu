// --entry copy --reference copy_simple --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg n:i32=1M --grid 'n / 1024' --block 256 --bytes '8 * n'
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void copy(const float *x, float *y, int n)
{
    __shared__ float stage[1024];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, stage, x + blockIdx.x * 1024, sizeof stage);
    cg::wait(block);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        y[blockIdx.x * 1024 + i] = stage[1023 - i];
}

__global__ void copy_simple(const float *x, float *y, int n)
{
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        y[blockIdx.x * 1024 + i] = x[blockIdx.x * 1024 + 1023 - i];
}
