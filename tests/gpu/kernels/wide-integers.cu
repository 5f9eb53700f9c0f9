// --entry mix --reference mix_simple --arg n:i32=1M --arg key:u64=18446744073709551615 --arg 'x:u64[n]' --arg 'y:u64[n]:out' --block 256 --grid '(n + 255) / 256' --bytes '16 * n'

__global__ void mix(int n, unsigned long long key, const unsigned long long *x, unsigned long long *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (x[i] ^ key) * 0x9e3779b97f4a7c15ull;
}

__global__ void mix_simple(int n, unsigned long long key, const unsigned long long *x, unsigned long long *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = ~x[i] * 0x9e3779b97f4a7c15ull;
}
