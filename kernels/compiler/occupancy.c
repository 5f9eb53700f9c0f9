/* The limits of multiprocessors: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
 * All have 65536 registers in four equal parts, each of which serves a quarter of the warps. */
#include "occupancy.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32, PARTS = 4, PART_REGISTERS = 65536 / PARTS, REGISTER_UNIT = 256, KIB = 1024 };

/* What one multiprocessor has. */
struct limits {
    int architecture; /* a row also holds for newer architectures of its generation, up to the next row */
    int warps, blocks;
    long shared_bytes;    /* of all its blocks */
    long shared_unit;     /* shared memory is allotted in multiples of this */
    long shared_reserved; /* what the system takes of each block's */
};

static const struct limits table[] = {
    {75, 32, 16, 64 * KIB, 256, 0},     {80, 64, 32, 164 * KIB, 128, KIB},  {86, 48, 16, 100 * KIB, 128, KIB},
    {87, 48, 16, 164 * KIB, 128, KIB},  {89, 48, 24, 100 * KIB, 128, KIB},  {90, 64, 32, 228 * KIB, 128, KIB},
    {100, 64, 32, 228 * KIB, 128, KIB}, {103, 64, 32, 228 * KIB, 128, KIB}, {110, 48, 24, 228 * KIB, 128, KIB},
    {120, 48, 24, 100 * KIB, 128, KIB},
};

static const struct limits *limits_of(const char *architecture)
{
    int number = strncmp(architecture, "sm_", 3) == 0 ? atoi(architecture + 3) : 0;
    const struct limits *found = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].architecture <= number && table[i].architecture / 10 == number / 10)
            found = &table[i];
    return found;
}

static long round_up(long value, long unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Blocks of `warps` warps for which there are registers: each part of the multiprocessor holds whole warps. */
static long blocks_by_registers(long registers, long warps)
{
    if (registers == 0)
        return LONG_MAX;
    return PARTS * (PART_REGISTERS / round_up(registers * WARP, REGISTER_UNIT)) / warps;
}

static long blocks_by_shared(const struct limits *limits, long shared_bytes)
{
    long taken = round_up(shared_bytes + limits->shared_reserved, limits->shared_unit);
    return taken > 0 ? limits->shared_bytes / taken : LONG_MAX;
}

json_t *lab_occupancy(const char *architecture, long registers, long shared_bytes)
{
    json_t *list = json_array();
    const struct limits *limits = limits_of(architecture);
    for (long threads = WARP; limits != NULL && threads <= 1024; threads *= 2) {
        long warps = threads / WARP;
        const struct {
            const char *name;
            long blocks;
        } candidates[] = {{"warps", limits->warps / warps},
                          {"blocks", limits->blocks},
                          {"registers", blocks_by_registers(registers, warps)},
                          {"shared memory", blocks_by_shared(limits, shared_bytes)}};
        size_t least = 0;
        for (size_t i = 1; i < sizeof candidates / sizeof *candidates; i++)
            if (candidates[i].blocks < candidates[least].blocks)
                least = i;
        long resident = candidates[least].blocks * warps;
        json_array_append_new(list, json_pack("{s:I, s:I, s:f, s:s}", "threads", (json_int_t)threads, "warps",
                                              (json_int_t)resident, "share", (double)resident / limits->warps, "limit",
                                              candidates[least].name));
    }
    return list;
}
