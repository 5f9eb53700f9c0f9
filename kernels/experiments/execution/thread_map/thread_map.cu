/* Blocks that note where and when they run. */
#include "benchmark/check.h"
#include "thread_map.h"

// region registers
/* The number of the multiprocessor that executes the thread, the largest such number plus 1, and a clock that all
 * multiprocessors share. */
__device__ static uint32_t multiprocessor()
{
    uint32_t number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

__device__ static uint32_t multiprocessors()
{
    uint32_t count;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
    return count;
}

__device__ static uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}
// end

// step even "The same work in all blocks" shows registers, kernel
/* Every thread does the same number of rounds. The first thread of a block reads the number of its multiprocessor and
 * the clock, before the work and after the last thread of the block has ended. */

// region kernel
/* Each round needs the result of the one before. The factors are arguments, because the compiler would combine rounds
 * whose constants it knows. */
extern "C" __global__ void thread_map(struct thread_map_record *records, uint64_t seed, uint32_t variant,
                                      uint32_t rounds, uint32_t multiplier, uint32_t increment)
{
    uint64_t start = now_ns();
    uint32_t *values = (uint32_t *)(records + gridDim.x);
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t own = thread_map_rounds((enum thread_map_variant)variant, blockIdx.x, gridDim.x, rounds);
    uint32_t x = lab_pattern_word(i, seed);
#pragma unroll 64
    for (uint32_t round = 0; round < own; round++)
        x = x * multiplier + increment;
    values[i] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        records[blockIdx.x] = {blockIdx.x, multiprocessor(), start, now_ns()};
}
// end

/* Like the kernels of LAB_CHECK_KERNEL: the first of the parameters is the number of blocks. */
extern "C" __global__ void thread_map_check(const struct thread_map_record *records, uint64_t, uint64_t seed,
                                            uint64_t blocks, uint64_t p1, uint64_t p2,
                                            struct lab_check_result *of_check)
{
    const uint64_t parameters[3] = {blocks, p1, p2};
    const uint32_t *values = (const uint32_t *)(records + blocks);
    uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, threads = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long found = 0;
    for (uint64_t block = first; block < blocks; block += threads)
        found += !thread_map_is_right(&records[block], block, multiprocessors());
    for (uint64_t i = first; i < blocks * THREAD_MAP_THREADS; i += threads)
        found += values[i] != thread_map_expected(i, seed, parameters);
    if (found > 0)
        atomicAdd(&of_check->wrong, found);
}
