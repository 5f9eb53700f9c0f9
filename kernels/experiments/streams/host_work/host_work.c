/* host-work: how much the host can compute while the device copies or computes. This file holds the descriptor.
 *
 * Belongs to the lectures on asynchronous calls and to the asyncAPI sample, in which the CPU counts while the GPU
 * works.
 */
#include "host_work.h"

#include "benchmark/benchmark.h"
#include "benchmark/spins.h"
#include "descriptor/parameters.h"

static const struct step {
    const char *name;
    enum lab_memory source, destination; /* of a copy; equal: a kernel */
} steps[] = {
    [HOST_WORK_KERNEL] = {"kernel", LAB_MEMORY_DEVICE, LAB_MEMORY_DEVICE},
    [HOST_WORK_H2D_PINNED] = {"h2d-pinned", LAB_MEMORY_PINNED, LAB_MEMORY_DEVICE},
    [HOST_WORK_D2H_PINNED] = {"d2h-pinned", LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED},
    [HOST_WORK_H2D_PAGEABLE] = {"h2d-pageable", LAB_MEMORY_PAGEABLE, LAB_MEMORY_DEVICE},
    [HOST_WORK_D2H_PAGEABLE] = {"d2h-pageable", LAB_MEMORY_DEVICE, LAB_MEMORY_PAGEABLE},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Operation", steps)},
    {LAB_BYTES_PARAMETER("the arrays that are copied", 1024, 67108864)},
    {LAB_INTEGERS("host_work", "Work of the host", "Percent of the time that the operation takes alone.", 0, 25, 50, 75,
                  100, 150, 200),
     .unit = "%", .minimum = 0, .maximum = 1000},
    {LAB_NUMBER("kernel_s", "Time of the kernel", "Seconds that the kernel takes.", 2e-3), .unit = "s", .minimum = 1e-4,
     .maximum = 0.1},
    {0},
};

static bool is_copy(const struct lab_point *point)
{
    return point->values[HOST_WORK_AXIS_VARIANT] != HOST_WORK_KERNEL;
}

static const struct lab_axis axes[] = {
    [HOST_WORK_AXIS_VARIANT] = {.name = "variant"},
    [HOST_WORK_AXIS_BYTES] = {.name = "bytes", .applies = is_copy, .multiple = 4},
    [HOST_WORK_AXIS_SHARE] = {.name = "host_work"},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("time", "Time", "s", "host clock around the call, the work of the host and the wait for the stream"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
        "predicted_time", "Predicted time", "s",
        "computed of two measured times, each alone: the longer of operation and work; of pageable memory on a GPU, "
        "whose call waits, their sum")},
    {LAB_METRIC(
        "hidden_share", "Hidden share", "1",
        "(time of the operation alone + time of the work alone - time of both) / the shorter of the two: 1 if the "
        "shorter one costs nothing, 0 if one comes after the other, or both take even longer")},
    {LAB_METRIC("operation_time", "Time of the operation", "s",
                "host clock around the call and the wait, without work; median")},
    {LAB_METRIC("enqueue_time", "Time of the call", "s", "host clock around the call that starts the operation; mean")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "time", "Time over the work of the host", "time", "host_work")},
    {LAB_VIEW("line", "hidden", "Hidden share over the work of the host", "hidden_share", "host_work")},
    {LAB_VIEW("table", "calls", "Time of the call", "enqueue_time", "variant")},
    {LAB_VIEW("table", "operations", "Time of the operation", "operation_time", "variant")},
    {0},
};

static void describe_copy(const struct step *step, size_t bytes, struct lab_workload *workload)
{
    const struct lab_buffer source = {.memory = step->source, .bytes = bytes, .content = LAB_CONTENT_WORDS};
    const struct lab_buffer destination = {.memory = step->destination, .bytes = bytes, .output = true};
    lab_workload_add_copy(workload,
                          (struct lab_workload_copy){.source = lab_workload_declare(workload, source),
                                                     .destination = lab_workload_declare(workload, destination)});
}

static void host_work_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                               const struct lab_point *point, struct lab_workload *workload)
{
    static const double slow_link = 4e9; /* bytes per second of pageable copies, for the plan */
    const struct step *step = &steps[point->values[HOST_WORK_AXIS_VARIANT]];
    double work = 1 + (double)point->values[HOST_WORK_AXIS_SHARE] / 100;
    (void)device;
    if (is_copy(point)) {
        size_t bytes = (size_t)point->values[HOST_WORK_AXIS_BYTES];
        describe_copy(step, bytes, workload);
        workload->seconds = work * (double)bytes / slow_link;
        return;
    }
    double kernel_s = lab_parameter_number(given, "kernel_s");
    lab_spins_describe(
        workload, &(struct lab_spins){
                      .kernel = "host_work", .check = "host_work_check", .count = 1, .blocks = 1, .seconds = kernel_s});
    workload->seconds = work * kernel_s;
}

LAB_IMAGE(host_work);
static const struct lab_benchmark benchmark = {.image = &image, .describe = host_work_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Copy from pinned memory and as much work", "time"),
     .at = {{"variant", "h2d-pinned"}, {"host_work", "100"}}, .largest = {"bytes"}, .lowest = true},
    {0},
};

LAB_PAGE(host_work);
const struct lab_experiment lab_host_work = {
    .name = "host-work",
    .title = "Work of the host meanwhile",
    .subject = "overlap",
    .summary =
        "How much the host can compute while the device copies or computes: pinned copies and kernels leave it free, "
        "pageable copies do not.",
    LAB_BENCHMARK_RUN_FIELDS(host_work, benchmark, host_work_run),
};
