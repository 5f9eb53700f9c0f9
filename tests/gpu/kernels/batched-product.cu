// --arg 'a:fp32[batch][n * n]' --arg 'b:fp32[batch][n * n]' --arg 'c:fp32[batch][n * n]:out' --arg n:i32=64 --arg batch:i32=128 --grid 'n / 16; n / 16; batch' --block '16; 16' --operations '2 * n * n * n * batch' --expect 'c=sum(k, 0, n, a[i / (n * n)][i / n % n * n + k] * b[i / (n * n)][k * n + i % n])'

__global__ void batched_product(const float *const *a, const float *const *b, float *const *c, int n, int batch)
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    const float *of_a = a[blockIdx.z], *of_b = b[blockIdx.z];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile_a[threadIdx.y][threadIdx.x] = of_a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = of_b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[blockIdx.z][row * n + column] = sum;
}
