// --entry convolve --reference convolve_simple --arg 'x:fp32[n + 4]' --arg 'y:fp32[n]:out' --arg n:i32=1M --block 256 --grid '(n + 255) / 256' --bytes '8 * n'

__constant__ float taps[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

__global__ void convolve(const float *x, float *y, int n)
{
    __shared__ float tile[256 + 4];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = x[i];
    if (threadIdx.x < 4)
        tile[256 + threadIdx.x] = x[i + 256];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += taps[k] * tile[threadIdx.x + k];
    y[i] = sum;
}

__global__ void convolve_simple(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0.1f * x[i] + 0.2f * x[i + 1] + 0.4f * x[i + 2] + 0.2f * x[i + 3] + 0.1f * x[i + 4];
}
