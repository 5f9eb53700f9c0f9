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

// region plain "Read, add and write, without an atomic operation"
/* A core that reads a counter between the load and the store of another stores the same sum, or an older one: additions
 * are lost. */
LAB_HOST_KERNEL(atomics_plain_int32)
{
    const uint32_t *keys = arguments[0].pointer;
    uint32_t *counters = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t count = __atomic_load_n(&counters[keys[i]], __ATOMIC_RELAXED);
        __atomic_store_n(&counters[keys[i]], count + 1, __ATOMIC_RELAXED);
    }
}
// end

// step cas "Compare and swap in a loop" shows global, swap
/* Stores the sum only if the counter is still the value to which 1 was added. */

// region swap
LAB_HOST_KERNEL(atomics_cas_int32)
{
    const uint32_t *keys = arguments[0].pointer;
    uint32_t *counters = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t *counter = &counters[keys[i]], old = __atomic_load_n(counter, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(counter, &old, old + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
    }
}

LAB_HOST_KERNEL(atomics_cas_fp32)
{
    host_atomics_global_fp32(part, arguments); /* which is such a loop */
}
// end

// steps use atomics.h:keys

// region lock "A lock for each counter"
/* A core has the lock if it has changed it from 0 to 1; the others try again and again. */
LAB_HOST_KERNEL(atomics_lock_int32)
{
    const uint32_t *keys = arguments[0].pointer;
    uint32_t *counters = arguments[1].pointer, *locks = arguments[3].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t *lock = &locks[keys[i]];
        while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0)
            continue;
        counters[keys[i]]++;
        __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    }
}
// end

LAB_FILL_HOST(atomics_fill, atomics_key)
LAB_CHECK_HOST(atomics_check, atomics_expected)
LAB_ACCEPT_HOST(atomics_check_lost, atomics_lost)
