/* async-copy: asynchronous copies from global to shared memory beside ordinary loads, with 1, 2 and 4 stages.
 *
 * The course texts fill tiles in shared memory by loads through registers. Since compute capability 8.0 cp.async copies
 * without them, and since 9.0 the tensor memory accelerator (TMA) copies whole tiles.
 */
#include "async_copy.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <math.h>
#include <stdlib.h>

enum { VARIANT, STAGES, BLOCKS, BYTES, LOAD };
enum { TILE_BYTES = TILE * 4 };

static const struct step {
    const char *name;
    unsigned stages; /* bits of the numbers of stages of which there is a kernel; 0: it has no stages */
    int capability;  /* major number of the compute capability that it needs */
} steps[] = {
    [ASYNC_DIRECT] = {"direct", 0, 0},
    [ASYNC_REGISTERS] = {"registers", 1 << 1 | 1 << 2, 0},
    [ASYNC_CP_ASYNC] = {"cp-async", 1 << 1 | 1 << 2 | 1 << 4, 8},
    [ASYNC_TMA] = {"tma", 1 << 1 | 1 << 2 | 1 << 4, 9},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", steps)},
    {LAB_INTEGERS("stages", "Stages",
                  "Tiles of a block that are loaded at the same time: 1, 2 or 4; of registers 1 or 2.", 1, 2, 4),
     .minimum = 1, .maximum = 4},
    {LAB_INTEGERS("blocks_per_multiprocessor", "Blocks per multiprocessor",
                  "Blocks of 128 threads that are started for each multiprocessor, all at the same time.", 1, 2, 4, 8),
     .minimum = 1, .maximum = 12},
    {LAB_BYTES_PARAMETER("the two arrays", TILE_BYTES, 268435456)},
    {0},
};

static bool has_stages(const struct lab_point *point)
{
    return steps[point->values[VARIANT]].stages != 0;
}

/* The numbers of stages of which the kernel has a version. */
static bool keeps_stages(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return (steps[point->values[VARIANT]].stages >> value & 1) != 0;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [STAGES] = {.name = "stages", .applies = has_stages, .keeps = keeps_stages},
    [BLOCKS] = {.name = "blocks_per_multiprocessor"},
    [BYTES] = {.name = "bytes", .multiple = TILE_BYTES},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    LAB_BANDWIDTH_METRICS("8 bytes for each element (4 read, 4 written)"),
    {LAB_METRIC(
        "bytes_in_flight", "Bytes in flight per multiprocessor", "B",
        "computed, not measured: blocks per multiprocessor * stages * 4096 bytes of a tile: the most that is being "
        "read at a time")},
    {LAB_METRIC(
        "predicted_bandwidth", "Bandwidth by Little's law", "GB/s",
        "computed from other points: bytes in flight / those of the kernel's point with the fewest * the bandwidth "
        "measured there, at most the largest bandwidth of all points")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "blocks", "Bandwidth over blocks per multiprocessor", "bandwidth", "blocks_per_multiprocessor"),
     .log_x = true},
    {LAB_VIEW("bars", "stages", "Bandwidth by stages", "bandwidth", "stages")},
    {LAB_VIEW("scatter", "in-flight", "Bandwidth over bytes in flight", "bandwidth", "bytes_in_flight"), .y = "stages",
     .log_x = true, .log_y = true},
    {LAB_VIEW("line", "predicted", "Bandwidth by Little's law", "predicted_bandwidth", "blocks_per_multiprocessor"),
     .log_x = true},
    {0},
};

/* Says why a point cannot be measured. */
static void check(const struct lab_device_facts *device, const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[VARIANT]];
    if (lab_facts_is_cpu(device) && has_stages(point))
        lab_workload_skip(workload, "a host device has no shared memory to which to copy");
    else if (has_stages(point) && (step->stages >> point->values[STAGES] & 1) == 0)
        lab_workload_skip(workload, "%s has no kernel with %d stages", step->name, (int)point->values[STAGES]);
    else if (!lab_facts_is_cpu(device) && atoi(device->compute_capability) < step->capability)
        lab_workload_skip(workload, "%s needs compute capability %d.0; the device has %s", step->name, step->capability,
                          device->compute_capability);
}

static double in_flight(const struct lab_point *point)
{
    return (double)(point->values[BLOCKS] * point->values[STAGES] * TILE_BYTES);
}

static void async_copy_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[VARIANT]];
    uint64_t bytes = (uint64_t)point->values[BYTES];
    uint64_t blocks = lab_facts_multiprocessors(device) * (uint64_t)point->values[BLOCKS];
    (void)given;
    check(device, point, workload);
    if (has_stages(point))
        lab_workload_add_kernel(workload, "async_copy_%s_%d", step->name, (int)point->values[STAGES]);
    else
        lab_workload_add_kernel(workload, "async_copy_%s", step->name);
    lab_workload_add_input(workload, bytes, LAB_CONTENT_FLOATS);
    size_t out = lab_workload_add_output(workload, bytes);
    LAB_ARGUMENTS(workload, LAB_U64(bytes / TILE_BYTES));
    lab_workload_launch(workload, blocks, THREADS);
    workload->check = LAB_CHECK("async_copy_check", out, 0);
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)bytes;
    if (has_stages(point) && !lab_facts_is_cpu(device))
        lab_workload_add_figure(workload, "bytes_in_flight", in_flight(point));
}

/* The point of the same kernel with the fewest bytes in flight. */
static const struct lab_median *fewest_in_flight(const struct lab_medians *medians, const struct lab_point *point)
{
    const struct lab_median *fewest = NULL;
    for (size_t i = 0; i < medians->count; i++) {
        const struct lab_point *other = &medians->items[i].point;
        if (other->values[VARIANT] == point->values[VARIANT] && other->values[BYTES] == point->values[BYTES] &&
            (fewest == NULL || in_flight(other) < in_flight(&fewest->point)))
            fewest = &medians->items[i];
    }
    return fewest;
}

static bool async_copy_summarise(struct lab_run *run, const struct lab_medians *medians)
{
    double largest = 0;
    for (size_t i = 0; i < medians->count; i++)
        largest = fmax(largest, medians->items[i].rate);
    for (size_t i = 0; i < medians->count; i++) {
        const struct lab_point *point = &medians->items[i].point;
        const struct lab_report report = {.run = run, .point = point};
        if (!has_stages(point))
            continue;
        const struct lab_median *fewest = fewest_in_flight(medians, point);
        double rate = fmin(in_flight(point) / in_flight(&fewest->point) * fewest->rate, largest);
        if (!lab_report_value(&report, "predicted_bandwidth", rate / 1e9))
            return false;
    }
    return true;
}

LAB_IMAGE(async_copy);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = async_copy_describe, .summarise = async_copy_summarise};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Loads through registers, one block", "bandwidth"), .at = {{"variant", "registers"}, {"stages", "1"}},
     .smallest = {"blocks_per_multiprocessor"}, .largest = {"bytes"}},
    {LAB_HEADLINE("Four stages, one block", "bandwidth"), .at = {{"stages", "4"}},
     .smallest = {"blocks_per_multiprocessor"}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(async_copy);
const struct lab_experiment lab_async_copy = {
    .name = "async-copy",
    .title = "Asynchronous copies to shared memory",
    .subject = "memory",
    .summary =
        "A stencil on tiles in shared memory that are filled through registers, by cp.async and by TMA, with 1 to 4 stages.",
    LAB_BENCHMARK_FIELDS(async_copy, benchmark),
};
