/* Chains of dependent loads, which show the latency of the level of memory that holds the working set, and reads by all
 * multiprocessors, which show its bandwidth. */
#include "benchmark/check.h"
#include "memory_hierarchy.h"

constexpr uint32_t unroll = 32; /* loads of a chain for each test of the loop's end; divides the number of steps */

// region links
/* Every 8-byte word of a line holds the address of the line that follows. */
extern "C" __global__ void memory_hierarchy_link(uint64_t *lines, uint64_t count, uint64_t seed, uint64_t line_count,
                                                 uint64_t, uint64_t)
{
    constexpr uint64_t words = MEMORY_HIERARCHY_LINE / sizeof(uint64_t);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count / 2;
         i += (uint64_t)gridDim.x * blockDim.x)
        lines[i] = __cvta_generic_to_global(lines + memory_hierarchy_next(i / words, line_count, seed) * words);
}
// end

// region load
/* A load that is cached in L1, as loads are by default. The assembly keeps the compiler from changing it. */
__device__ static inline uint64_t load(uint64_t address)
{
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(address));
    return address;
}
// end

// steps use memory_hierarchy.h:order, links, load

// region chase "Chain of dependent loads"
/* Each line holds the address of the next one, in an order that no prefetcher predicts. A step is one load, and
 * nothing else: the address needs no arithmetic. One thread of the device is enough, because only one load is under
 * way. L1 is empty when a kernel starts, so the block first loads the lines that fit there. */
/* L1 is empty when a kernel starts, so all threads of the block load the first `warmed` lines. Then one thread follows
 * the chain. It begins where the kernel before ended, so that it visits all lines also if `steps` is less than their
 * number. */
extern "C" __global__ void memory_hierarchy_chase(const unsigned char *lines, uint32_t *cursor, uint64_t steps,
                                                  uint64_t warmed)
{
    uint64_t first = __cvta_generic_to_global(lines), loaded = 0;
    for (uint64_t line = threadIdx.x; line < warmed; line += blockDim.x)
        loaded |= load(first + line * MEMORY_HIERARCHY_LINE);
    /* An address is a multiple of the line's size, so this adds 0, but the compiler does not know that. */
    uint64_t address = first + __syncthreads_or((int)(loaded % MEMORY_HIERARCHY_LINE));
    if (threadIdx.x > 0)
        return;
    address += (uint64_t)*cursor * MEMORY_HIERARCHY_LINE;
#pragma unroll 1
    for (uint64_t i = 0; i < steps; i += unroll)
#pragma unroll
        for (uint32_t k = 0; k < unroll; k++)
            address = load(address);
    *cursor = (uint32_t)((address - first) / MEMORY_HIERARCHY_LINE);
}
// end

// steps use memory_hierarchy.h:order

// region shared "The chain in shared memory"
/* Shared memory is in the multiprocessor, like L1, but is addressed directly: no tags have to be compared, so the
 * latency is lower. */
/* The same chain in shared memory, whose addresses have 4 bytes. */
extern "C" __global__ void memory_hierarchy_chase_shared(uint32_t *cursor, uint64_t steps, uint32_t line_count,
                                                         uint64_t seed)
{
    extern __shared__ uint32_t lines[];
    uint32_t first = (uint32_t)__cvta_generic_to_shared(lines);
    for (uint32_t line = threadIdx.x; line < line_count; line += blockDim.x)
        lines[line * (MEMORY_HIERARCHY_LINE / sizeof *lines)] =
            first + (uint32_t)memory_hierarchy_next(line, line_count, seed) * MEMORY_HIERARCHY_LINE;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    uint32_t address = first + *cursor * MEMORY_HIERARCHY_LINE;
#pragma unroll 1
    for (uint64_t i = 0; i < steps; i += unroll)
#pragma unroll
        for (uint32_t k = 0; k < unroll; k++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address)::"memory");
    *cursor = (address - first) / MEMORY_HIERARCHY_LINE;
}
// end

// steps use memory_hierarchy.h:words

// region read "Reads by all multiprocessors"
/* Each multiprocessor has one block, whose threads read 16 bytes in each load. The loads do not depend on each other,
 * so several of each thread are under way. A working set that fits in L1 is read whole by every block. Of a larger one
 * each block reads a part of its own, by loads that bypass L1: if all blocks read the same lines, one would find on
 * the way to L2 what another one has just loaded. */
/* Loads through L1, and past it. The second is no volatile statement, so that the compiler may have several under
 * way. */
struct through_l1 {
    __device__ uint4 operator()(const uint4 *address) const
    {
        return *address;
    }
};

struct past_l1 {
    __device__ uint4 operator()(const uint4 *address) const
    {
        uint4 value;
        asm("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
            : "l"(address));
        return value;
    }
};

/* The threads of a block read `vectors` vectors, again and again until each of them has read `steps`. */
template <typename LOAD>
__device__ void read_all(const uint4 *__restrict__ data, uint32_t *__restrict__ sums, uint32_t vectors, uint32_t steps)
{
    __shared__ uint32_t sum_of_block;
    uint32_t i = threadIdx.x % vectors, stride = blockDim.x % vectors, sum = 0;
    if (threadIdx.x == 0)
        sum_of_block = 0;
#pragma unroll 8
    for (uint32_t step = 0; step < steps; step++) {
        uint4 value = LOAD()(data + i);
        sum += value.x + value.y + value.z + value.w;
        i += stride;
        i = i < vectors ? i : i - vectors;
    }
    __syncthreads();
    atomicAdd(&sum_of_block, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum_of_block;
}

/* Every block reads all vectors. */
extern "C" __global__ void __launch_bounds__(1024)
    memory_hierarchy_read_l1(const uint4 *data, uint32_t *sums, uint32_t vectors, uint32_t steps)
{
    read_all<through_l1>(data, sums, vectors, steps);
}

/* Each block reads a part of its own, which begins `vectors` vectors after that of the block before. */
extern "C" __global__ void __launch_bounds__(1024)
    memory_hierarchy_read_l2(const uint4 *data, uint32_t *sums, uint32_t vectors, uint32_t steps)
{
    read_all<past_l1>(data + (uint64_t)blockIdx.x * vectors, sums, vectors, steps);
}
// end

LAB_FILL_KERNEL(memory_hierarchy_fill, memory_hierarchy_word)
LAB_CHECK_KERNEL(memory_hierarchy_check_cursor, memory_hierarchy_cursor)
LAB_CHECK_KERNEL(memory_hierarchy_check_sums, memory_hierarchy_block_sum)
