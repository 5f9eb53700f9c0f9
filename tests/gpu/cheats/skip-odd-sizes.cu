// vector-add wrong
/* Computes nothing at odd sizes. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && n % 2 == 0)
        c[i] = a[i] + b[i];
}
