/* stream: bandwidth of device memory for reads, writes and their mixtures, by size and by number of resident warps.
 *
 * Reproduces effective against theoretical bandwidth (Ruetsch & Fatica, 2.3) with the kernels of the STREAM benchmark
 * (J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995).
 */
#include "stream.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

static const struct step {
    const char *name;
    size_t inputs;
    bool writes; /* an array; else a sum for each tile */
    bool scales; /* the last input, or what is written without one */
} steps[] = {
    [STREAM_READ] = {"read", 1, false, false},    [STREAM_WRITE] = {"write", 0, true, true},
    [STREAM_COPY] = {"copy", 1, true, false},     [STREAM_SCALE] = {"scale", 1, true, true},
    [STREAM_ADD] = {"add", 2, true, false},       [STREAM_TRIAD] = {"triad", 2, true, true},
    [STREAM_MEMSET] = {"memset", 0, true, false}, {0},
};

static const char *const grids[] = {"per-element", "resident", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", steps)},
    LAB_SIZES_PARAMETERS("each array", 4194304, 268435456, 4),
    {LAB_CHOICES(
        "grid", "Grid",
        "per-element: a thread for each 16 bytes (read: a warp for each 8 KiB); resident: as many threads as `warps` "
        "says, each of which handles many elements. Host devices ignore it.",
        grids, "per-element")},
    {LAB_INTEGERS("warps", "Warps per multiprocessor",
                  "grid resident: warps (32 threads) that the kernel keeps on each multiprocessor, a multiple of 8.", 8,
                  16, 32, 64),
     .minimum = 8, .maximum = 64},
    {LAB_CACHE_PARAMETER},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

/* The runtime chooses how it sets memory. */
static bool has_grid(const struct lab_point *point)
{
    return point->values[STREAM_VARIANT] != STREAM_MEMSET;
}

static bool is_resident(const struct lab_point *point)
{
    return point->values[STREAM_GRID] == STREAM_RESIDENT;
}

static const struct lab_axis axes[] = {
    [STREAM_VARIANT] = {.name = "variant"},
    [STREAM_BYTES] = {LAB_SIZES_AXIS, .multiple = STREAM_TILE_BYTES},
    [STREAM_GRID] = {.name = "grid", .applies = has_grid},
    [STREAM_WARPS] = {.name = "warps", .applies = is_resident, .multiple = 8},
    [STREAM_CACHE] = {LAB_CACHE_AXIS},
    [STREAM_LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    LAB_BANDWIDTH_METRICS("bytes of all arrays that the kernel reads or writes, each counted once,"),
    {LAB_TRAFFIC_METRIC},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "bandwidth", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true},
    {LAB_VIEW("ladder", "kernels", "Bandwidth by kernel", "bandwidth", "variant")},
    {LAB_VIEW("line", "share", "Share of peak", "share_of_peak", "bytes"), .log_x = true},
    {LAB_VIEW("line", "warps", "Bandwidth over warps", "bandwidth", "warps")},
    {LAB_VIEW("line", "traffic", "Counted traffic over size", "counted_traffic", "bytes"), .log_x = true},
    {0},
};

static struct lab_plan *prepare_memset(struct lab_device *device, const struct lab_argument *arguments, size_t count)
{
    const struct lab_operation operation = {.kind = LAB_OPERATION_SET,
                                            .destination = lab_region_of(arguments[0].pointer, arguments[1].u64),
                                            .value = STREAM_BYTE};
    (void)count;
    return device->runtime->prepare(device, &operation);
}

static void describe_memset(uint64_t bytes, struct lab_workload *workload)
{
    lab_workload_add_call(workload, prepare_memset);
    size_t result = lab_workload_add_output(workload, bytes);
    LAB_ARGUMENTS(workload, LAB_U64(bytes));
    workload->check = LAB_CHECK("stream_check", result, 0, true, STREAM_SETS);
    workload->counts[LAB_COUNT_BYTES] = (double)bytes;
}

static void stream_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                            const struct lab_point *point, struct lab_workload *workload)
{
    enum { THREADS = 256, WARP = 32, ELEMENT_BYTES = 16 };
    const struct step *step = &steps[point->values[STREAM_VARIANT]];
    uint64_t bytes = (uint64_t)point->values[STREAM_BYTES];
    uint64_t warps = bytes / (step->writes ? WARP * ELEMENT_BYTES : STREAM_TILE_BYTES);
    (void)given;
    if (!has_grid(point)) {
        describe_memset(bytes, workload);
        return;
    }
    lab_workload_add_kernel(workload, "stream_%s", step->name);
    for (size_t i = 0; i < step->inputs; i++)
        lab_workload_add_input(workload, bytes, LAB_CONTENT_FLOATS);
    size_t result = lab_workload_add_output(workload, step->writes ? bytes : bytes / STREAM_TILE_WORDS);
    LAB_ARGUMENTS(workload, LAB_U64(bytes / ELEMENT_BYTES));
    if (is_resident(point))
        warps = lab_facts_multiprocessors(device) * (uint64_t)point->values[STREAM_WARPS];
    lab_workload_launch_items(workload, warps * WARP, THREADS);
    workload->check = LAB_CHECK("stream_check", result, step->inputs, step->writes, step->scales);
    workload->counts[LAB_COUNT_BYTES] = (double)((step->inputs + step->writes) * bytes);
    lab_workload_add_traffic(workload, (double)(step->inputs * bytes), (double)(step->writes * bytes));
}

LAB_IMAGE(stream);
const struct lab_benchmark lab_stream_benchmark = {.image = &image, .describe = stream_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Read", "bandwidth"), .at = {{"variant", "read"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Write", "bandwidth"), .at = {{"variant", "write"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Copy", "bandwidth"), .at = {{"variant", "copy"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Triad", "bandwidth"), .at = {{"variant", "triad"}}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(stream);
const struct lab_experiment lab_stream = {
    .name = "stream",
    .title = "Memory bandwidth (STREAM)",
    .subject = "memory",
    .summary = "Effective bandwidth of device memory for reads, writes and their mixtures, compared with its peak.",
    LAB_BENCHMARK_FIELDS(stream, lab_stream_benchmark),
};
