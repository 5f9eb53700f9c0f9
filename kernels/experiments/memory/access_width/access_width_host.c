/* The kernels of access-width for host devices: each core copies a contiguous part of the elements. */
#include "access_width.h"
#include "benchmark/check.h"

#include <string.h>

/* Parts begin at a multiple of 64 bytes, a cache line, of members that are 4 bytes wide. */
enum { UNIT = 16 };

// step aos-5 "Structures of five floats" shows all
/* All members are copied as one block. */

// step soa-5 "A structure of arrays of five floats" shows all
/* The same copy: the order of the members does not matter if all are copied. */

// region all
/* Copies `members` values of 4 bytes for each element; their order in memory does not matter. */
static void copy_all(const struct lab_host_part *part, const struct lab_argument *arguments, uint64_t members)
{
    const float *in = arguments[0].pointer;
    float *out = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64 * members, UNIT, &begin, &end);
    memcpy(out + begin, in + begin, (end - begin) * sizeof *out);
}

#define COPY_ALL(name, members)                                                                                        \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        copy_all(part, arguments, members);                                                                            \
    }
COPY_ALL(access_width_aos_12, 3)
COPY_ALL(access_width_aos_16, 4)
COPY_ALL(access_width_aos_5, 5)
COPY_ALL(access_width_soa_12, 3)
COPY_ALL(access_width_soa_16, 4)
COPY_ALL(access_width_soa_5, 5)
// end

// step aos "Array of structures" shows all, one
/* All members are copied as one block. If one is copied, all cache lines are read for a third or a quarter of their
 * bytes. */

// step soa "Structure of arrays" shows all, one
/* The same copy if all members are needed. If one is, only its array is read. */

// region one
/* Copies the first member of structures of `members` members; of a structure of arrays, whose first array is
 * contiguous, `members` is 1. */
static void copy_one(const struct lab_host_part *part, const struct lab_argument *arguments, uint64_t members)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64, UNIT, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[i * members];
}

#define COPY_ONE(name, members)                                                                                        \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        copy_one(part, arguments, members);                                                                            \
    }
COPY_ONE(access_width_aos_12_one, 3)
COPY_ONE(access_width_aos_16_one, 4)
COPY_ONE(access_width_soa_one, 1)
// end

LAB_CHECK_HOST(access_width_check, access_width_expected)
