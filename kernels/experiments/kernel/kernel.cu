/* Fills the buffers of an own kernel, and compares its results with those of a reference. */
#include "benchmark/check.h"
#include "elements.h"

extern "C" __global__ void kernel_fill(void *buffer, uint64_t count, uint64_t type, uint64_t content, uint64_t seed,
                                       uint64_t value)
{
    const struct kernel_fill fill = {(uint32_t)type, (uint32_t)content, seed, value};
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x)
        kernel_store(buffer, &fill, i);
}

extern "C" __global__ void kernel_compare(const void *result, const void *reference, uint64_t count, uint64_t type,
                                          double tolerance, struct lab_check_result *of_check)
{
    unsigned long long wrong = 0, first = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        if (kernel_equal((uint32_t)type, kernel_load(result, (uint32_t)type, i),
                         kernel_load(reference, (uint32_t)type, i), tolerance))
            continue;
        first = first == 0 ? ~i : first;
        wrong++;
    }
    if (wrong > 0) {
        atomicAdd(&of_check->wrong, wrong);
        atomicMax(&of_check->first, first);
    }
}
