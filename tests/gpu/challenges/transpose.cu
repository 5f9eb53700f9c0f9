// --grid 'ceil_div(max(rows, 100), 32); ceil_div(rows, 32)' --block '32; 8'
__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (row + i < rows && column < columns)
            tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * columns + column];
    __syncthreads();
    row = blockIdx.y * 32 + threadIdx.x;
    column = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (row < rows && column + i < columns)
            out[(column + i) * rows + row] = tile[threadIdx.x][threadIdx.y + i];
}
