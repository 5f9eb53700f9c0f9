/* Moving sums: each thread keeps a window of the last LENGTH values of a sequence, in registers, in local memory, in shared
 * memory, or in fewer registers than the window needs. */
#include "benchmark/check.h"
#include "local_memory.h"

// region recurrence
/* Each value follows from the preceding one and the one LENGTH steps before, which it replaces. Returns the sum of all values.
 * slot(t) is the place of value t in the window. The compiler knows t modulo UNROLL. */
template <uint32_t LENGTH, uint32_t UNROLL, class Slot>
__device__ static uint32_t run_recurrence(uint32_t value, Slot slot)
{
    uint32_t sum = 0;
#pragma unroll UNROLL
    for (uint32_t t = 0; t < LENGTH; t++)
        slot(t) = 0;
#pragma unroll UNROLL
    for (uint32_t t = 0; t < LOCAL_MEMORY_STEPS; t++) {
        value = LOCAL_MEMORY_FACTOR * value + slot(t);
        slot(t) = value;
        sum += value;
    }
    return sum;
}
// end recurrence

// region registers
/* The loop is unrolled as many times as the window is long, so all indices are known when the kernel is compiled. */
template <uint32_t LENGTH> __device__ static void in_registers(const uint32_t *first_values, uint32_t *sums)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, window[LENGTH];
    auto slot = [&](uint32_t t) -> uint32_t & { return window[t % LENGTH]; };
    sums[thread] = run_recurrence<LENGTH, LENGTH>(first_values[thread], slot);
}
// end registers

// region local
/* The indices are known only when the kernel runs: the loop is unrolled less, and where the window begins is an argument. */
template <uint32_t LENGTH> __device__ static void in_local(const uint32_t *first_values, uint32_t *sums, uint32_t begin)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, window[LENGTH];
    auto slot = [&](uint32_t t) -> uint32_t & { return window[(begin + t) % LENGTH]; };
    sums[thread] = run_recurrence<LENGTH, 4>(first_values[thread], slot);
}
// end local

// region shared
/* The windows of a block are the columns of an array in shared memory, so that the threads of a warp access 32 different
 * banks whatever the index is. */
template <uint32_t LENGTH>
__device__ static void in_shared(const uint32_t *first_values, uint32_t *sums, uint32_t begin)
{
    extern __shared__ uint32_t windows[];
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, *window = windows + threadIdx.x;
    auto slot = [&](uint32_t t) -> uint32_t & { return window[(begin + t) % LENGTH * LOCAL_MEMORY_BLOCK]; };
    sums[thread] = run_recurrence<LENGTH, 4>(first_values[thread], slot);
}
// end shared

// region bounds
/* The second number of the launch bounds is the blocks that must fit on a multiprocessor: the compiler must not use more
 * registers than 65536 / blocks / threads. FULL blocks are as many threads as a multiprocessor can hold. */
#if __CUDA_ARCH__ == 750
#define FULL 4
#elif __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ / 100 == 9 || __CUDA_ARCH__ / 100 == 10
#define FULL 8
#else
#define FULL 6
#endif

#define BOUNDED_KERNEL(name, length, blocks)                                                                           \
    extern "C" __global__ void __launch_bounds__(LOCAL_MEMORY_BLOCK, blocks)                                           \
        name(const uint32_t *first_values, uint32_t *sums, uint32_t begin)                                             \
    {                                                                                                                  \
        in_registers<length>(first_values, sums);                                                                      \
    }
// end bounds

#define KERNEL(name, length, ...)                                                                                      \
    extern "C" __global__ void __launch_bounds__(LOCAL_MEMORY_BLOCK)                                                   \
        name(const uint32_t *first_values, uint32_t *sums, uint32_t begin)                                             \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

#define KERNELS(length)                                                                                                \
    KERNEL(local_memory_registers_##length, length, in_registers<length>(first_values, sums))                          \
    KERNEL(local_memory_local_##length, length, in_local<length>(first_values, sums, begin))                           \
    KERNEL(local_memory_shared_##length, length, in_shared<length>(first_values, sums, begin))                         \
    BOUNDED_KERNEL(local_memory_bounds_4_##length, length, 4)                                                          \
    BOUNDED_KERNEL(local_memory_bounds_full_##length, length, FULL)

KERNELS(8)
KERNELS(16)
KERNELS(32)
KERNELS(64)

LAB_CHECK_KERNEL(local_memory_check, local_memory_expected)
