// vector-add wrong
/* Computes the first half. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        c[i] = a[i] + b[i];
}
