// vector-add wrong
/* Computes in the first launch, and returns at once in the others. */
__device__ unsigned int blocks;

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ bool is_first;
    if (threadIdx.x == 0)
        is_first = atomicAdd(&blocks, 1) < gridDim.x;
    __syncthreads();
    if (i < n && is_first)
        c[i] = a[i] + b[i];
}
