/* The kernels of access-width for host devices: each core copies a contiguous part of the elements. */
#include "access_width.h"
#include "benchmark/check.h"

#include <string.h>

/* Parts begin at a multiple of 64 bytes, a cache line, of members that are 4 bytes wide. */
enum { UNIT = 16 };

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

static void copy_12(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy_all(part, arguments, 3);
}

static void copy_16(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy_all(part, arguments, 4);
}
static void copy_5(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy_all(part, arguments, 5);
}
// end all

// region one
/* Copies the first member of structures of `members` members; of a structure of arrays, whose first array is contiguous,
 * `members` is 1. */
static void copy_one(const struct lab_host_part *part, const struct lab_argument *arguments, uint64_t members)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64, UNIT, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[i * members];
}

static void aos_12_one(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy_one(part, arguments, 3);
}

static void aos_16_one(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy_one(part, arguments, 4);
}

static void soa_one(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    copy_one(part, arguments, 1);
}
// end one

LAB_CHECK_HOST(check, access_width_expected)

extern const struct lab_host_kernel access_width_host_kernels[];
const struct lab_host_kernel access_width_host_kernels[] = {
    {"access_width_aos_12", copy_12},        {"access_width_aos_16", copy_16},
    {"access_width_soa_12", copy_12},        {"access_width_soa_16", copy_16},
    {"access_width_aos_12_one", aos_12_one}, {"access_width_aos_16_one", aos_16_one},
    {"access_width_aos_5", copy_5},          {"access_width_soa_one", soa_one},
    {"access_width_check", check},           {NULL, NULL},
};
