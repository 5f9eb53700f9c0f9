// --entry scale --reference scale_simple --arg n:i32=1M --arg 'x:fp32[4 * n]' --arg 'y:fp32[4 * n]:out' --block 256 --grid '(n + 255) / 256' --reference-grid '(4 * n + 255) / 256' --bytes '32 * n'

__global__ void scale(int n, const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = make_float4(2 * x[i].x, 2 * x[i].y, 2 * x[i].z, 2 * x[i].w);
}

__global__ void scale_simple(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * n)
        y[i] = 2 * x[i];
}
