/* Kernels that occupy their blocks for a given time and record when each block ran. Compiled for device and host; a
 * benchmark calls lab_spin in its kernel, and LAB_SPIN_CHECK makes the kernel that checks the records.
 */
#ifndef LAB_SPIN_H
#define LAB_SPIN_H

#include "benchmark/check.h"

enum { LAB_SPIN_THREADS = 32 }; /* of a block */

/* When a block ran, by one clock for all of the device. The result of a workload is a record for each block of its
 * first kernel, then of its second one, …; all have as many blocks. */
struct lab_spin_record {
    uint32_t kernel, block;
    uint64_t start_ns, end_ns;
};

/* Whether record `i` is that of its block, which took at least `ns` nanoseconds. */
LAB_HOST_DEVICE bool lab_spin_is_right(const struct lab_spin_record *record, uint64_t i, uint64_t blocks, uint64_t ns)
{
    return record->kernel == i / blocks && record->block == i % blocks && record->start_ns > 0 &&
           record->end_ns >= record->start_ns + ns;
}

#ifdef __CUDACC__
// region spin
__device__ static inline uint64_t lab_spin_now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Occupies the block for `ns` nanoseconds. */
__device__ static inline void lab_spin(struct lab_spin_record *records, uint32_t kernel, uint64_t ns)
{
    uint64_t start = lab_spin_now_ns(), now = start;
    while (now - start < ns)
        now = lab_spin_now_ns();
    if (threadIdx.x == 0)
        records[kernel * gridDim.x + blockIdx.x] = {kernel, blockIdx.x, start, now};
}
// end

/* Like LAB_CHECK_KERNEL: the parameters are the blocks of a kernel and the nanoseconds. */
#define LAB_SPIN_CHECK(name)                                                                                           \
    extern "C" __global__ void name(const struct lab_spin_record *records, uint64_t words, uint64_t, uint64_t blocks,  \
                                    uint64_t ns, uint64_t, struct lab_check_result *of_check)                          \
    {                                                                                                                  \
        uint64_t count = words * sizeof(uint32_t) / sizeof *records, found = 0;                                        \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;                                  \
             i += (uint64_t)gridDim.x * blockDim.x)                                                                    \
            found += !lab_spin_is_right(&records[i], i, blocks, ns);                                                   \
        if (found > 0)                                                                                                 \
            atomicAdd(&of_check->wrong, (unsigned long long)found);                                                    \
    }
#else
#include "core/clock.h"

// region spin-host
/* Occupies this core with its blocks of the kernel: each n-th of n cores, for `ns` nanoseconds each. */
static inline void lab_spin_part(const struct lab_host_part *part, struct lab_spin_record *records, uint32_t kernel,
                                 uint64_t ns)
{
    const uint32_t blocks = part->launch->grid[0];
    for (size_t block = part->index; block < blocks; block += part->count) {
        uint64_t start = lab_clock_ns(), now = start;
        while (now - start < ns)
            now = lab_clock_ns();
        records[kernel * blocks + block] = (struct lab_spin_record){kernel, (uint32_t)block, start, now};
    }
}
// end

#define LAB_SPIN_CHECK(name)                                                                                           \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        const struct lab_spin_record *records = arguments[0].pointer;                                                  \
        uint64_t count = arguments[1].u64 * sizeof(uint32_t) / sizeof *records, begin, end, found = 0;                 \
        lab_host_part_range(part, count, 1, &begin, &end);                                                             \
        for (uint64_t i = begin; i < end; i++)                                                                         \
            found += !lab_spin_is_right(&records[i], i, arguments[3].u64, arguments[4].u64);                           \
        if (found > 0)                                                                                                 \
            lab_check_add(arguments[6].pointer, found, 0);                                                             \
    }
#endif

#endif
