// --grid 8192 --block 256 --shared '4 * columns'
template <class F> __device__ float of_block(float own, F combine)
{
    __shared__ float values[8];
    for (int distance = 16; distance > 0; distance /= 2)
        own = combine(own, __shfl_xor_sync(0xffffffff, own, distance));
    if (threadIdx.x % 32 == 0)
        values[threadIdx.x / 32] = own;
    __syncthreads();
    own = values[threadIdx.x % 8];
    for (int distance = 4; distance > 0; distance /= 2)
        own = combine(own, __shfl_xor_sync(0xffffffff, own, distance));
    __syncthreads();
    return own;
}

__global__ void softmax(const float *x, float *y, int rows, int columns, float scale)
{
    extern __shared__ float row[];
    float largest = 0, sum = 0;
    x += (size_t)blockIdx.x * columns;
    y += (size_t)blockIdx.x * columns;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        row[j] = x[j];
        largest = fmaxf(largest, row[j]);
    }
    largest = of_block(largest, [](float a, float b) { return fmaxf(a, b); });
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        row[j] = __expf(scale * (row[j] - largest));
        sum += row[j];
    }
    sum = of_block(sum, [](float a, float b) { return a + b; });
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        y[j] = row[j] / sum;
}
