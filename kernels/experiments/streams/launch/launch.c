/* launch: what it costs to launch a kernel and to wait for it. This file holds the descriptor.
 *
 * Belongs to the lecture on streams and to the asyncAPI sample, in which the CPU asks an event for its completion.
 */
#include "launch.h"

#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <inttypes.h>

static const struct step {
    const char *name;
    bool launches, several; /* a kernel; as many as the axis says, before one wait */
} steps[] = {
    [LAUNCH_SYNCHRONIZE] = {"synchronize", false, false},
    [LAUNCH_EVENT] = {"event", false, false},
    [LAUNCH_LAUNCH_SYNCHRONIZE] = {"launch-synchronize", true, false},
    [LAUNCH_LAUNCH_EVENT] = {"launch-event", true, false},
    [LAUNCH_LAUNCH_POLL] = {"launch-poll", true, false},
    [LAUNCH_STREAM] = {"stream", true, true},
    [LAUNCH_GRAPH] = {"graph", true, true},
    [LAUNCH_QUEUED] = {"queued", true, false},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Operation", steps)},
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
    return steps[point->values[LAUNCH_AXIS_VARIANT]].several;
}

static bool has_kernel(const struct lab_point *point)
{
    return steps[point->values[LAUNCH_AXIS_VARIANT]].launches;
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

/* Down to those of a kernel: launch_8 to launch_4096. */
static int64_t round_argument_bytes(const struct lab_point *point, int64_t bytes)
{
    enum { RATIO = 8 };
    int64_t of_kernel = LAUNCH_MOST_BYTES;
    (void)point;
    while (of_kernel > bytes)
        of_kernel /= RATIO;
    return of_kernel;
}

static const struct lab_axis axes[] = {
    [LAUNCH_AXIS_VARIANT] = {.name = "variant"},
    [LAUNCH_AXIS_LAUNCHES] = {.name = "launches", .applies = has_launches},
    [LAUNCH_AXIS_ARGUMENT_BYTES] = {.name = "argument_bytes",
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
    int64_t bytes = has_kernel(point) ? point->values[LAUNCH_AXIS_ARGUMENT_BYTES] : LAUNCH_LEAST_BYTES;
    int64_t operations = operations_of(point);
    size_t word_bytes = LAUNCH_WORDS((size_t)bytes) * sizeof *words;
    (void)given, (void)device;
    size_t counter = lab_workload_zeros(workload, sizeof(uint32_t));
    lab_workload_add_kernel(workload, "launch_%" PRId64, bytes);
    LAB_ARGUMENTS(workload, LAB_BUFFER(counter));
    if (word_bytes > 0)
        LAB_ARGUMENTS(workload, LAB_VALUE(lab_argument_large(words, word_bytes)));
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
    LAB_BENCHMARK_RUN_FIELDS(launch, benchmark, launch_run),
};
