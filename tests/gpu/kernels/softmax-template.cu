// --entry 'softmax<float, BLOCK>' --reference softmax_simple --define BLOCK=128,256,512 --arg 'x:fp32[rows * columns]' --arg 'y:fp32[rows * columns]:out' --arg rows:i32=256 --arg columns:i32=1024 --grid rows --block BLOCK --reference-block 1 --bytes '8 * rows * columns'

template <typename T, int THREADS> __global__ void softmax(const T *x, T *y, int rows, int columns)
{
    __shared__ T partial[THREADS];
    const T *row = x + (size_t)blockIdx.x * columns;
    T largest = row[0], sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        largest = max(largest, row[i]);
    partial[threadIdx.x] = largest;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] = max(partial[threadIdx.x], partial[threadIdx.x + half]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += exp(row[i] - largest);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < columns; i += THREADS)
        y[(size_t)blockIdx.x * columns + i] = exp(row[i] - largest) / partial[0];
}

__global__ void softmax_simple(const float *x, float *y, int rows, int columns)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    float largest = row[0], sum = 0;
    for (int i = 0; i < columns; i++)
        largest = fmaxf(largest, row[i]);
    for (int i = 0; i < columns; i++)
        sum += expf(row[i] - largest);
    for (int i = 0; i < columns; i++)
        y[(size_t)blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
}
