/* launch: what it costs to launch a kernel and to wait for it. This file holds the descriptor.
 *
 * Belongs to the lecture on streams and to the asyncAPI sample, in which the CPU asks an event for its completion.
 */
#include "launch.h"

#include "benchmark/benchmark.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

static const char *const variants[] = {
    "synchronize", "event", "launch-synchronize", "launch-event", "launch-poll", "stream", "graph", "queued", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL(
        "variant", "Operation",
        "synchronize: wait for a stream without work; event: record an event in it and wait for that; "
        "launch-synchronize, launch-event: the same after a launch; launch-poll: ask for the event until it has been "
        "reached; stream: many launches and one wait; graph: the same as one graph; queued: the device alone.",
        variants)},
    {LAB_INTEGERS("launches", "Launches", "stream and graph: kernels that are launched before the wait.", 1, 4, 16, 64,
                  256, 1024),
     .minimum = 1, .maximum = 4096},
    {LAB_INTEGERS(
         "argument_bytes", "Size of the arguments",
         "Bytes of all arguments of the kernel: 8, 64, 512 or 4096; other sizes are rounded down. Sizes other than "
         "the first are measured for launch-synchronize, and for stream with the last number of launches.",
         8, 64, 512, 4096),
     .unit = "B", .minimum = LAUNCH_LEAST_BYTES, .maximum = LAUNCH_MOST_BYTES},
    {0},
};

/* --- axes --------------------------------------------------------------------------------------------------------- */

static bool has_launches(const struct lab_point *point)
{
    int64_t variant = point->values[LAUNCH_AXIS_VARIANT];
    return variant == LAUNCH_STREAM || variant == LAUNCH_GRAPH;
}

static bool has_kernel(const struct lab_point *point)
{
    int64_t variant = point->values[LAUNCH_AXIS_VARIANT];
    return variant != LAUNCH_SYNCHRONIZE && variant != LAUNCH_EVENT;
}

static void list_argument_bytes(const struct lab_points_request *request, const struct lab_point *point,
                                struct lab_axis_values *values)
{
    const struct lab_values *bytes = lab_parameter_values(request->parameters, "argument_bytes");
    const struct lab_values *launches = lab_parameter_values(request->parameters, "launches");
    int64_t variant = point->values[LAUNCH_AXIS_VARIANT];
    bool all = variant == LAUNCH_LAUNCH_SYNCHRONIZE ||
               (variant == LAUNCH_STREAM &&
                point->values[LAUNCH_AXIS_LAUNCHES] == launches->items[launches->count - 1].integer);
    for (size_t i = 0; i < (all ? bytes->count : 1); i++)
        lab_axis_values_add(values, bytes->items[i].integer);
}

static const struct {
    int64_t argument_bytes;
    const char *name;
} kernels[] = {{8, "launch_8"}, {64, "launch_64"}, {512, "launch_512"}, {4096, "launch_4096"}};

/* The kernel with the largest arguments that are not larger than `bytes`. */
static size_t kernel_of(int64_t bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        found = kernels[i].argument_bytes <= bytes ? i : found;
    return found;
}

static int64_t round_argument_bytes(const struct lab_point *point, int64_t bytes)
{
    (void)point;
    return kernels[kernel_of(bytes)].argument_bytes;
}

static const struct lab_axis axes[] = {
    [LAUNCH_AXIS_VARIANT] = {.name = "variant", .title = "Operation"},
    [LAUNCH_AXIS_LAUNCHES] = {.name = "launches", .title = "Launches", .applies = has_launches},
    [LAUNCH_AXIS_ARGUMENT_BYTES] = {.name = "argument_bytes",
                                    .title = "Size of the arguments",
                                    .unit = "B",
                                    .applies = has_kernel,
                                    .list = list_argument_bytes,
                                    .round = round_argument_bytes},
    {0},
};

