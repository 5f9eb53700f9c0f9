// --entry stencil --reference stencil_simple --define TILE=16,32 --arg 'x:fp32[n*n]' --arg 'y:fp32[n*n]:inout:zero' --arg n:i32=1024 --grid '(n + TILE - 1) / TILE; (n + TILE - 1) / TILE' --block 'TILE; TILE' --bytes '8 * n * n'

__global__ void stencil(const float *x, float *y, int n)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y, a = threadIdx.y + 1,
        b = threadIdx.x + 1;
    bool inside = c > 0 && r > 0 && c < n - 1 && r < n - 1;
    tile[a][b] = x[r * n + c];
    if (inside && threadIdx.x == 0)
        tile[a][0] = x[r * n + c - 1];
    if (inside && threadIdx.x == TILE - 1)
        tile[a][TILE + 1] = x[r * n + c + 1];
    if (inside && threadIdx.y == 0)
        tile[0][b] = x[(r - 1) * n + c];
    if (inside && threadIdx.y == TILE - 1)
        tile[TILE + 1][b] = x[(r + 1) * n + c];
    __syncthreads();
    if (inside)
        y[r * n + c] = 0.25f * (tile[a][b - 1] + tile[a][b + 1] + tile[a - 1][b] + tile[a + 1][b]);
}

__global__ void stencil_simple(const float *x, float *y, int n)
{
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    if (c > 0 && r > 0 && c < n - 1 && r < n - 1)
        y[r * n + c] = 0.25f * (x[r * n + c - 1] + x[r * n + c + 1] + x[(r - 1) * n + c] + x[(r + 1) * n + c]);
}
