// --entry copy --reference copy_simple --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg n:i32=1M --grid 'n / 1024' --block 256 --bytes '8 * n'
#include <cuda/barrier>
#include <cuda/ptx>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void copy(const float *x, float *y, int n)
{
    __shared__ alignas(128) float stage[1024];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier ready;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(stage, x + blockIdx.x * 1024, cuda::aligned_size_t<16>(sizeof stage), ready);
        token = cuda::device::barrier_arrive_tx(ready, 1, sizeof stage);
    } else {
        token = ready.arrive();
    }
    ready.wait(cuda::std::move(token));
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        y[blockIdx.x * 1024 + i] = 3 * stage[i];
}

__global__ void copy_simple(const float *x, float *y, int n)
{
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        y[blockIdx.x * 1024 + i] = 3 * x[blockIdx.x * 1024 + i];
}
