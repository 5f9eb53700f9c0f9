// --entry filter --reference filter_simple --arg 'p:{width:i32=n,height:i32=n,gain:fp64=1.5,stride:i64=n,mode:u8=1}' --arg 'x:fp32[n*n]' --arg 'y:fp32[n*n]:out' --arg n:i32=1024 --block '32; 8' --grid 'n / 32; n / 8' --bytes '8 * n * n'

struct parameters {
    int width, height;
    double gain;
    long long stride;
    unsigned char mode;
};

__global__ void filter(const parameters p, const float *x, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < p.width && row < p.height)
        y[row * p.stride + column] = p.mode == 1 ? (float)p.gain * x[row * p.stride + column] : 0;
}

__global__ void filter_simple(const parameters p, const float *x, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    y[row * n + column] = 1.5f * x[row * n + column];
}
