// --arg 'image:texture<fp32>[n; n]:wrap,clamp:normalized' --arg 'y:fp32[n * n]:out' --arg n:i32=1024 --grid 'n / 32; n / 8' --block '32; 8' --bytes '8 * n * n' --expect 'y=image[min(i / n + n / 2, (int64_t)n - 1) * n + (i % n + n / 2) % n]'

// Half of the image to the left and up: its columns begin again at the right, its last row goes on at the bottom.
__global__ void shifted(cudaTextureObject_t image, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    y[row * n + column] = tex2D<float>(image, (column + 0.5f) / n + 0.5f, (row + 0.5f) / n + 0.5f);
}
