/* atomics: additions of many threads to few addresses, and what reduces the contention; a histogram with 256 addresses.
 *
 * In the lecture on the memory model the threads of a warp write to one address, without and with atomic operations. Here are
 * the atomic ones: counters and histograms with atomicAdd on global and on shared memory.
 */
#include "atomics.h"
#include "benchmark/axes.h"
#include "workload.h"

static const char *const variants[] = {"global", "known-address", "aggregated", "shared", "shared-per-warp", NULL};
static const char *const types[] = {"int32", "fp32", NULL};
static const char *const distributions[] = {"uniform", "skewed", "neighbouring", NULL};

/* --- parameters and axes ------------------------------------------------------------------------------------------ */

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "variant", "Kernel",
        "global: each element is an atomic addition in global memory; known-address: the same to one address that the "
        "compiler knows; aggregated: the lanes of a warp with the same address add once; shared: each block has a copy "
        "of the counters in shared memory; shared-per-warp: each warp has.",
        variants, "global", "known-address", "aggregated", "shared", "shared-per-warp")},
    {LAB_CHOICES("type", "Type", "Type of the counters.", types, "int32", "fp32")},
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
         "Number of additions, rounded down to a power of two of at least 1024. 0: automatic, 16777216 and on a host device 1048576.",
         0),
     .minimum = 0, .maximum = 1 << ATOMICS_BITS_MAX},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant", .title = "Kernel"},
    [TYPE] = {.name = "type", .title = "Type"},
    [ADDRESSES] = {.name = "addresses", .title = "Addresses", .list = atomics_list_addresses},
    [DISTRIBUTION] = {.name = "distribution", .title = "Distribution", .list = atomics_list_distributions},
    [ELEMENTS] = {.name = "elements", .title = "Elements", .list = atomics_list_elements},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
};

