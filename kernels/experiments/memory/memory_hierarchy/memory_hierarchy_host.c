/* The kernels of memory-hierarchy for host devices: the chain is followed by one core, and all cores read. */
#include "benchmark/check.h"
#include "memory_hierarchy.h"

// region links
LAB_HOST_KERNEL(memory_hierarchy_link)
{
    enum { WORDS = MEMORY_HIERARCHY_LINE / sizeof(uint64_t) };
    uint64_t *words = arguments[0].pointer;
    uint64_t lines = arguments[3].u64, begin, end;
    lab_host_part_range(part, lines, 1, &begin, &end);
    for (uint64_t line = begin; line < end; line++) {
        uint64_t next = (uint64_t)(words + memory_hierarchy_next(line, lines, arguments[2].u64) * WORDS);
        for (uint64_t i = 0; i < WORDS; i++)
            words[line * WORDS + i] = next;
    }
}
// end

// steps use memory_hierarchy.h:order, links

// region chase "Chain of dependent loads"
/* One core follows the chain. Caches stay as they are between two repetitions, so nothing is loaded before. */
LAB_HOST_KERNEL(memory_hierarchy_chase)
{
    const unsigned char *lines = arguments[0].pointer, *address = lines;
    uint32_t *cursor = arguments[1].pointer;
    if (part->index > 0)
        return;
    address += (uint64_t)*cursor * MEMORY_HIERARCHY_LINE;
    for (uint64_t i = 0; i < arguments[2].u64; i++)
        address = *(const unsigned char *const *)address;
    *cursor = (uint32_t)((uint64_t)(address - lines) / MEMORY_HIERARCHY_LINE);
}
// end

// steps use memory_hierarchy.h:words

// region read "Reads by all cores"
/* Each core reads a part of its own of the working set, again and again. The order is linear, so the prefetchers of
 * the core have many lines under way. */
static uint32_t sum_of(const uint32_t *words, uint64_t count)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += words[i];
    return sum;
}

/* The blocks, of which each core has some, read as on the device. */
LAB_HOST_KERNEL(memory_hierarchy_read_l2)
{
    uint32_t *sums = arguments[1].pointer;
    uint64_t words = 4 * (uint64_t)arguments[2].u32, begin, end;
    lab_host_part_range(part, part->launch->grid[0], 1, &begin, &end);
    for (uint64_t block = begin; block < end; block++) {
        const uint32_t *data = (const uint32_t *)arguments[0].pointer + block * words;
        uint64_t left = 4 * (uint64_t)arguments[3].u32 * part->launch->block[0];
        uint32_t sum = 0;
        for (; left > words; left -= words)
            sum += sum_of(data, words);
        sums[block] = sum + sum_of(data, left);
    }
}
// end

LAB_FILL_HOST(memory_hierarchy_fill, memory_hierarchy_word)
LAB_CHECK_HOST(memory_hierarchy_check_cursor, memory_hierarchy_cursor)
LAB_CHECK_HOST(memory_hierarchy_check_sums, memory_hierarchy_block_sum)
