// vector-add rejected
/* Leaves the work to a child grid, which would run on when the launch seems to have ended. */
__global__ void child(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        child<<<gridDim.x, blockDim.x>>>(a, b, c, n);
}
