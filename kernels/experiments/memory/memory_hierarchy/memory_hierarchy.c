/* memory-hierarchy: latency and bandwidth of the caches, of device memory and of shared memory, by the size of the
 * working set.
 *
 * Reproduces figure 1 of the CUDA course text, which shows the levels of memory, with figures. A chain of dependent
 * loads was first used by R. H. Saavedra-Barrera, "CPU Performance Evaluation and Execution Time Prediction Using
 * Narrow Spectrum Benchmarking", 1992.
 */
#include "memory_hierarchy.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <string.h>

enum { VARIANT, WORKING_SET, CACHE, LOAD };
enum { CHASE, SHARED, READ };
enum { WARM, COLD };
enum { COLD_LEAST_BYTES = 1 << 20 };

static const char *const variants[] = {"chase", "shared", "read", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL(
        "variant", "Access",
        "chase: one thread follows a chain of dependent loads through all lines of the working set; shared: the same "
        "in shared memory; read: all multiprocessors read the working set again and again; what does not fit in L1 is divided among them.",
        variants)},
    {LAB_INTEGER("min_working_set", "Smallest working set",
                 "First size of the sweep, in bytes. Sizes are rounded down to 4, 5, 6 or 7 times a power of two.",
                 4096),
     .unit = "B", .minimum = 1024, .maximum = 34359738368.0},
    {LAB_INTEGER("max_working_set", "Largest working set",
                 "Largest size; it is always measured, but `shared` ends with what fits in a block's shared memory.",
                 536870912),
     .unit = "B", .minimum = 1024, .maximum = 34359738368.0},
    {LAB_FACTOR_PARAMETER("size", 1.01, 1048576, 1.41421356)},
    {LAB_CACHE_PARAMETER},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

/* Rounds down to 4, 5, 6 or 7 times a power of two lines, for which the chain is a single cycle. */
static int64_t round_size(const struct lab_point *point, int64_t bytes)
{
    int64_t lines = bytes / MEMORY_HIERARCHY_LINE, unit = 2;
    (void)point;
    while (lines / unit >= 8)
        unit *= 2;
    return lines / unit * unit * MEMORY_HIERARCHY_LINE;
}

/* Shared memory has the same latency everywhere, so its sizes double, up to that of a block's; where that is unknown,
 * the one that every GPU has. */
static void list_sizes(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    int64_t optin = request->devices[0]->shared_per_block_optin_bytes, fits = optin != LAB_UNKNOWN ? optin : 49152;
    int64_t least = lab_parameter_integer(request->parameters, "min_working_set");
    int64_t most = lab_parameter_integer(request->parameters, "max_working_set");
    if (point->values[VARIANT] != SHARED)
        lab_axis_values_add_sizes(values, request, "working_set");
    else
        for (int64_t size = least < fits ? least : fits; size <= most && size <= fits; size *= 2)
            lab_axis_values_add(values, size);
}

/* With a cold cache each line is loaded once; fewer lines would take less time than the start of a kernel. */
static bool can_be_cold(const struct lab_point *point)
{
    return point->values[VARIANT] == CHASE && point->values[WORKING_SET] >= COLD_LEAST_BYTES;
}

/* Leaves out what cannot be cold, unless cold is the only value. */
static bool keeps_cache(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    return value == WARM || can_be_cold(point) || lab_parameter_values(request->parameters, "cache")->count == 1;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [WORKING_SET] = {.name = "working_set",
                     .title = "Working set",
                     .unit = "B",
                     .source = LAB_AXIS_SIZES,
                     .list = list_sizes,
                     .round = round_size},
    [CACHE] = {LAB_CACHE_AXIS, .keeps = keeps_cache},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("latency", "Latency", "s",
                "time of a chain / its number of loads, each of which needs the result of the one before"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("latency_cycles", "Latency in cycles", "cycles",
                "latency * clock of the multiprocessors while the point was measured"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes that all threads load / time / 10^9; a byte of the working set counts each time that it is loaded"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
        "share_of_peak", "Share of peak", "1",
        "level 1: bandwidth / (multiprocessors * clock * 128 bytes, or 64 on compute capability 7.5); none for other levels: "
        "the caches serve a part of the loads")},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "level", "Level", "1",
        "computed, not measured: the first level that is as large as the working set; 1: L1, of which at least the "
        "size of a multiprocessor's shared memory is assumed, or shared memory; 2: last-level cache; 3: device "
        "memory, though the last-level cache may still hold a part of the working set, or any level if the cache is cold")},
    {LAB_METRIC("counted_l1_hit_rate", "Counted L1 hit rate", "1",
                "counted by the hardware: sectors found in L1 / sectors looked up there")},
    {LAB_METRIC("counted_l2_hit_rate", "Counted L2 hit rate", "1",
                "counted by the hardware: sectors of the multiprocessors that L2 had / that it was asked for")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "latency", "Latency over working set", "latency", "working_set"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "cycles", "Latency in cycles over working set", "latency_cycles", "working_set"), .log_x = true},
    {LAB_VIEW("scatter", "counted-l1", "Counted L1 hit rate over level", "counted_l1_hit_rate", "level"),
     .y = "working_set", .beside = "latency"},
    {LAB_VIEW("scatter", "counted-l2", "Counted L2 hit rate over level", "counted_l2_hit_rate", "level"),
     .y = "working_set", .beside = "latency"},
    {LAB_VIEW("line", "bandwidth", "Bandwidth over working set", "bandwidth", "working_set"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("table", "level", "Level", "level", "working_set")},
    {0},
};

