// --entry shift --reference shift_simple --arg n:i32=1M --arg 'd:float4=(1,2,3,n / 4)' --arg 'x:fp32[4 * n]' --arg 'y:fp32[4 * n]:out' --block 256 --grid '(n + 255) / 256' --bytes '32 * n'

__global__ void shift(int n, float4 d, const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = make_float4(x[i].x + d.x, x[i].y + d.y, x[i].z + d.z, x[i].w + d.w);
}

__global__ void shift_simple(int n, float4 d, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float added[] = {1, 2, 3, n / 4.0f};
    for (int k = 0; i < n && k < 4; k++)
        y[4 * i + k] = x[4 * i + k] + added[k];
}
