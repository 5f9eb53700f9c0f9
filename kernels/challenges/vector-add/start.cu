/* A thread for each element; blocks are one after the other. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    /* c[i] = a[i] + b[i], for each i below n */
}
