/* divergence: warps whose threads take different paths, and how to avoid it.
 *
 * Reproduces what the course text and section 3.6 of Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", say
 * about divergent warps and predicated instructions.
 */
#include "divergence.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 1 << 21, HOST_ELEMENTS = 1 << 18, DEFAULT_LENGTH = 2048, HOST_DEFAULT_LENGTH = 4, THREADS = 256 };
enum { VARIANT, PATTERN, PATHS, LENGTH, LOAD };

static const struct step {
    const char *name;
    /* Cycles of a scheduler for DIVERGENCE_UNROLL multiply-adds of a path: the instructions of a round of its loop.
     * Selections and tests of bits take two cycles each. */
    double round_cycles;
} steps[] = {
    [DIVERGENCE_BRANCHES] = {"branches", 35},
    [DIVERGENCE_PREDICATED] = {"predicated", 2 * 46},
    [DIVERGENCE_TABLE] = {"table", 35},
    {0},
};
static const char *const patterns[] = {"by-lane", "by-warp", "random", "sorted", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", steps)},
    {LAB_CHOICES_ALL(
        "pattern", "Pattern",
        "Path of thread i. by-lane: i % paths; by-warp: (i / 32) % paths; random: a random one; sorted: ascending in as "
        "many equal parts.",
        patterns)},
    {LAB_INTEGERS("paths", "Paths", "Number of different paths. predicated always has 2.", 1, 2, 4, 8, 16, 32),
     .minimum = 1, .maximum = DIVERGENCE_PATHS_MAX},
    {LAB_INTEGERS(
         "length", "Length of a path",
         "Multiply-adds of each path, on a GPU rounded up to a multiple of 32. 0: automatic, 2048 and on a host device 4.",
         0),
     .minimum = 0, .maximum = 1048576},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static void list_paths(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    if (point->values[VARIANT] == DIVERGENCE_PREDICATED)
        lab_axis_values_add(values, 2);
    else
        lab_axis_values_add_parameter(values, request, "paths");
}

static void list_lengths(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "length");
    bool host = lab_facts_is_cpu(request->devices[0]);
    int64_t automatic = host ? HOST_DEFAULT_LENGTH : DEFAULT_LENGTH, unit = host ? 1 : DIVERGENCE_UNROLL;
    (void)point;
    for (size_t i = 0; i < given->count; i++) {
        int64_t length = given->items[i].integer;
        lab_axis_values_add(values, length > 0 ? (length + unit - 1) / unit * unit : automatic);
    }
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [PATTERN] = {.name = "pattern"},
    [PATHS] = {.name = "paths", .list = list_paths},
    [LENGTH] = {.name = "length", .list = list_lengths},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "throughput", "Throughput", "GFLOP/s",
         "2 * length operations (multiply-adds) for each element / time / 10^9; what a lane executes for the paths of "
         "other lanes does not count"),
     .counter = LAB_COUNT_OPERATIONS},
    {LAB_METRIC("share_of_peak", "Share of peak", "1", "throughput / fp32 peak of the device's cores")},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "computed, not measured: the multiply-adds of one path / fp32 peak * paths_per_warp * 35 / 32, because 32 "
        "multiply-adds are a round of a loop with 3 other instructions; predicated: * 92 / 32, because 46 selections and "
        "tests of bits come with them, at half the rate (compute capability 9.0)")},
    {LAB_METRIC(
        "paths_per_warp", "Paths of a warp", "1",
        "computed, not measured: different paths among the 32 lanes of a warp, on average, that it executes one after "
        "the other. by-lane: paths; random: paths * (1 - (1 - 1 / paths)^32); else 1")},
    {LAB_METRIC("speedup", "Speed against one path", "1",
                "time of branches with one path, sampled alternately, / time; 1 / paths_per_warp if the time is in "
                "proportion"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("counted_paths_per_warp", "Counted paths of a warp", "1",
                "counted by the hardware: 32 / threads that execute an instruction, on average")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "time", "Time over paths", "time", "paths"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "throughput", "Throughput over paths", "throughput", "paths"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "speedup", "Speed against one path", "speedup", "paths"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "paths-per-warp", "Paths of a warp", "paths_per_warp", "paths")},
    {LAB_VIEW("scatter", "counted", "Counted over predicted paths of a warp", "counted_paths_per_warp",
              "paths_per_warp"),
     .y = "paths", .beside = "time", .predicted = true, .log_x = true, .log_y = true},
    {LAB_VIEW("bars", "kernels", "Throughput by kernel", "throughput", "variant")},
    {0},
};

