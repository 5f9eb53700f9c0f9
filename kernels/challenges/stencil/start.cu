/* A thread reads the 17 elements of a star. */
__device__ float at(const float *x, int n, int row, int column)
{
    bool inside = row >= 0 && row < n && column >= 0 && column < n;
    return inside ? x[row * n + column] : 0;
}

__global__ void stencil(const float *x, float *y, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = x[row * n + column];
    for (int k = 1; k <= 4; k++)
        sum += at(x, n, row - k, column) + at(x, n, row + k, column) + at(x, n, row, column - k) +
               at(x, n, row, column + k);
    y[row * n + column] = sum / 17;
}
