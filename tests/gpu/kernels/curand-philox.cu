// --entry points --reference points --arg 'inside:u32[1]:inout:zero' --arg seed_of_run:u64=7 --grid 64 --block 256
#include <curand_kernel.h>

__global__ void points(unsigned *inside, unsigned long long seed_of_run)
{
    curandStatePhilox4_32_10_t state;
    curand_init(seed_of_run, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned own = 0;
    for (int i = 0; i < 16; i++) {
        float4 u = curand_uniform4(&state);
        own += (u.x * u.x + u.y * u.y < 1) + (u.z * u.z + u.w * u.w < 1);
    }
    atomicAdd(inside, own);
}
