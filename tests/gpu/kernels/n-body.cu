// --entry forces --reference forces_simple --arg 'bodies:fp32[4 * n]' --arg 'forces:fp32[4 * n]:out' --arg n:i32=4096 --block 256 --grid 'n / 256' --operations '20 * n * n' --tolerance 1e-2

__device__ float4 add_force(float4 sum, float4 a, float4 b)
{
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, r = rsqrtf(x * x + y * y + z * z + 0.01f), f = b.w * r * r * r;
    return make_float4(sum.x + f * x, sum.y + f * y, sum.z + f * z, 0);
}

__global__ void forces(const float4 *bodies, float4 *forces, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 own = bodies[i], sum = make_float4(0, 0, 0, 0);
    for (int t = 0; t < n; t += 256) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++)
            sum = add_force(sum, own, tile[k]);
        __syncthreads();
    }
    forces[i] = sum;
}

__global__ void forces_simple(const float4 *bodies, float4 *forces, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < n; k++)
        sum = add_force(sum, bodies[i], bodies[k]);
    forces[i] = sum;
}
