/* The keys of atomics and the counts that must result, compiled for device and host. */
#ifndef LAB_ATOMICS_H
#define LAB_ATOMICS_H

#include "runtime/pattern.h"

#include <stdbool.h>

/* In the order of the parameters' choices. */
enum { ATOMICS_INT32, ATOMICS_FP32 };
enum { ATOMICS_UNIFORM, ATOMICS_SKEWED, ATOMICS_NEIGHBOURING };

/* What parameters[] of atomics_key and atomics_expected are: the number of addresses; the distribution, with the type
 * in bit 8, which the keys ignore; the logarithm to base 2 of the number of elements, from ATOMICS_BITS_MIN to
 * ATOMICS_BITS_MAX. */
enum { ATOMICS_ADDRESSES, ATOMICS_DISTRIBUTION, ATOMICS_BITS, ATOMICS_TYPE_BIT = 8 };

/* At least a tile: the elements that a block of ATOMICS_THREADS threads loads together. At most what a float counts
 * exactly.
 */
enum { ATOMICS_BITS_MIN = 10, ATOMICS_BITS_MAX = 24, ATOMICS_TILE = 1 << ATOMICS_BITS_MIN, ATOMICS_THREADS = 256 };

enum { ATOMICS_HOST_BYTES_MAX = 65536 }; /* the most bytes of a core's copy of the counters on a host device */

// region keys
/* A permutation of the numbers below 2^bits. */
LAB_HOST_DEVICE uint32_t atomics_permute(uint32_t i, uint32_t bits, uint64_t seed)
{
    uint32_t mask = (1u << bits) - 1, x = (i + (uint32_t)seed) & mask;
    for (int round = 0; round < 3; round++) {
        x = x * 0x9E3779B1u & mask;
        x ^= x >> (bits / 2);
    }
    return x;
}

/* The address of the element that is at `position` when all are sorted by address; never falls as the position rises.
 * With u = position / 2^bits it is the integer part of addresses * u, and of addresses * u^4 if the distribution is
 * skewed. */
LAB_HOST_DEVICE uint32_t atomics_address(uint32_t position, const uint64_t parameters[3])
{
    uint64_t u = (uint64_t)position << (32 - parameters[ATOMICS_BITS]);
    if ((parameters[ATOMICS_DISTRIBUTION] & 255) == ATOMICS_SKEWED) {
        u = u * u >> 32;
        u = u * u >> 32;
    }
    return (uint32_t)(u * parameters[ATOMICS_ADDRESSES] >> 32);
}

/* The address to which element `i` adds. */
LAB_HOST_DEVICE uint32_t atomics_key(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    if ((parameters[ATOMICS_DISTRIBUTION] & 255) == ATOMICS_NEIGHBOURING)
        return (uint32_t)(i % parameters[ATOMICS_ADDRESSES]);
    return atomics_address(atomics_permute((uint32_t)i, (uint32_t)parameters[ATOMICS_BITS], seed), parameters);
}
// end

/* The number of elements with an address below `address`, found by bisection of the sorted positions. */
LAB_HOST_DEVICE uint32_t atomics_below(uint64_t address, const uint64_t parameters[3])
{
    uint32_t least = 0, most = 1u << parameters[ATOMICS_BITS];
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        if (atomics_address(middle, parameters) < address)
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

/* How many elements add to `address`. */
LAB_HOST_DEVICE uint32_t atomics_count(uint64_t address, const uint64_t parameters[3])
{
    uint64_t addresses = parameters[ATOMICS_ADDRESSES], elements = UINT64_C(1) << parameters[ATOMICS_BITS];
    if ((parameters[ATOMICS_DISTRIBUTION] & 255) == ATOMICS_NEIGHBOURING)
        return (uint32_t)(elements / addresses + (address < elements % addresses));
    return atomics_below(address + 1, parameters) - atomics_below(address, parameters);
}

/* The bits of counter `i`. It does not depend on the seed, which decides the order of the elements only. */
LAB_HOST_DEVICE uint32_t atomics_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t count = atomics_count(i, parameters);
    (void)seed;
    return parameters[ATOMICS_DISTRIBUTION] >> ATOMICS_TYPE_BIT == ATOMICS_FP32 ? lab_float_bits((float)count) : count;
}

/* Whether counter `i` may be `found` if additions to it can be lost: at least one of them counts, and at most all. */
LAB_HOST_DEVICE bool atomics_lost(uint32_t found, uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t count = atomics_count(i, parameters);
    (void)seed;
    return found <= count && (found > 0 || count == 0);
}

#endif
