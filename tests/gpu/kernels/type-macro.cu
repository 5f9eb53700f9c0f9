// --entry add --reference add_simple --define T=float,double,int --define OPS=4 --arg n:i32=64K --arg 'x:u8[8 * n]:zero' --arg 'y:u8[8 * n]:inout:zero' --block 256 --grid '(n + 255) / 256'

template <typename V> __device__ V twice(V value)
{
    return value + value;
}

__global__ void add(int n, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < OPS; k++)
            y[i] += twice(x[i]);
}

__global__ void add_simple(int n, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += 2 * OPS * x[i];
}
