/* A thread for each element, with blocks of another shape than those of the start. */
__global__ void reference(const float *in, float *out, int rows, int columns)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}
