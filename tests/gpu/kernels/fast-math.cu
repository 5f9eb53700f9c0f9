// --entry waves --reference waves_simple --fast-math --tolerance 1e-3 --arg 'x:fp32[n]' --arg 'y:fp32[n]:out' --arg n:i32=1M --block 256 --grid '(n + 255) / 256'

__global__ void waves(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sinf(x[i]) * expf(x[i]) / (1 + x[i]);
}

__global__ void waves_simple(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (float)(sin((double)x[i]) * exp((double)x[i]) / (1 + (double)x[i]));
}
