// --grid 'ceil_div(n, 1024)' --block 256
__global__ void gather(const unsigned int *keys, const float *table, float *y, int n, int size)
{
    int first = blockIdx.x * 1024 + threadIdx.x;
    float values[4];
    for (int i = 0; i < 4; i++)
        if (first + 256 * i < n)
            values[i] = __ldg(&table[keys[first + 256 * i] % (unsigned int)size]);
    for (int i = 0; i < 4; i++)
        if (first + 256 * i < n)
            y[first + 256 * i] = values[i];
}
