// --entry polynomial --reference polynomial_simple --max-registers 64 --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg n:i32=1M --block 256 --grid '(n + 255) / 256' --operations '16 * n'

__global__ void __launch_bounds__(256, 4) polynomial(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum = sum * v + k;
    y[i] = sum;
}

__global__ void polynomial_simple(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = ((((((0 * x[i] + 1) * x[i] + 2) * x[i] + 3) * x[i] + 4) * x[i] + 5) * x[i] + 6) * x[i] + 7;
}
