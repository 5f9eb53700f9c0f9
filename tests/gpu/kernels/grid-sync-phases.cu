// --entry two_phases --reference two_phases_simple --cooperative --arg n:i32=100000 --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg 'z:fp32[n]:out' --grid 128 --block 256 --bytes '16 * n'
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void two_phases(int n, const float *x, float *y, float *z)
{
    cg::grid_group grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        y[i] = 2 * x[i];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        z[i] = y[n - 1 - i];
}

extern "C" __global__ void two_phases_simple(int n, const float *x, float *y, float *z)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = 2 * x[i];
        z[i] = 2 * x[n - 1 - i];
    }
}
