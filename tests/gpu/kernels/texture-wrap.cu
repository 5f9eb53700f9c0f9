// --arg 'image:texture<u8>[n; n]:linear:wrap:normalized:normalized-float' --arg 'y:fp32[n * n]:out' --arg n:i32=1024 --grid 'n / 32; n / 8' --block '32; 8' --bytes '5 * n * n' --expect 'y=image[i / n * n + (i % n + n / 2) % n] / 255.0'

__global__ void roll(cudaTextureObject_t image, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    y[row * n + column] = tex2D<float>(image, (column + 0.5f) / n + 0.5f, (row + 0.5f) / n);
}
