/* default-stream: one kernel in the default stream between kernels in other streams, and what it stops.
 *
 * Belongs to the lecture on streams, whose third condition for an overlap is that no operation is in the default
 * stream.
 */
#include "benchmark/benchmark.h"
#include "benchmark/spins.h"
#include "descriptor/parameters.h"

enum { VARIANT, STREAMS };

/* The kinds of streams with even and with odd numbers, and those of the kernels between the two halves. */
static const struct step {
    const char *name;
    enum lab_workload_stream even, odd;
    size_t between;
    enum lab_workload_stream kinds[2];
} steps[] = {
    {"none", LAB_STREAM_NON_BLOCKING, LAB_STREAM_NON_BLOCKING, 0, {0}},
    {"legacy", LAB_STREAM_BLOCKING, LAB_STREAM_BLOCKING, 1, {LAB_STREAM_LEGACY}},
    {"per-thread", LAB_STREAM_BLOCKING, LAB_STREAM_BLOCKING, 1, {LAB_STREAM_PER_THREAD}},
    {"non-blocking", LAB_STREAM_NON_BLOCKING, LAB_STREAM_NON_BLOCKING, 1, {LAB_STREAM_LEGACY}},
    {"mixed", LAB_STREAM_BLOCKING, LAB_STREAM_NON_BLOCKING, 1, {LAB_STREAM_LEGACY}},
    {"both", LAB_STREAM_BLOCKING, LAB_STREAM_BLOCKING, 2, {LAB_STREAM_LEGACY, LAB_STREAM_PER_THREAD}},
    {0},
};

enum { OTHERS_MAX = 16 };

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel between", steps)},
    {LAB_INTEGERS(
         "streams", "Streams",
         "Streams with a kernel each, half of which are launched before those in the default stream and half after; "
         "rounded down to an even number.",
         4),
     .minimum = 2, .maximum = OTHERS_MAX},
    {LAB_NUMBER("kernel_s", "Time of a kernel", "Seconds that each kernel takes.", 1e-3), .unit = "s", .minimum = 1e-4,
     .maximum = 0.1},
    {0},
};

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [STREAMS] = {.name = "streams", .multiple = 2},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "time", "Time", "s",
         "of all kernels: none: between two events on the device; others: host clock around the launches and the waits "
         "for all streams"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "computed, not measured: the longest chain of kernels that wait for each other * the time of a kernel; on a "
        "host device all kernels * that time")},
    {LAB_METRIC(
        "at_once", "Kernels at once", "1",
        "the largest number of kernels that ran at the same time, as those of the last repetition have recorded")},
    {LAB_METRIC(
        "predicted_at_once", "Predicted kernels at once", "1",
        "computed, not measured: a kernel in the legacy default stream waits for all before it in blocking streams, and "
        "those after it in blocking streams wait for it; nothing else waits; on a host device one kernel")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "time", "Time by the kernel between", "time", "variant")},
    {LAB_VIEW("kernels", "kernels", "Kernels in the streams", "time", "variant")},
    {LAB_VIEW("bars", "at-once", "Kernels at once", "at_once", "variant")},
    {LAB_VIEW("table", "predicted", "Predicted time", "predicted_time", "variant")},
    {0},
};

/* --- prediction --------------------------------------------------------------------------------------------------- */

static bool is_blocking(enum lab_workload_stream kind)
{
    return kind == LAB_STREAM_BLOCKING || kind == LAB_STREAM_PER_THREAD;
}

/* Whether a kernel waits for one that was launched before it in another stream. */
static bool waits(enum lab_workload_stream earlier, enum lab_workload_stream later)
{
    return (later == LAB_STREAM_LEGACY && is_blocking(earlier)) || (earlier == LAB_STREAM_LEGACY && is_blocking(later));
}

/* Sets starts[k] to the times of kernels before kernel k, in kernels, and returns the time of all. */
static size_t find_starts(const struct lab_workload *workload, size_t starts[LAB_STEPS_MAX])
{
    size_t units = 0;
    for (size_t k = 0; k < workload->step_count; k++) {
        starts[k] = 0;
        for (size_t earlier = 0; earlier < k; earlier++)
            if (starts[earlier] + 1 > starts[k] &&
                waits(workload->streams[workload->steps[earlier].stream], workload->streams[workload->steps[k].stream]))
                starts[k] = starts[earlier] + 1;
        units = starts[k] + 1 > units ? starts[k] + 1 : units;
    }
    return units;
}

static void predict(const struct lab_device_facts *device, double kernel_s, struct lab_workload *workload)
{
    size_t starts[LAB_STEPS_MAX], at_once = 1;
    size_t units = find_starts(workload, starts);
    for (size_t unit = 0; unit < units; unit++) {
        size_t running = 0;
        for (size_t k = 0; k < workload->step_count; k++)
            running += starts[k] == unit;
        at_once = running > at_once ? running : at_once;
    }
    bool one_by_one = lab_facts_is_cpu(device);
    workload->seconds = kernel_s * (double)(one_by_one ? workload->step_count : units);
    lab_workload_add_figure(workload, "predicted_time", workload->seconds);
    lab_workload_add_figure(workload, "predicted_at_once", one_by_one ? 1 : (double)at_once);
}

/* --- the workload of a point -------------------------------------------------------------------------------------- */

/* The streams are those of the other kernels, and then the default ones; the kernels of the latter are launched in the
 * middle. */
static void default_stream_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                    const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[VARIANT]];
    size_t others = (size_t)point->values[STREAMS];
    double kernel_s = lab_parameter_number(given, "kernel_s");
    lab_spins_describe(workload, &(struct lab_spins){.kernel = "default_stream",
                                                     .check = "default_stream_check",
                                                     .count = others + step->between,
                                                     .blocks = 1,
                                                     .seconds = kernel_s});
    workload->stream_count = others + step->between;
    for (size_t i = 0; i < others; i++)
        workload->streams[i] = i % 2 == 0 ? step->even : step->odd;
    for (size_t i = 0; i < step->between; i++)
        workload->streams[others + i] = step->kinds[i];
    for (size_t k = 0; k < workload->step_count; k++)
        workload->steps[k].stream = k < others / 2                   ? k
                                    : k < others / 2 + step->between ? others + k - others / 2
                                                                     : k - step->between;
    predict(device, kernel_s, workload);
}

static bool read_records(const struct lab_report *report, const struct lab_workload *workload, const void *records)
{
    const char *lanes[LAB_STREAMS_MAX] = {0};
    for (size_t i = 0; i < workload->stream_count; i++)
        lanes[i] = workload->streams[i] == LAB_STREAM_LEGACY       ? "the default stream"
                   : workload->streams[i] == LAB_STREAM_PER_THREAD ? "the thread's stream"
                                                                   : NULL;
    return lab_spins_report(report, workload, records, lanes);
}

LAB_IMAGE(default_stream);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = default_stream_describe, .read = read_records};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("With the default stream between", "time"), .at = {{"variant", "legacy"}}, .smallest = {"streams"},
     .lowest = true},
    {0},
};

LAB_PAGE(default_stream);
const struct lab_experiment lab_default_stream = {
    .name = "default-stream",
    .title = "The default stream",
    .subject = "overlap",
    .summary =
        "One kernel in the default stream between kernels in other streams: which of them run one after the other.",
    LAB_BENCHMARK_FIELDS(default_stream, benchmark),
};
