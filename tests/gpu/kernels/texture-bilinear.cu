// --entry enlarge --reference enlarge_simple --arg 'image:texture<fp32>[n; n]:linear' --arg 'y:fp32[4 * n * n]:out' --arg n:i32=1024 --grid 'n / 16; n / 4' --block '32; 8' --bytes '20 * n * n'

__global__ void enlarge(cudaTextureObject_t image, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    y[row * 2 * n + column] = tex2D<float>(image, (column + 0.5f) / 2, (row + 0.5f) / 2);
}

__device__ float pixel(cudaTextureObject_t image, int x, int y, int n)
{
    return tex2D<float>(image, min(max(x, 0), n - 1) + 0.5f, min(max(y, 0), n - 1) + 0.5f);
}

__global__ void enlarge_simple(cudaTextureObject_t image, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int x0 = (column + 1) / 2 - 1, y0 = (row + 1) / 2 - 1;
    float right = column % 2 == 0 ? 0.75f : 0.25f, below = row % 2 == 0 ? 0.75f : 0.25f;
    float upper = (1 - right) * pixel(image, x0, y0, n) + right * pixel(image, x0 + 1, y0, n);
    float lower = (1 - right) * pixel(image, x0, y0 + 1, n) + right * pixel(image, x0 + 1, y0 + 1, n);
    y[row * 2 * n + column] = (1 - below) * upper + below * lower;
}
