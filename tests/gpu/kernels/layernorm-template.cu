// --entry 'layernorm<256>' --reference layernorm_simple --arg 'x:fp32[rows * columns]' --arg 'gain:fp32[columns]' --arg 'y:fp32[rows * columns]:out' --arg rows:i32=256 --arg columns:i32=1024 --arg epsilon:fp32=0.00001 --grid rows --block 256 --reference-block 1 --tolerance 1e-3

template <int THREADS> __device__ float block_sum(float value)
{
    __shared__ float partial[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(~0u, value, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < THREADS / 32; i++)
        sum += partial[i];
    return sum;
}

template <int THREADS>
__global__ void layernorm(const float *x, const float *gain, float *y, int rows, int columns, float epsilon)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += row[i];
    float mean = block_sum<THREADS>(sum) / columns;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(block_sum<THREADS>(squares) / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += THREADS)
        y[(size_t)blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}

__global__ void layernorm_simple(const float *x, const float *gain, float *y, int rows, int columns, float epsilon)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    double sum = 0, squares = 0;
    for (int i = 0; i < columns; i++)
        sum += row[i];
    double mean = sum / columns;
    for (int i = 0; i < columns; i++)
        squares += (row[i] - mean) * (row[i] - mean);
    for (int i = 0; i < columns; i++)
        y[(size_t)blockIdx.x * columns + i] = (row[i] - mean) / sqrt(squares / columns + epsilon) * gain[i];
}
