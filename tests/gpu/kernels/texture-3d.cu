// --entry centres --reference centres_simple --arg 'volume:texture<fp32>[n; n; n]:linear' --arg 'y:fp32[n * n * n]:out' --arg n:i32=128 --grid 'n / 32; n / 4; n / 2' --block '32; 4; 2' --bytes '8 * n * n * n'

__global__ void centres(cudaTextureObject_t volume, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
        k = blockIdx.z * blockDim.z + threadIdx.z;
    y[(k * n + j) * n + i] = tex3D<float>(volume, i + 1, j + 1, k + 1);
}

__global__ void centres_simple(cudaTextureObject_t volume, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
        k = blockIdx.z * blockDim.z + threadIdx.z;
    float sum = 0;
    for (int c = 0; c < 8; c++)
        sum += tex3D<float>(volume, i + (c & 1) + 0.5f, j + (c >> 1 & 1) + 0.5f, k + (c >> 2) + 0.5f);
    y[(k * n + j) * n + i] = sum / 8;
}
