/* reduction for host devices: one core and all cores, on 32-bit integers. */
#include "benchmark/check.h"
#include "reduction.h"

// region scalar "One chain of additions"
/* One core adds one element after the other: each addition waits for the one before. The empty statement keeps the
 * compiler from using vector instructions. */
LAB_HOST_KERNEL(reduction_scalar_int32)
{
    const uint32_t *in = arguments[0].pointer;
    uint32_t sum = 0;
    if (part->index != 0)
        return;
    for (uint64_t i = 0; i < arguments[2].u64; i++) {
        sum += in[i];
        __asm__("" : "+r"(sum));
    }
    *(uint32_t *)arguments[1].pointer = sum;
}

LAB_HOST_KERNEL(reduction_finish_int32)
{
    host_reduction_scalar_int32(part, arguments);
}
// end

// region chains
/* The sum of n elements, a multiple of CHAINS, in chains of additions that do not wait for each other. The compiler
 * makes vectors of them. */
static uint32_t sum_in_chains(const uint32_t *in, uint64_t n)
{
    enum { CHAINS = 32 };
    uint32_t sums[CHAINS] = {0}, sum = 0;
    for (uint64_t i = 0; i < n; i += CHAINS)
        for (size_t k = 0; k < CHAINS; k++)
            sums[k] += in[i + k];
    for (size_t k = 0; k < CHAINS; k++)
        sum += sums[k];
    return sum;
}
// end

// steps use chains

// region unrolled "Independent chains"
/* 32 sums at the same time, in vector registers: the core no longer waits for its additions. */
LAB_HOST_KERNEL(reduction_unrolled_int32)
{
    if (part->index == 0)
        *(uint32_t *)arguments[1].pointer = sum_in_chains(arguments[0].pointer, arguments[2].u64);
}
// end

// region all-cores "All cores"
/* Each core adds up the tiles of a contiguous part of the array, and one core the partial sums. A core alone cannot use
 * all of the memory's bandwidth. */
LAB_HOST_KERNEL(reduction_all_cores_int32)
{
    const uint32_t *in = arguments[0].pointer;
    uint32_t *sums = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64 / REDUCTION_TILE, 1, &begin, &end);
    for (uint64_t tile = begin; tile < end; tile++)
        sums[tile] = sum_in_chains(in + tile * REDUCTION_TILE, REDUCTION_TILE);
}
// end

LAB_FILL_HOST(reduction_fill, reduction_element)

LAB_HOST_KERNEL(reduction_check)
{
    const uint64_t seed = arguments[2].u64, type = arguments[3].u64, n = arguments[4].u64;
    struct lab_check_result *of_check = arguments[6].pointer;
    uint64_t begin, end, sum = 0, total;
    lab_host_part_range(part, n, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        sum += (uint64_t)reduction_number(i, seed, type);
    if (lab_check_total(of_check, part, sum, &total) &&
        *(const uint32_t *)arguments[0].pointer != reduction_bits((int64_t)total, type))
        of_check->wrong = arguments[1].u64;
}
