// --arg 'table:texture<u32>[4096]:linear-memory' --arg 'x:u32[n]' --arg 'y:u32[n]:out' --arg n:i32=1M --block 256 --bytes '8 * n' --grid 'n / 256' --expect 'y=table[x[i] % 4096]'

__global__ void look_up(cudaTextureObject_t table, const unsigned *x, unsigned *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = tex1Dfetch<unsigned>(table, x[i] % 4096);
}
