// --entry 'scale<float>' --reference scale_simple --std c++20 --arg n:i32=1M --arg a:fp32=2.5 --arg 'x:fp32[n]:inout' --block 256 --grid '(n + 255) / 256'
#include <cuda/std/concepts>

template <cuda::std::floating_point T> __global__ void scale(int n, T a, T *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += a;
}

__global__ void scale_simple(int n, float a, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + a;
}
