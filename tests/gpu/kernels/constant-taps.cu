// --entry convolve --reference convolve_simple --variable 'taps:fp32=0.1,0.2,0.4,0.2,0.1' --variable 'offset:fp32=2' --arg 'x:fp32[n + 4]' --arg 'y:fp32[n]:out' --arg n:i32=1M --block 256 --grid '(n + 255) / 256' --bytes '8 * n'

__constant__ float taps[5];
__device__ float offset;

__global__ void convolve(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = offset;
    for (int k = 0; k < 5; k++)
        sum += taps[k] * x[i + k];
    y[i] = sum;
}

__global__ void convolve_simple(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 + 0.1f * x[i] + 0.2f * x[i + 1] + 0.4f * x[i + 2] + 0.2f * x[i + 3] + 0.1f * x[i + 4];
}
