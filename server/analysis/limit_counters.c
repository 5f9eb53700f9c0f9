/* What limits a point by its hardware counters. */
#include "analysis/limit_rules.h"

#include "core/format.h"
#include "core/hardware_counters.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A unit, and how its use is counted. */
struct unit {
    const char *counter, *what;
    bool
        elapsed; /* a share of the whole time while counting; false: of the cycles in which multiprocessors have warps */
};
static const struct unit units[] = {
    {"dram_utilization", "device memory", true},
    {"l2_utilization", "the L2 cache", true},
    {"l1_utilization", "L1 and shared memory", true},
    {"fp32_utilization", "the pipe for fp32", false},
    {"fp64_utilization", "the pipe for fp64", false},
    {"tensor_utilization", "the tensor cores", false},
    {"sfu_utilization", "the pipe for special functions", false},
    {"lsu_utilization", "the pipe for loads and stores", false},
    {"issue_utilization", "the issue slots", false},
};

/* Counting takes longer than the samples, in which the same work is done in less time. */
static double use_of(const struct lab_point_facts *point, const struct unit *unit)
{
    double share = lab_point_counter(point, unit->counter);
    double faster = lab_point_counter(point, "time") / lab_point_seconds(point);
    return unit->elapsed && faster > 1 && share * faster <= 1 ? share * faster : share;
}

/* The unit that is used most, with *share; NULL: none is known. */
static const struct unit *busiest(const struct lab_point_facts *point, double *share)
{
    const struct unit *most = NULL;
    *share = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double its = use_of(point, &units[i]);
        if (!(its > *share))
            continue;
        most = &units[i];
        *share = its;
    }
    return most;
}

/* What warps wait for most, as "waiting for global memory", in *cycles of *all from one instruction to the next; NULL:
 * not counted. */
static const char *stall_of(const struct lab_point_facts *point, double *cycles, double *all)
{
    static const char prefix[] = "stall_", subject[] = "Cycles ";
    const char *reason = NULL;
    *cycles = *all = 0;
    for (size_t i = LAB_HARDWARE_STALL_SELECTED; i < LAB_HARDWARE_COUNTER_COUNT; i++) {
        const struct lab_hardware_counter_row *row = &lab_hardware_counter_rows[i];
        double value =
            strncmp(row->name, prefix, strlen(prefix)) == 0 ? lab_point_counter(point, row->name) : (double)NAN;
        if (!isfinite(value))
            continue;
        *all += value;
        if (i == LAB_HARDWARE_STALL_SELECTED || i == LAB_HARDWARE_STALL_NOT_SELECTED || value <= *cycles)
            continue;
        *cycles = value;
        reason = row->title + strlen(subject);
    }
    return reason;
}

/* ", and a warp is waiting for global memory in 50.2 of the 72.3 cycles from one of its instructions to the next"; ""
 * where it is not known. */
static void say_stall(const struct lab_point_facts *point, const char *before, char *text, size_t size)
{
    double cycles, all;
    char some[LAB_FORMAT_SIZE], of[LAB_FORMAT_SIZE];
    const char *reason = stall_of(point, &cycles, &all);
    text[0] = '\0';
    if (reason != NULL)
        snprintf(text, size, "%sa warp is %s in %s of the %s cycles from one of its instructions to the next", before,
                 reason, lab_format_number(cycles, some), lab_format_number(all, of));
}

/* ": 256 MiB in 115 us, 2338 GB/s"; "" for other units. */
static void say_traffic(const struct lab_point_facts *point, const struct unit *unit, char *text, size_t size)
{
    double bytes = lab_point_counter(point, "dram_read_bytes") + lab_point_counter(point, "dram_written_bytes");
    double seconds = lab_point_seconds(point);
    char moved[LAB_FORMAT_SIZE], time[LAB_FORMAT_SIZE], rate[LAB_FORMAT_SIZE];
    text[0] = '\0';
    if (strcmp(unit->counter, "dram_utilization") == 0 && isfinite(bytes) && seconds > 0)
        snprintf(text, size, ", which moves %s in %s (%s)", lab_format_bytes(bytes, moved),
                 lab_format_seconds(seconds, time), lab_format_quantity(bytes / seconds / 1e9, "GB/s", rate));
}

struct lab_limit lab_limit_by_counters(const struct lab_point_facts *point)
{
    double share;
    char used[LAB_FORMAT_SIZE], traffic[160], stall[240];
    const struct unit *unit = busiest(point, &share);
    if (unit == NULL)
        return (struct lab_limit){0};
    lab_format_share(share, used);
    say_traffic(point, unit, traffic, sizeof traffic);
    if (share >= LAB_UNIT_BUSY)
        return (struct lab_limit){"counters", unit->what, share,
                                  json_sprintf("The limit is %s%s, used to %s.", unit->what, traffic, used)};
    say_stall(point, share >= LAB_UNIT_IDLE ? ", and " : "; ", stall, sizeof stall);
    if (share >= LAB_UNIT_IDLE)
        return (struct lab_limit){
            "counters", unit->what, share,
            json_sprintf("Nearest to its limit is %s%s, used to %s%s.", unit->what, traffic, used, stall)};
    return (struct lab_limit){
        "counters", "latency", share,
        json_sprintf(
            "No counted unit is near its limit, so it is probably latency: the unit that is used most, %s, is used "
            "to %s%s.",
            unit->what, used, stall)};
}
