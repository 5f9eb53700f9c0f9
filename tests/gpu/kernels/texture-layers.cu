// --arg 'stack:texture<float2>[n; n]:layers=layers' --arg 'y:fp32[n * n]:out' --arg n:i32=512 --arg layers:i32=8 --grid 'n / 32; n / 8' --block '32; 8' --bytes '(8 * layers + 4) * n * n' --expect 'y=sum(k, 0, layers, stack[2 * (k * n * n + i)] - stack[2 * (k * n * n + i) + 1])'

__global__ void differences(cudaTextureObject_t stack, float *y, int n, int layers)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < layers; k++) {
        float2 pair = tex2DLayered<float2>(stack, column + 0.5f, row + 0.5f, k);
        sum += pair.x - pair.y;
    }
    y[row * n + column] = sum;
}
