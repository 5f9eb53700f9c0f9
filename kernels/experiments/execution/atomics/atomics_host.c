/* The kernels of atomics for host devices: each core takes a contiguous part of the elements. */
#include "atomics.h"
#include "benchmark/check.h"

/* A part's elements; n is the third argument. */
static void part_range(const struct lab_host_part *part, const struct lab_argument *arguments, uint64_t *begin,
                       uint64_t *end)
{
    lab_host_part_range(part, arguments[2].u32, ATOMICS_TILE, begin, end);
}

// region global
/* Adds to a float to which other cores add at the same time. */
static void add_fp32(float *counter, float count)
{
    float old, sum;
    __atomic_load(counter, &old, __ATOMIC_RELAXED);
    do
        sum = old + count;
    while (!__atomic_compare_exchange(counter, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void global_int32(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *keys = arguments[0].pointer;
    uint32_t *counters = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&counters[keys[i]], 1, __ATOMIC_RELAXED);
}

static void global_fp32(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *keys = arguments[0].pointer;
    float *counters = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        add_fp32(&counters[keys[i]], 1);
}
// end global

// region private
static void private_int32(const struct lab_host_part *part, const struct lab_argument *arguments)
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

static void private_fp32(const struct lab_host_part *part, const struct lab_argument *arguments)
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
// end private

LAB_FILL_HOST(fill, atomics_key)
LAB_CHECK_HOST(check, atomics_expected)

extern const struct lab_host_kernel atomics_host_kernels[];
const struct lab_host_kernel atomics_host_kernels[] = {
    {"atomics_global_int32", global_int32},
    {"atomics_global_fp32", global_fp32},
    {"atomics_shared_int32", private_int32},
    {"atomics_shared_fp32", private_fp32},
    {"atomics_fill", fill},
    {"atomics_check", check},
    {NULL, NULL},
};
