/* Kernels with one thread per element; enum lab_operation_kind in runtime.h defines what each computes. Their time is
 * proportional to the number of elements and, for add_sine_cosine, to the weight. */
#include "kernels.h"

enum { BLOCK_MAX = 1024, ARGUMENT_LIMIT = 65536 };

__device__ static uint64_t element_of_thread()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Adds the mean of `weight` terms sqrt(sin^2 x + cos^2 x), each of which is 1 except for rounding. The deviations from
 * 1 are added up instead of the terms: a float represents each deviation, and sums of millions of them, exactly,
 * whereas the rounding of a sum of the terms would exceed the deviations. x is an integer below 2^16, which a float
 * represents exactly too. */
__global__ __launch_bounds__(BLOCK_MAX) void add_sine_cosine(float *values, uint64_t count, uint32_t first,
                                                             uint32_t weight)
{
    uint64_t i = element_of_thread();
    if (i >= count)
        return;
    uint32_t argument = first + (uint32_t)i;
    float deviation = 0;
    for (uint32_t k = 0; k < weight; k++) {
        float x = (float)((argument + k) % ARGUMENT_LIMIT);
        float sine = sinf(x), cosine = cosf(x);
        deviation += sqrtf(sine * sine + cosine * cosine) - 1.0f;
    }
    values[i] += 1.0f + deviation / (float)weight;
}

/* The buffer begins and ends at window borders, so that its windows are windows of the complete array. */
__global__ __launch_bounds__(BLOCK_MAX) void average(int32_t *__restrict__ destination,
                                                     const int32_t *__restrict__ source,
                                                     const int32_t *__restrict__ source2, uint64_t count)
{
    uint64_t i = element_of_thread();
    if (i >= count)
        return;
    uint64_t window = i - i % LAB_AVERAGE_WINDOW;
    int32_t sum = 0;
#pragma unroll
    for (uint64_t k = 0; k < 3; k++) {
        uint64_t neighbour = window + (i + k) % LAB_AVERAGE_WINDOW;
        sum += source[neighbour] + source2[neighbour];
    }
    destination[i] = sum / 6;
}

__global__ __launch_bounds__(BLOCK_MAX) void increment(int32_t *values, uint64_t count)
{
    uint64_t i = element_of_thread();
    if (i < count)
        values[i] += LAB_INCREMENT;
}

static cudaLaunchConfig_t config_of(cudaStream_t stream, uint32_t block, uint64_t count)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)((count + block - 1) / block);
    config.blockDim = block;
    config.stream = stream;
    return config;
}

extern "C" cudaError_t lab_cuda_launch_sine_cosine(cudaStream_t stream, uint32_t block, float *values, uint64_t count,
                                                   uint64_t first, uint32_t weight)
{
    if (count == 0)
        return cudaSuccess;
    cudaLaunchConfig_t config = config_of(stream, block, count);
    return cudaLaunchKernelEx(&config, add_sine_cosine, values, count, (uint32_t)(first % ARGUMENT_LIMIT), weight);
}

extern "C" cudaError_t lab_cuda_launch_average(cudaStream_t stream, uint32_t block, int32_t *destination,
                                               const int32_t *source, const int32_t *source2, uint64_t count)
{
    if (count == 0)
        return cudaSuccess;
    cudaLaunchConfig_t config = config_of(stream, block, count);
    return cudaLaunchKernelEx(&config, average, destination, source, source2, count);
}

extern "C" cudaError_t lab_cuda_launch_increment(cudaStream_t stream, uint32_t block, int32_t *values, uint64_t count)
{
    if (count == 0)
        return cudaSuccess;
    cudaLaunchConfig_t config = config_of(stream, block, count);
    return cudaLaunchKernelEx(&config, increment, values, count);
}

extern "C" cudaError_t lab_cuda_load_elementwise(void)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, add_sine_cosine);
    if (status == cudaSuccess)
        status = cudaFuncGetAttributes(&attributes, average);
    if (status == cudaSuccess)
        status = cudaFuncGetAttributes(&attributes, increment);
    return status;
}
