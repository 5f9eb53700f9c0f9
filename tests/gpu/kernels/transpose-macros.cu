// --entry transpose --reference simple --define TILE_DIM=32 --define BLOCK_ROWS=4,8,16 --arg 'in:fp64[n*n]' --arg 'out:fp64[n*n]:out' --arg n:i32=1024 --grid 'n / TILE_DIM; n / TILE_DIM' --block 'TILE_DIM; BLOCK_ROWS' --bytes '16 * n * n' --reference-grid 'n / 32; n / 32' --reference-block '32; 32'

__global__ void transpose(const double *in, double *out, int n)
{
    __shared__ double tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        tile[threadIdx.y + i][threadIdx.x] = in[n * (y + i) + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        out[n * (y + i) + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void simple(const double *in, double *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[n * x + y] = in[n * y + x];
}