/* --- metrics, views, texts ---------------------------------------------------------------------------------------- */

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "operation_time", "Time of an operation", "s",
         "host clock around a repetition / its operations, each with its wait; stream and graph: around all launches "
         "and one wait / launches; queued: between two events on the device / launches"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("enqueue_time", "Time of the calls", "s",
                "host clock around the calls that launch, without waiting / launches")},
    {LAB_METRIC("polls", "Completion polls", "1",
                "launch-poll: event queries before the event had been reached / launches, over all repetitions")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "operations", "Time by operation", "operation_time", "variant")},
    {LAB_VIEW("line", "launches", "Time of a launch over launches", "operation_time", "launches"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "calls", "Time of the calls over launches", "enqueue_time", "launches"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "arguments", "Time over the size of the arguments", "operation_time", "argument_bytes"),
     .log_x = true},
    {LAB_VIEW("table", "polls", "Completion polls", "polls", "variant")},
    {0},
};

/* --- the workload of a point -------------------------------------------------------------------------------------- */

/* The words of the largest arguments. */
#define ONES_8 1, 1, 1, 1, 1, 1, 1, 1
#define ONES_64 ONES_8, ONES_8, ONES_8, ONES_8, ONES_8, ONES_8, ONES_8, ONES_8
static const uint32_t words[1024] = {ONES_64, ONES_64, ONES_64, ONES_64, ONES_64, ONES_64, ONES_64, ONES_64,
                                     ONES_64, ONES_64, ONES_64, ONES_64, ONES_64, ONES_64, ONES_64, ONES_64};

/* Operations of a repetition. */
static int64_t operations_of(const struct lab_point *point)
{
    if (has_launches(point))
        return point->values[LAUNCH_AXIS_LAUNCHES];
    return point->values[LAUNCH_AXIS_VARIANT] == LAUNCH_QUEUED ? 1 : LAUNCH_OPERATIONS;
}

static void launch_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                            const struct lab_point *point, struct lab_workload *workload)
{
    static const double operation_s = 5e-6;
    size_t kernel = has_kernel(point) ? kernel_of(point->values[LAUNCH_AXIS_ARGUMENT_BYTES]) : 0;
    int64_t operations = operations_of(point);
    size_t word_bytes = LAUNCH_WORDS((size_t)kernels[kernel].argument_bytes) * sizeof *words;
    (void)given, (void)device;
    size_t counter = lab_workload_declare(
        workload, (struct lab_buffer){.bytes = sizeof(uint32_t), .output = true, .content = LAB_CONTENT_ZEROS});
    lab_workload_add_step(workload, kernels[kernel].name);
    lab_workload_add_buffer(workload, counter);
    if (word_bytes > 0)
        lab_workload_add(workload, lab_argument_large(words, word_bytes));
    lab_workload_launch(workload, 1, 1);
    workload->check = (struct lab_workload_check){.kernel = "launch_check",
                                                  .buffer = counter,
                                                  .parameters = {has_kernel(point) ? (uint64_t)operations : 0},
                                                  .accumulates = true};
    workload->counts[LAB_COUNT_STEPS] = (double)operations;
    workload->seconds = operation_s * (double)operations;
}

LAB_IMAGE(launch);
static const struct lab_benchmark benchmark = {.image = &image, .describe = launch_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Launch and wait", "operation_time"), .at = {{"variant", "launch-synchronize"}},
     .smallest = {"argument_bytes"}, .lowest = true},
    {LAB_HEADLINE("Enqueue in a stream", "enqueue_time"), .at = {{"variant", "stream"}}, .largest = {"launches"},
     .smallest = {"argument_bytes"}, .lowest = true},
    {LAB_HEADLINE("Launch in a graph", "operation_time"), .at = {{"variant", "graph"}}, .largest = {"launches"},
     .smallest = {"argument_bytes"}, .lowest = true},
    {0},
};

LAB_PAGE(launch);
const struct lab_experiment lab_launch = {
    .name = "launch",
    .title = "Kernel launches",
    .subject = "overlap",
    .summary = "What it costs to launch a kernel and to wait for it: one by one, many in a stream, and as a graph.",
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .devices_min = 1,
    .devices_max = 1,
    LAB_PAGE_FIELDS(launch),
    .benchmark = &benchmark,
    .plan = lab_benchmark_plan,
    .run = launch_run,
};
