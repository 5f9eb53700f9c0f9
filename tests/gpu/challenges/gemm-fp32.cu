// --grid 'ceil_div(n, 64); ceil_div(n, 64)' --block 256
__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[16][64], tile_b[16][64];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
    float sums[4][4] = {};
    for (int first = 0; first < n; first += 16) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            int r = row + i / 16, k = first + i % 16;
            tile_a[i % 16][i / 16] = r < n && k < n ? a[r * n + k] : 0;
            int s = column + i % 64, l = first + i / 64;
            tile_b[i / 64][i % 64] = s < n && l < n ? b[l * n + s] : 0;
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += tile_a[k][y + i] * tile_b[k][x + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (row + y + i < n && column + x + j < n)
                c[(row + y + i) * n + column + x + j] = sums[i][j];
}
