/* The blocks of thread-map on host devices: a core is a multiprocessor that executes one block at a time. */
#include "benchmark/check.h"
#include "measure/clock.h"
#include "thread_map.h"

static uint64_t now_ns(void)
{
    return (uint64_t)(1e9 * lab_now_s());
}

// region block
/* The threads of a block, one after the other. */
static void run_block(const struct lab_launch *launch, const struct lab_argument *arguments, uint32_t block)
{
    const uint32_t blocks = launch->grid[0], threads = launch->block[0];
    const uint32_t multiplier = arguments[4].u32, increment = arguments[5].u32;
    uint32_t rounds = thread_map_rounds((enum thread_map_variant)arguments[2].u32, block, blocks, arguments[3].u32);
    uint32_t *values = (uint32_t *)((struct thread_map_record *)arguments[0].pointer + blocks);
    for (uint64_t i = (uint64_t)block * threads; i < (uint64_t)(block + 1) * threads; i++) {
        uint32_t x = lab_pattern_word(i, arguments[1].u64);
        for (uint32_t round = 0; round < rounds; round++)
            x = x * multiplier + increment;
        values[i] = x;
    }
}
// end

// step even shows block, core

// region core
/* Each core executes every n-th block of n cores. */
LAB_HOST_KERNEL(thread_map)
{
    struct thread_map_record *records = arguments[0].pointer;
    for (size_t block = part->index; block < part->launch->grid[0]; block += part->count) {
        uint64_t start = now_ns();
        run_block(part->launch, arguments, (uint32_t)block);
        records[block] = (struct thread_map_record){(uint32_t)block, (uint32_t)part->index, start, now_ns()};
    }
}
// end

LAB_HOST_KERNEL(thread_map_check)
{
    const struct thread_map_record *records = arguments[0].pointer;
    const uint64_t parameters[3] = {arguments[3].u64, arguments[4].u64, arguments[5].u64};
    const uint64_t blocks = parameters[0];
    const uint32_t *values = (const uint32_t *)(records + blocks);
    uint64_t begin, end, found = 0;
    lab_host_part_range(part, blocks, 1, &begin, &end);
    for (uint64_t block = begin; block < end; block++)
        found += !thread_map_is_right(&records[block], block, (uint32_t)part->count);
    for (uint64_t i = begin * THREAD_MAP_THREADS; i < end * THREAD_MAP_THREADS; i++)
        found += values[i] != thread_map_expected(i, arguments[2].u64, parameters);
    if (found > 0)
        __atomic_fetch_add(&((struct lab_check_result *)arguments[6].pointer)->wrong, found, __ATOMIC_RELAXED);
}