/* --- metrics, views, explanation ---------------------------------------------------------------------------------- */

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
        "elements only in aggregated and, with integers, in all but global; shared and shared-per-warp divide by the "
        "number of multiprocessors. How many additions the L2 cache executes at the same time is in no attribute of the "
        "device, and not part of it")},
    {LAB_METRIC("hottest_interval", "Cycles per addition to the most frequent address", "cycles",
                "time * SM clock / elements with the most frequent address"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("bandwidth", "Bandwidth of the keys", "GB/s",
                "4 bytes for each element, its key, / time / 10^9; additions do not count"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "contention", "Additions per second over addresses", "rate", "addresses"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("bars", "histogram", "Additions per second by kernel", "rate", "variant")},
    {LAB_VIEW("line", "interval", "Cycles per addition to the most frequent address", "hottest_interval", "addresses"),
     .log_x = true, .log_y = true},
    {0},
};

static const char explanation[] =
    "An atomic addition reads a value, adds to it and writes it back, and no other thread can come between. On a GPU "
    "the additions to global memory are executed in the L2 cache. Additions to different addresses run at the same "
    "time in different parts of the cache; those to one address run one after the other. Here each element of an "
    "array of keys adds 1 to the counter with the number of its key. The number of counters is swept; with 256 it is "
    "a histogram of bytes.\n\n"
    "What to expect: with one address each addition waits for the one before. At one per clock these are at most 2 "
    "billion per second at 1.98 GHz, while reading the keys would allow 1,200 billion on an H200. The rate rises with "
    "the number of addresses until the units of the cache limit it. A warp that first counts its lanes with the same "
    "address needs up to 32 times fewer atomic additions, if the lanes have few different addresses. With copies in "
    "shared memory the multiprocessors, 132 on an H200, add at the same time. Shared memory can add integers, and "
    "from compute capability 8.0 on one instruction counts the lanes that add 1 to the same address. For floats the "
    "compiler makes a loop that reads, adds and compares, and that starts again if another thread was faster. If all "
    "lanes add to one address that the compiler knows, it aggregates integers by itself, but not floats, because "
    "their sum depends on the order. On a CPU the cores take the cache line of a counter from each other; private "
    "counters need no atomic operations.\n\n"
    "On an H200 one address takes 1.37 billion integers in a second, one in 1.45 clocks, and 0.57 billion floats, one "
    "in 3.5. A single address that the compiler knows, and aggregated, are 31 times as fast with integers (42). 2^20 "
    "addresses take 99 billion of either type, some 50 in each clock on the whole device: this is the limit of the "
    "cache, 12 times below the upper bound from the keys. With 32 random addresses, all in one line of 128 bytes, it "
    "is 4.5 billion: a line lies in one part of the cache, which executes about 2 additions in a clock. With 256 "
    "addresses aggregated and global are alike, 8.8 and 8.1 billion: of 32 lanes 30 have different keys, so hardly "
    "anything is saved. But in some runs aggregated, or global with floats, reaches 4 billion there; probably the 1 "
    "KiB of counters then lies on fewer parts of the cache. Shared memory takes 878 billion integers with one "
    "address, 0.7 of what the keys allow, and 450 with 4096, whose banks conflict. Floats in shared memory take 19.5 "
    "with one address, 13 clocks of a multiprocessor for each, because a lane after the other wins its loop; with a "
    "copy for each warp 82.\n\n"
    "Try the distribution `neighbouring`: the lanes of a warp add to neighbouring addresses, and one access to the "
    "cache serves several of them. Compare uniform with skewed data at 256 addresses. Try more addresses in shared "
    "memory, until one block alone fills it.";

#define FOLDER "kernels/experiments/execution/atomics/"
#define CUDA(region)                                                                                                   \
    {FOLDER "atomics.cu", "elements"},                                                                                 \
    {                                                                                                                  \
        FOLDER "atomics.cu", region                                                                                    \
    }

static const struct lab_source sources[] = {
    {"global",
     "cuda",
     "Global memory",
     "One atomic addition for each element. The compiler cannot know which lanes have the same key, so it aggregates nothing. "
     "The sum is not used, so the instruction is RED, for which the thread does not wait.",
     {{FOLDER "atomics.h", "keys"}, CUDA("global")}},
    {"known-address",
     "cuda",
     "One address, known to the compiler",
     "The address is an argument of the kernel, the same for all lanes. For integers the compiler counts the active lanes "
     "(VOTE and POPC), and one lane adds the number. For floats it keeps all additions.",
     {CUDA("known-address")}},
    {"aggregated",
     "cuda",
     "Aggregated by the warp",
     "__match_any_sync gives each lane the set of lanes with the same key. The first lane of each set adds its size, so an "
     "address gets one addition for each warp.",
     {CUDA("aggregated")}},
    {"shared",
     "cuda",
     "A copy for each block",
     "Each block counts in shared memory, and adds its counters to those in global memory once, at the end.",
     {CUDA("shared")}},
    {"shared-per-warp",
     "cuda",
     "A copy for each warp",
     "Eight copies in each block: a warp competes only with itself. The copies take shared memory, so fewer blocks fit on a "
     "multiprocessor, and they must be added up.",
     {CUDA("shared")}},
    {"global",
     "host",
     "Atomic additions",
     "All cores add to the same counters. The processor has an atomic addition for integers; a float is added in a loop "
     "with compare-and-swap.",
     {{FOLDER "atomics.h", "keys"}, {FOLDER "atomics_host.c", "global"}}},
    {"shared",
     "host",
     "A copy for each core",
     "Each core counts by itself without atomic operations, and adds its counters to the common ones at the end.",
     {{FOLDER "atomics_host.c", "global"}, {FOLDER "atomics_host.c", "private"}}},
    {0},
};

extern const struct lab_binary lab_binary_atomics;
extern const struct lab_host_kernel atomics_host_kernels[];
static const struct lab_image image = {"atomics", &lab_binary_atomics, atomics_host_kernels};
static const struct lab_benchmark benchmark = {.image = &image, .describe = atomics_describe};

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
    .summary = "Atomic additions of many threads to 1 to 1,048,576 addresses: contention, and what reduces it.",
    .sources = sources,
    LAB_BENCHMARK_FIELDS(atomics, benchmark),
};
