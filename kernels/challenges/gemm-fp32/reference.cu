/* A thread for each element; sums are those of double. */
__global__ void reference(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= n || column >= n)
        return;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)a[row * n + k] * b[k * n + column];
    c[row * n + column] = (float)sum;
}