/* Different paths among the lanes of a warp, on average. */
static double paths_per_warp(const struct lab_point *point)
{
    double paths = (double)point->values[PATHS];
    if (point->values[VARIANT] != DIVERGENCE_BRANCHES)
        return 1;
    switch (point->values[PATTERN]) {
    case DIVERGENCE_BY_LANE:
        return paths;
    case DIVERGENCE_RANDOM:
        return paths * (1 - pow(1 - 1 / paths, DIVERGENCE_WARP));
    default:
        return 1;
    }
}

/* Sets what the point counts, how long it takes, and the predictions. */
static void count(const struct lab_device_facts *device, const struct lab_point *point, double elements,
                  struct lab_workload *workload)
{
    static const double host_element_s = 20e-9, host_step_s = 1e-9;
    double operations = 2 * elements * (double)point->values[LENGTH], paths = paths_per_warp(point);
    double seconds =
        operations / device->fp32_peak_flops * paths * steps[point->values[VARIANT]].round_cycles / DIVERGENCE_UNROLL;
    workload->counts[LAB_COUNT_OPERATIONS] = operations;
    workload->counts[LAB_COUNT_BASELINE] = 1;
    workload->peak = (struct lab_peak){device->fp32_peak_flops / 1e9, "fp32 cores"};
    if (lab_facts_is_cpu(device)) {
        workload->seconds = elements * (host_element_s + host_step_s * (double)point->values[LENGTH]);
        return;
    }
    workload->seconds = seconds;
    lab_workload_add_figure(workload, "paths_per_warp", paths);
    lab_workload_add_counted(workload, "counted_paths_per_warp", DIVERGENCE_WARP, LAB_SUM_OF_NONE,
                             LAB_SUM_OF(LAB_HARDWARE_THREADS_PER_INSTRUCTION));
    if (isfinite(seconds))
        lab_workload_add_figure(workload, "predicted_time", seconds);
}

static void divergence_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t elements = lab_facts_is_cpu(device) ? HOST_ELEMENTS : ELEMENTS, bytes = elements * sizeof(float);
    uint64_t pattern = (uint64_t)point->values[PATTERN], paths = (uint64_t)point->values[PATHS];
    uint64_t length = (uint64_t)point->values[LENGTH];
    (void)given;
    if (lab_facts_is_cpu(device) && point->values[VARIANT] == DIVERGENCE_PREDICATED)
        lab_workload_skip(
            workload,
            "this kernel is about predicates of a GPU; on a host device the variant table is the one without branches");
    lab_workload_add_kernel(workload, "divergence_%s", steps[point->values[VARIANT]].name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(LAB_FILLED(workload, bytes, "divergence_fill", pattern, paths, elements)));
    lab_workload_add_input(workload, bytes, LAB_CONTENT_FLOATS);
    size_t result = lab_workload_add_output(workload, bytes);
    LAB_ARGUMENTS(workload, LAB_U32(elements), LAB_U32(length));
    lab_workload_launch_items(workload, elements, THREADS);
    workload->check = LAB_CHECK("divergence_check", result, pattern | length << DIVERGENCE_LENGTH_BIT, paths, elements);
    count(device, point, (double)elements, workload);
}

/* All points are compared with a single path. */
static bool divergence_baseline(const struct lab_point *point, struct lab_point *single)
{
    *single = *point;
    single->values[VARIANT] = DIVERGENCE_BRANCHES;
    single->values[PATTERN] = DIVERGENCE_BY_LANE;
    single->values[PATHS] = 1;
    return memcmp(single, point, sizeof *point) != 0;
}

LAB_IMAGE(divergence);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = divergence_describe, .baseline = divergence_baseline};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("One path", "throughput"), .at = {{"variant", "branches"}}, .smallest = {"paths"}},
    {LAB_HEADLINE("Most paths in a warp", "speedup"), .at = {{"variant", "branches"}, {"pattern", "by-lane"}},
     .largest = {"paths"}},
    {0},
};

LAB_PAGE(divergence);
const struct lab_experiment lab_divergence = {
    .name = "divergence",
    .title = "Warp divergence",
    .subject = "execution",
    .summary = "Arithmetic on 1 to 32 paths, which the threads take by lane, by warp, at random or sorted.",
    LAB_BENCHMARK_FIELDS(divergence, benchmark),
};
