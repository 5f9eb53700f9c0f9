// --entry scan --reference scan_simple --arg 'x:u32[n]' --arg 'y:u32[n]:out' --arg n:u32=1M --block 256 --grid '(n + 255) / 256' --reference-block 1 --reference-grid 'n / 32' --bytes '8 * n'

__global__ void scan(const unsigned *x, unsigned *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, value = x[i];
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(~0u, value, offset);
        if (threadIdx.x % 32 >= offset)
            value += other;
    }
    y[i] = value;
}

__global__ void scan_simple(const unsigned *x, unsigned *y, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * 32; i < blockIdx.x * 32 + 32; i++)
        y[i] = sum += x[i];
}
