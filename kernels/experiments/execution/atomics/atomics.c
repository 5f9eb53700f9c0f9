/* atomics: additions of many threads to few addresses, and what reduces the contention; a histogram with 256 addresses.
 *
 * In the lecture on the memory model the threads of a warp write to one address, without and with atomic operations.
 * Here they add: without them, so that additions are lost; with atomicAdd on global and on shared memory; by compare
 * and swap; and with a lock.
 */
#include "atomics.h"
#include "benchmark/axes.h"
#include "workload.h"

static const char *const types[] = {"int32", "fp32", NULL};
static const char *const distributions[] = {"uniform", "skewed", "neighbouring", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", atomics_steps)},
    {LAB_CHOICES_ALL("type", "Type", "Type of the counters.", types)},
    {LAB_INTEGERS(
         "addresses", "Addresses",
         "Number of counters, neighbours in memory, to which the elements add. By default copies in shared memory are "
         "measured only where they fit.",
         1, 4, 32, 256, 16384, 1048576),
     .minimum = 1, .maximum = 1 << 20},
    {LAB_CHOICES(
        "distribution", "Distribution",
        "uniform: random addresses, all equally frequent; skewed: random addresses, the first ones most frequent (address "
        "floor(addresses * u^4) for uniform u from 0 to 1); neighbouring: element i adds to address i % addresses.",
        distributions, "uniform", "skewed")},
    {LAB_INTEGERS(
         "elements", "Elements",
         "Number of additions, rounded down to a power of two of at least 1024. 0: automatic, 16777216, of cas and lock "
         "8192, and on a host device 1048576.",
         0),
     .minimum = 0, .maximum = 1 << ATOMICS_BITS_MAX},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [TYPE] = {.name = "type", .list = atomics_list_types},
    [ADDRESSES] = {.name = "addresses", .list = atomics_list_addresses},
    [DISTRIBUTION] = {.name = "distribution", .list = atomics_list_distributions},
    [ELEMENTS] = {.name = "elements", .list = atomics_list_elements},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "rate", "Additions per second", "Gop/s",
         "elements, each of which adds 1 to a counter, / time / 10^9, however many atomic instructions that takes"),
     .counter = LAB_COUNT_ITEMS},
    {LAB_METRIC(
        "predicted_rate", "Upper bound", "Gop/s",
        "computed, not measured: elements / the longer of two times / 10^9, an upper bound. One time is that of reading "
        "the 4-byte keys at the peak bandwidth of the memory. The other is that of the additions to the most frequent "
        "address, one per clock (maximum SM clock). An addition counts for each element, but for each warp with such "
        "elements only in aggregated and, with integers, in known-address, shared and shared-per-warp; shared and shared-per-warp "
        "divide by the number of multiprocessors; a lock needs two operations for each element; plain has none. How many additions the L2 cache executes at the same time is in no attribute of the "
        "device, and not part of it")},
    {LAB_METRIC(
        "survived", "Additions that count", "1",
        "sum of all counters after one repetition / elements; of plain additions, the result of which is right if "
        "each counter is at least 1 and at most the number of its elements")},
    {LAB_METRIC(
        "survived_bound", "Upper bound of additions that count", "1",
        "computed, not measured: the lanes of a warp with the same address add once, if no other warp reads and "
        "writes at the same time; the expected number of different addresses in a warp / 32")},
    {LAB_METRIC("hottest_interval", "Cycles per addition to the most frequent address", "cycles",
                "time * SM clock / elements with the most frequent address"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("bandwidth", "Bandwidth of the keys", "GB/s",
                "4 bytes for each element, its key, / time / 10^9; additions do not count"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "counted_requests", "Counted atomic requests", "1",
        "counted by the hardware: atomic requests of warps to global memory / (elements / 32); 1 if each warp adds "
        "once for its 32 elements, whatever their addresses are")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "contention", "Additions per second over addresses", "rate", "addresses"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("bars", "requests", "Counted atomic requests by kernel", "counted_requests", "variant")},
    {LAB_VIEW("bars", "histogram", "Additions per second by kernel", "rate", "variant")},
    {LAB_VIEW("line", "survived", "Additions that count, without atomic operations", "survived", "addresses"),
     .log_x = true, .log_y = true},
    {LAB_VIEW("table", "survived-bound", "Upper bound of additions that count", "survived_bound", "addresses")},
    {LAB_VIEW("line", "interval", "Cycles per addition to the most frequent address", "hottest_interval", "addresses"),
     .log_x = true, .log_y = true},
    {0},
};

LAB_IMAGE(atomics);
static const struct lab_benchmark benchmark = {.image = &image, .describe = atomics_describe, .read = atomics_read};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("In shared memory", "rate"), .at = {{"variant", "shared"}, {"distribution", "uniform"}},
     .largest = {"elements", "addresses"}},
    {LAB_HEADLINE("In global memory", "rate"), .at = {{"variant", "global"}, {"distribution", "uniform"}},
     .largest = {"elements", "addresses"}},
    {0},
};

LAB_PAGE(atomics);
const struct lab_experiment lab_atomics = {
    .name = "atomics",
    .title = "Atomic operations",
    .subject = "execution",
    .summary =
        "Additions by many threads to 1 to 1,048,576 addresses: how many are lost without atomic operations, how "
        "contention slows atomic operations, and what reduces contention.",
    LAB_BENCHMARK_FIELDS(atomics, benchmark),
};
