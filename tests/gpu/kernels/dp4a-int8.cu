// --entry dot --reference dot_simple --arg 'x:i8[4 * n]' --arg 'y:i8[4 * n]' --arg 'z:i32[n]:out' --arg n:i32=256K --block 256 --grid 'n / 256' --bytes '12 * n'

__global__ void dot(const int *x, const int *y, int *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = __dp4a(x[i], y[i], 0);
}

__global__ void dot_simple(const signed char *x, const signed char *y, int *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += x[4 * i + k] * y[4 * i + k];
    z[i] = sum;
}
