// vector-add wrong
/* Computes in every other launch. */
__device__ unsigned int blocks;

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ bool is_even;
    if (threadIdx.x == 0)
        is_even = atomicAdd(&blocks, 1) / gridDim.x % 2 == 0;
    __syncthreads();
    if (i < n && is_even)
        c[i] = a[i] + b[i];
}