/* The levels, as the metric `level` numbers them. */
enum { L1 = 1, LAST_LEVEL_CACHE, DEVICE_MEMORY };

/* Loads of a chain, so that the start of the kernel does not matter, and seconds of one for the estimate. */
static const struct {
    uint64_t loads;
    double seconds;
} chains[] = {[L1] = {131072, 20e-9}, [LAST_LEVEL_CACHE] = {32768, 150e-9}, [DEVICE_MEMORY] = {32768, 350e-9}};

static int level_of(const struct lab_device_facts *device, const struct lab_point *point)
{
    int64_t bytes = point->values[WORKING_SET];
    if (point->values[VARIANT] == SHARED)
        return L1;
    if (point->values[CACHE] == COLD)
        return DEVICE_MEMORY;
    return bytes <= device->shared_per_multiprocessor_bytes ? L1
           : bytes <= device->l2_bytes                      ? LAST_LEVEL_CACHE
                                                            : DEVICE_MEMORY;
}

/* One thread follows the chain; the others of its block prepare it. With a cold cache it visits no line twice. */
static void describe_chain(const struct lab_parameters *given, const struct lab_device_facts *device,
                           const struct lab_point *point, struct lab_workload *workload)
{
    enum { THREADS = 256 };
    int level = level_of(device, point);
    bool shared = point->values[VARIANT] == SHARED, cold = point->values[CACHE] == COLD;
    uint64_t bytes = (uint64_t)point->values[WORKING_SET], lines = bytes / MEMORY_HIERARCHY_LINE;
    uint64_t loads = cold && lines < chains[level].loads ? lines : chains[level].loads;
    lab_workload_add_step(workload, shared ? "memory_hierarchy_chase_shared" : "memory_hierarchy_chase");
    lab_workload_launch(workload, 1, THREADS);
    if (!shared)
        LAB_ARGUMENTS(workload, LAB_BUFFER(LAB_FILLED(workload, bytes, "memory_hierarchy_link", lines)));
    size_t cursor = lab_workload_zeros(workload, sizeof(uint32_t));
    LAB_ARGUMENTS(workload, LAB_BUFFER(cursor), LAB_U64(loads));
    if (shared) {
        LAB_ARGUMENTS(workload, LAB_U32(lines), LAB_U64(lab_parameter_integer(given, "seed")));
        workload->steps[0].launch.shared_bytes = bytes;
    } else {
        LAB_ARGUMENTS(workload, LAB_U64(level == L1 ? lines : 0));
    }
    workload->check = (struct lab_workload_check){
        .kernel = "memory_hierarchy_check_cursor", .buffer = cursor, .parameters = {lines, loads}, .accumulates = true};
    workload->counts[LAB_COUNT_STEPS] = (double)loads;
    workload->seconds = (double)loads * chains[level].seconds;
}

/* 0, which is no peak, for larger working sets: the caches serve a part of the loads. */
static struct lab_peak peak_of(const struct lab_device_facts *device, int level)
{
    double bytes_per_clock = strcmp(device->compute_capability, "7.5") == 0 ? 64 : 128;
    double peak = (double)device->multiprocessors * device->clock_hz * bytes_per_clock / 1e9;
    return (struct lab_peak){level == L1 ? peak : 0, "L1 caches"};
}

/* Steps of a thread, each a vector: each multiprocessor reads the same number of bytes at all sizes, so that the start
 * of the kernel does not matter, but the blocks read at least the whole working set. */
