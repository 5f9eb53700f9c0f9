// --entry reverse --reference reverse_simple --shared 96KiB --reference-shared 0 --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg n:i32=2400K --grid 'n / 24576' --block 512 --bytes '8 * n'

extern __shared__ float tile[];

__global__ void reverse(const float *x, float *y, int n)
{
    const int count = 24576;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        tile[i] = x[blockIdx.x * count + i];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        y[blockIdx.x * count + i] = tile[count - 1 - i];
}

__global__ void reverse_simple(const float *x, float *y, int n)
{
    const int count = 24576;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        y[blockIdx.x * count + i] = x[blockIdx.x * count + count - 1 - i];
}
