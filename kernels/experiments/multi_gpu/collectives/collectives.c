/* collectives: collective operations of several devices, by operation and size. This file holds the descriptor.
 *
 * Reproduces the tables of nccl-tests (all_reduce_perf and the others), with the same definitions of sizes and
 * bandwidths (doc/PERFORMANCE.md of nccl-tests). Every element of every result is verified.
 */
#include "collectives.h"

#include "benchmark/axes.h"

static const char *const operations[] = {
    [LAB_ALL_REDUCE] = "all-reduce", [LAB_ALL_GATHER] = "all-gather", [LAB_REDUCE_SCATTER] = "reduce-scatter",
    [LAB_BROADCAST] = "broadcast",   [LAB_ALL_TO_ALL] = "all-to-all", [LAB_COLLECTIVE_OPERATIONS] = NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "operation", "Operation",
        "all-reduce: every device receives the sum of all arrays; reduce-scatter: every device receives one part of "
        "the sum; all-gather: every device receives the parts of all; broadcast: every device receives the array of "
        "the first; all-to-all: every device sends a different part to each other device.",
        operations, "all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all")},
    {LAB_INTEGER("min_bytes", "Smallest size",
                 "Smallest size. For operations with one part per device it is the total of all parts; each part is "
                 "rounded down to a multiple of 16 bytes.",
                 1024),
     .unit = "B", .minimum = COLLECTIVES_PART_UNIT_BYTES * LAB_RUN_DEVICES_MAX, .maximum = 1099511627776.0},
    {LAB_INTEGER("max_bytes", "Largest size",
                 "Largest size; it is always measured. Each device needs twice this much memory, for the send and "
                 "the receive buffer.",
                 1073741824),
     .unit = "B", .minimum = COLLECTIVES_PART_UNIT_BYTES * LAB_RUN_DEVICES_MAX, .maximum = 1099511627776.0},
    {LAB_FACTOR_PARAMETER("size", 1.01, 1048576, 4)},
    {LAB_BOOLEANS("in_place", "In place",
                  "false: separate send and receive buffers; true: the result overwrites the input.", false, true)},
    {LAB_DEVICE_COUNT_PARAMETER("take part"), .count = LAB_ONE_OR_LIST, .fallback = "[0]"},
    {LAB_BOOLEAN(
         "multicast", "NVLink multicast",
         "Whether NVSwitches may copy and add up the data sent through them. false: NCCL_NVLS_ENABLE=0 is set before "
         "NCCL is loaded; true: the environment is not changed, so NCCL decides. On a machine that shares its "
         "NVSwitches with other users, ask them first.",
         false),
     .advanced = true},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "busbw", "Bus bandwidth", "GB/s",
         "algbw * f, the bandwidth of each device's link in one direction for an optimal algorithm; for n devices f = 2 "
         "(n - 1) / n for all-reduce, (n - 1) / n for reduce-scatter, all-gather and all-to-all, and 1 for broadcast "
         "(nccl-tests, doc/PERFORMANCE.md)"),
     .counter = LAB_COUNT_AGGREGATE_BYTES, .peak = "link"},
    {LAB_METRIC(
         "algbw", "Algorithm bandwidth", "GB/s",
         "bytes / time / 10^9; bytes of the array (all-reduce, broadcast) or of the n parts of one device together "
         "(reduce-scatter, all-gather, all-to-all), each counted once"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
         "time", "Time", "s",
         "time on the first device from the end of a leading operation, which synchronises the devices, to the end of the "
         "last operation / number of operations in between; one host thread of each machine launches all operations on all "
         "its devices, which at small sizes can take longer than the operations"),
     .counter = LAB_COUNT_SECONDS},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "busbw", "Bus bandwidth over size", "busbw", "bytes"), .log_x = true},
    {LAB_VIEW("line", "algbw", "Algorithm bandwidth over size", "algbw", "bytes"), .log_x = true},
    {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true, .log_y = true},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("All-reduce", "busbw"), .at = {{"operation", "all-reduce"}}, .largest = {"device_count", "bytes"}},
    {LAB_HEADLINE("All-gather", "busbw"), .at = {{"operation", "all-gather"}}, .largest = {"device_count", "bytes"}},
    {LAB_HEADLINE("Reduce-scatter", "busbw"), .at = {{"operation", "reduce-scatter"}},
     .largest = {"device_count", "bytes"}},
    {0},
};

LAB_PAGE(collectives);
const struct lab_experiment lab_collectives = {
    .name = "collectives",
    .title = "NCCL collectives",
    .subject = "multi-gpu",
    .summary =
        "Bandwidth of all-reduce, reduce-scatter, all-gather, broadcast and all-to-all on several devices, by size.",
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .spans_nodes = true,
    LAB_RUN_FIELDS(collectives),
};