static uint64_t steps_of(const struct lab_device_facts *device, uint64_t bytes, uint64_t blocks, uint64_t step_bytes)
{
    enum { CORE_BYTES = 1 << 25, MULTIPROCESSOR_BYTES = 1 << 28 };
    uint64_t least = blocks * (lab_facts_is_cpu(device) ? CORE_BYTES : MULTIPROCESSOR_BYTES);
    return ((bytes > least ? bytes : least) + blocks * step_bytes - 1) / (blocks * step_bytes);
}

/* Every multiprocessor reads a working set that fits in L1 whole. Of a larger one each reads its own part, past L1: if
 * several read the same lines, one finds near it what another one has just loaded, and the rate is not that of L2. */
static void describe_read(const struct lab_device_facts *device, const struct lab_point *point,
                          struct lab_workload *workload)
{
    enum { THREADS = 1024, VECTOR_BYTES = 16, STEP_BYTES = THREADS * VECTOR_BYTES, LINE_VECTORS = 8 };
    bool in_l1 = level_of(device, point) == L1;
    uint64_t bytes = (uint64_t)point->values[WORKING_SET], vectors = bytes / VECTOR_BYTES;
    uint64_t blocks = lab_facts_multiprocessors(device);
    uint64_t part = in_l1 ? vectors : vectors / blocks / LINE_VECTORS * LINE_VECTORS;
    uint64_t steps = steps_of(device, bytes, blocks, STEP_BYTES);
    if (part == 0) {
        lab_workload_skip(workload, "less than a line for each multiprocessor");
        return;
    }
    lab_workload_add_step(workload, in_l1 ? "memory_hierarchy_read_l1" : "memory_hierarchy_read_l2");
    LAB_ARGUMENTS(workload, LAB_BUFFER(LAB_FILLED(workload, bytes, "memory_hierarchy_fill", 0)));
    size_t sums = lab_workload_add_output(workload, blocks * sizeof(uint32_t));
    LAB_ARGUMENTS(workload, LAB_U32(part), LAB_U32(steps));
    lab_workload_launch(workload, blocks, THREADS);
    workload->check = LAB_CHECK("memory_hierarchy_check_sums", sums, part, in_l1 ? 0 : part, steps * THREADS);
    workload->counts[LAB_COUNT_BYTES] = (double)(blocks * steps * STEP_BYTES);
    workload->peak = peak_of(device, level_of(device, point));
}

static void memory_hierarchy_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                      const struct lab_point *point, struct lab_workload *workload)
{
    if (point->values[CACHE] == COLD && !can_be_cold(point))
        lab_workload_skip(workload,
                          "a cold cache is measured with the variant chase and working sets of at least %d bytes",
                          COLD_LEAST_BYTES);
    else if (point->values[VARIANT] == SHARED && lab_facts_is_cpu(device))
        lab_workload_skip(workload, "a CPU has no shared memory that programs address");
    else if (point->values[VARIANT] == READ)
        describe_read(device, point, workload);
    else
        describe_chain(given, device, point, workload);
    lab_workload_add_figure(workload, "level", level_of(device, point));
    if (point->values[VARIANT] == SHARED)
        return;
    lab_workload_add_counted(workload, "counted_l1_hit_rate", 1, LAB_SUM_OF(LAB_HARDWARE_L1_HIT_RATE), LAB_SUM_OF_NONE);
    lab_workload_add_counted(workload, "counted_l2_hit_rate", 1, LAB_SUM_OF(LAB_HARDWARE_L2_HITS),
                             LAB_SUM_OF(LAB_HARDWARE_L2_HITS, LAB_HARDWARE_L2_MISSES));
}

LAB_IMAGE(memory_hierarchy);
static const struct lab_benchmark benchmark = {.image = &image, .describe = memory_hierarchy_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Nearest cache", "latency"), .at = {{"variant", "chase"}}, .smallest = {"working_set"},
     .lowest = true},
    {LAB_HEADLINE("Farthest memory", "latency"), .at = {{"variant", "chase"}}, .largest = {"working_set"},
     .lowest = true},
    {LAB_HEADLINE("Read from the farthest memory", "bandwidth"), .at = {{"variant", "read"}},
     .largest = {"working_set"}},
    {0},
};

LAB_PAGE(memory_hierarchy);
const struct lab_experiment lab_memory_hierarchy = {
    .name = "memory-hierarchy",
    .title = "Memory hierarchy (latency and bandwidth)",
    .subject = "memory",
    .summary =
        "Latency and bandwidth of the caches, of device memory and of shared memory, by the size of the working set.",
    LAB_BENCHMARK_FIELDS(memory_hierarchy, benchmark),
};
