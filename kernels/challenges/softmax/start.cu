/* A thread computes a row: its largest element, the sum, the quotients. */
__global__ void softmax(const float *x, float *y, int rows, int columns, float scale)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * columns;
    y += (size_t)row * columns;
    float largest = x[0], sum = 0;
    for (int j = 1; j < columns; j++)
        largest = fmaxf(largest, x[j]);
    for (int j = 0; j < columns; j++)
        sum += expf(scale * (x[j] - largest));
    for (int j = 0; j < columns; j++)
        y[j] = expf(scale * (x[j] - largest)) / sum;
}
