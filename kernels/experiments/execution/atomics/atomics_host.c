/* The kernels of atomics for host devices: each core takes a contiguous part of the elements. */
#include "atomics.h"
#include "benchmark/check.h"

/* A part's elements; n is the third argument. */
static void part_range(const struct lab_host_part *part, const struct lab_argument *arguments, uint64_t *begin,
                       uint64_t *end)
{
    lab_host_part_range(part, arguments[2].u32, ATOMICS_TILE, begin, end);
}

// steps use atomics.h:keys

// region global "An atomic addition for each element"
/* All cores add to the same counters. The processor has an atomic addition for integers; a float is added in a loop
 * with compare-and-swap. */
static void add_fp32(float *counter, float count)
{
    float old, sum;
    __atomic_load(counter, &old, __ATOMIC_RELAXED);
    do
        sum = old + count;
    while (!__atomic_compare_exchange(counter, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

LAB_HOST_KERNEL(atomics_global_int32)
{
    const uint32_t *keys = arguments[0].pointer;
    uint32_t *counters = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&counters[keys[i]], 1, __ATOMIC_RELAXED);
}

LAB_HOST_KERNEL(atomics_global_fp32)
{
    const uint32_t *keys = arguments[0].pointer;
    float *counters = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        add_fp32(&counters[keys[i]], 1);
}
// end

// step shared "A copy of the counters for each core" shows global, private
/* Each core counts by itself without atomic operations, and adds its counters to the common ones at the end. */

// region private
LAB_HOST_KERNEL(atomics_shared_int32)
{
    const uint32_t *keys = arguments[0].pointer;
    uint32_t *counters = arguments[1].pointer, own[ATOMICS_HOST_BYTES_MAX / sizeof(uint32_t)] = {0};
    uint64_t begin, end, addresses = arguments[3].u32;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        own[keys[i]]++;
    for (uint64_t address = 0; address < addresses; address++)
        __atomic_fetch_add(&counters[address], own[address], __ATOMIC_RELAXED);
}

LAB_HOST_KERNEL(atomics_shared_fp32)
{
    const uint32_t *keys = arguments[0].pointer;
    float *counters = arguments[1].pointer, own[ATOMICS_HOST_BYTES_MAX / sizeof(float)] = {0};
    uint64_t begin, end, addresses = arguments[3].u32;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        own[keys[i]]++;
    for (uint64_t address = 0; address < addresses; address++)
        add_fp32(&counters[address], own[address]);
}
// end

LAB_FILL_HOST(atomics_fill, atomics_key)
LAB_CHECK_HOST(atomics_check, atomics_expected)
