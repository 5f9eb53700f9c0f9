/* A warp for each row; sums are those of double. */
__global__ void reference(const float *x, float *y, int rows, int columns, float scale)
{
    x += (size_t)blockIdx.x * columns;
    y += (size_t)blockIdx.x * columns;
    float largest = x[0];
    double sum = 0;
    for (int j = threadIdx.x; j < columns; j += 32)
        largest = fmaxf(largest, x[j]);
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    for (int j = threadIdx.x; j < columns; j += 32)
        sum += expf(scale * (x[j] - largest));
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    for (int j = threadIdx.x; j < columns; j += 32)
        y[j] = (float)(expf(scale * (x[j] - largest)) / sum);
}
