// vector-add no-gain
/* Lets what follows in the stream begin before the work. */
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("griddepcontrol.launch_dependents;");
    if (i < n)
        c[i] = a[i] + b[i];
}
