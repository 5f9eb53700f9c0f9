/* Moving sums: each thread keeps a window of the last LENGTH values of a sequence, in registers, in local memory, in
 * shared memory, or in fewer registers than the window needs. */
#include "benchmark/check.h"
#include "local_memory.h"

// region recurrence
/* Each value follows from the preceding one and the one LENGTH steps before, which it replaces. Returns the sum of all
 * values. slot(t) is the place of value t in the window. The compiler knows t modulo UNROLL. */
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
// end

// steps use recurrence

// region registers "Registers: indices known when the kernel is compiled"
/* The loop is unrolled as many times as the window is long. t % LENGTH is then a constant in each copy of the body, and
 * each word of the window is a register. */
template <uint32_t LENGTH> __device__ static void in_registers(const uint32_t *first_values, uint32_t *sums)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, window[LENGTH];
    auto slot = [&](uint32_t t) -> uint32_t & { return window[t % LENGTH]; };
    sums[thread] = run_recurrence<LENGTH, LENGTH>(first_values[thread], slot);
}
// end

// step indexed "Local memory: indices known when the kernel runs" shows recurrence, local
/* The same recurrence. Where the window begins is an argument of the kernel, so the compiler cannot tell which
 * register an index would be and places the window in local memory. The addresses are interleaved: word i of the 32
 * threads of a warp is 128 contiguous bytes, so an access with the same index is coalesced. */

// region local
/* The indices are known only when the kernel runs: the loop is unrolled less, and where the window begins is an
 * argument. */
template <uint32_t LENGTH> __device__ static void in_local(const uint32_t *first_values, uint32_t *sums, uint32_t begin)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, window[LENGTH];
    auto slot = [&](uint32_t t) -> uint32_t & { return window[(begin + t) % LENGTH]; };
    sums[thread] = run_recurrence<LENGTH, 4>(first_values[thread], slot);
}
// end

// region shared "Shared memory"
/* The windows of a block are the columns of an array in shared memory, so that the threads of a warp access 32
 * different banks whatever the index is. The traffic does not leave the multiprocessor, but the windows limit the
 * number of resident blocks. */
template <uint32_t LENGTH>
__device__ static void in_shared(const uint32_t *first_values, uint32_t *sums, uint32_t begin)
{
    extern __shared__ uint32_t windows[];
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, *window = windows + threadIdx.x;
    auto slot = [&](uint32_t t) -> uint32_t & { return window[(begin + t) % LENGTH * LOCAL_MEMORY_BLOCK]; };
    sums[thread] = run_recurrence<LENGTH, 4>(first_values[thread], slot);
}
// end

// step bounds-4 "Launch bounds: 4 blocks per multiprocessor" shows recurrence, bounds
/* The code of registers, with at most 65536 / 4 / 256 = 64 registers per thread. Windows of 64 words do not fit, so
 * the compiler spills some of their words. */

// step bounds-full "Launch bounds: a full multiprocessor" shows recurrence, bounds
/* As many blocks as the multiprocessor can hold: 8 of 256 threads where that is 2048 threads, which leaves 32
 * registers. Windows of 32 words are spilled in part, and of 64 words for the most part. */

// region bounds
/* The second number of the launch bounds is the blocks that must fit on a multiprocessor: the compiler must not use
 * more registers than 65536 / blocks / threads. FULL blocks are as many threads as a multiprocessor can hold. */
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
// end

#define KERNEL(name, length, ...)                                                                                      \
    extern "C" __global__ void __launch_bounds__(LOCAL_MEMORY_BLOCK)                                                   \
        name(const uint32_t *first_values, uint32_t *sums, uint32_t begin)                                             \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

#define KERNELS(length)                                                                                                \
    KERNEL(local_memory_registers_##length, length, in_registers<length>(first_values, sums))                          \
    KERNEL(local_memory_indexed_##length, length, in_local<length>(first_values, sums, begin))                         \
    KERNEL(local_memory_shared_##length, length, in_shared<length>(first_values, sums, begin))                         \
    BOUNDED_KERNEL(local_memory_bounds_4_##length, length, 4)                                                          \
    BOUNDED_KERNEL(local_memory_bounds_full_##length, length, FULL)

KERNELS(8)
KERNELS(16)
KERNELS(32)
KERNELS(64)

LAB_CHECK_KERNEL(local_memory_check, local_memory_expected)
