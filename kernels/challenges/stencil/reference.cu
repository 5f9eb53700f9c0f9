/* A thread for each element; sums are those of double. */
__device__ double at(const float *x, int n, int row, int column)
{
    return row >= 0 && row < n && column >= 0 && column < n ? x[row * n + column] : 0;
}

__global__ void reference(const float *x, float *y, int n)
{
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= n || column >= n)
        return;
    double sum = at(x, n, row, column);
    for (int k = 1; k <= 4; k++)
        sum += at(x, n, row - k, column) + at(x, n, row + k, column) + at(x, n, row, column - k) +
               at(x, n, row, column + k);
    y[row * n + column] = (float)(sum / 17);
}
