// --grid 'ceil_div(n / 4 + n % 4, 256)' --block 256
__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, vectors = n / 4;
    if (i < vectors) {
        float4 x = ((const float4 *)a)[i], y = ((const float4 *)b)[i];
        ((float4 *)c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else if (i < vectors + n % 4) {
        int last = 3 * vectors + i;
        c[last] = a[last] + b[last];
    }
}
