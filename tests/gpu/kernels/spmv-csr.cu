// --entry multiply --reference multiply_simple --arg 'values:fp32[16 * rows]' --arg 'x:fp32[rows]' --arg 'y:fp32[rows]:out' --arg rows:i32=64K --grid 'rows / 8' --block 256 --reference-grid 'rows / 256' --bytes '(16 * 4 + 4) * rows' --tolerance 1e-3
/* 16 elements in each row, at columns that a hash scatters. */
__device__ int column_of(int row, int k, int rows)
{
    return (unsigned)(row * 2654435761u + k * 40503u) % (unsigned)rows;
}

__global__ void multiply(const float *values, const float *x, float *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = lane < 16 ? values[16 * row + lane] * __ldg(&x[column_of(row, lane, rows)]) : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

__global__ void multiply_simple(const float *values, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += values[16 * row + k] * x[column_of(row, k, rows)];
    y[row] = sum;
}
