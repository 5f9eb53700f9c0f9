/* The kernel of l1-cache for host devices: each core reads the whole array. */
#include "benchmark/check.h"
#include "l1_cache.h"

// region ca "Ordinary loads"
/* A CPU's caches keep what was read last; a program cannot divide them. */
LAB_HOST_KERNEL(l1_cache_ca)
{
    const uint32_t *restrict data = arguments[0].pointer;
    uint32_t *sums = arguments[1].pointer, words = arguments[2].u32 * (L1_VECTOR_BYTES / L1_WORD_BYTES);
    uint64_t begin, end;
    lab_host_part_range(part, part->launch->grid[0], 1, &begin, &end);
    for (uint64_t block = begin; block < end; block++) {
        uint32_t sum = 0;
        for (uint32_t round = 0; round < arguments[3].u32; round++) {
            for (uint32_t i = 0; i < words; i++)
                sum += data[i];
            __asm__ volatile("" ::: "memory"); /* each round reads the array again */
        }
        sums[block] = sum;
    }
}
// end

LAB_CHECK_HOST(l1_cache_check, l1_cache_sum)
