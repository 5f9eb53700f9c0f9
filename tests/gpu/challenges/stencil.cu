// --grid 'ceil_div(n, 32); ceil_div(n, 16)' --block '32; 16'
__global__ void stencil(const float *x, float *y, int n)
{
    __shared__ float tile[24][40];
    int row = blockIdx.y * 16 - 4, column = blockIdx.x * 32 - 4;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 24 * 40; i += 512) {
        int r = row + i / 40, c = column + i % 40;
        tile[i / 40][i % 40] = r >= 0 && r < n && c >= 0 && c < n ? x[r * n + c] : 0;
    }
    __syncthreads();
    row += 4 + threadIdx.y;
    column += 4 + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = tile[threadIdx.y + 4][threadIdx.x + 4];
    for (int k = 1; k <= 4; k++)
        sum += tile[threadIdx.y + 4 - k][threadIdx.x + 4] + tile[threadIdx.y + 4 + k][threadIdx.x + 4] +
               tile[threadIdx.y + 4][threadIdx.x + 4 - k] + tile[threadIdx.y + 4][threadIdx.x + 4 + k];
    y[row * n + column] = sum / 17;
}
