// --entry life --reference life_simple --arg 'x:u8[n*n]' --arg 'y:u8[n*n]:out' --arg n:i32=1024 --grid 'n / 32; n / 8' --block '32; 8' --bytes '2 * n * n'

__device__ int alive(const unsigned char *x, int r, int c, int n)
{
    return x[((r + n) % n) * n + (c + n) % n] & 1;
}

__global__ void life(const unsigned char *x, unsigned char *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, around = 0;
#pragma unroll
    for (int i = 0; i < 9; i++)
        around += i != 4 ? alive(x, r + i / 3 - 1, c + i % 3 - 1, n) : 0;
    y[r * n + c] = around == 3 || (around == 2 && alive(x, r, c, n));
}

__global__ void life_simple(const unsigned char *x, unsigned char *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, around = 0;
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
            around += (a != 0 || b != 0) && alive(x, r + a, c + b, n);
    y[r * n + c] = around == 3 || (around == 2 && alive(x, r, c, n));
}
