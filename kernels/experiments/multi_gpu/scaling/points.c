/* The axes of scaling with the points of a request, how arrays are divided, and the plan. */
#include "scaling.h"

#include "benchmark/axes.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <math.h>

static const struct lab_offload_kernel *kernel_of(const struct lab_point *point)
{
    return point->values[SCALING_AXIS_KERNEL] == SCALING_PAIRS ? &lab_offload_pairs : &lab_offload_average;
}

struct scaling_workload scaling_workload_of(const struct lab_point *point, uint32_t weight)
{
    const struct lab_offload_shape arrays = {.kernel = kernel_of(point),
                                             .memory = lab_offload_memory_of(point->values[SCALING_AXIS_MEMORY]),
                                             .bytes = (size_t)point->values[SCALING_AXIS_BYTES],
                                             .partners = weight};
    return (struct scaling_workload){arrays, point->values[SCALING_AXIS_MODE] == SCALING_WEAK};
}

/* Offset in bytes at which the part of device `index` begins in the array of all devices together. */
static size_t part_start(const struct scaling_workload *workload, size_t device_count, size_t index)
{
    size_t bytes = workload->arrays.bytes, unit = workload->arrays.kernel->unit;
    return workload->weak ? bytes * index : bytes / unit * index / device_count * unit;
}

struct lab_offload_shape scaling_part_of(const struct scaling_workload *workload, size_t device_count, size_t index)
{
    struct lab_offload_shape part = workload->arrays;
    size_t start = part_start(workload, device_count, index);
    part.bytes = part_start(workload, device_count, index + 1) - start;
    part.first = start / 4;
    return part;
}

double scaling_speedup_factor(const struct lab_point *point)
{
    bool weak = point->values[SCALING_AXIS_MODE] == SCALING_WEAK;
    return weak ? (double)point->values[SCALING_AXIS_DEVICE_COUNT] : 1;
}

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static int64_t round_bytes(const struct lab_point *point, int64_t bytes)
{
    return (int64_t)lab_offload_whole_units(kernel_of(point), (size_t)bytes);
}

static bool wants_count(const struct lab_parameters *given, size_t count)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    for (size_t i = 0; i < counts->count; i++)
        if (counts->items[i].integer == 0 || counts->items[i].integer == (int64_t)count)
            return true;
    return count == 1;
}

static void list_counts(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    (void)point;
    for (size_t count = 1; count <= request->device_count; count++)
        if (wants_count(request->parameters, count))
            lab_axis_values_add(values, (int64_t)count);
}

static const char *const phases[] = {"up", "kernel", "down", NULL};

const struct lab_axis scaling_axes[] = {
    [SCALING_AXIS_KERNEL] = {.name = "kernel"},
    [SCALING_AXIS_BYTES] = {.name = "bytes", .round = round_bytes},
    [SCALING_AXIS_MEMORY] = {.name = "memory"},
    [SCALING_AXIS_WEIGHT] = {.name = "weight", .source = LAB_AXIS_RUN},
    [SCALING_AXIS_MODE] = {.name = "scaling"},
    [SCALING_AXIS_DEVICE_COUNT] = {.name = "device_count", .list = list_counts},
    [SCALING_AXIS_VARIANT] = {.name = "variant"},
    [SCALING_AXIS_PHASE] = {.name = "phase", .title = "Phase", .source = LAB_AXIS_RUN, .choices = phases},
    [SCALING_AXIS_DEVICE] = {.name = "device", .title = "Device (position in the run)", .source = LAB_AXIS_RUN},
    {0},
};

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* The least time that a point takes, in times of the job on one device: of the point's own jobs two are for warm-up and
 * calibration, three are samples, one is verified, three are for phases and two are traced; each sample, warm-up and
 * calibration of the baseline is a job on one device. */
static double jobs_of(const struct lab_point *point)
{
    double count = (double)point->values[SCALING_AXIS_DEVICE_COUNT];
    double own = 11 * scaling_speedup_factor(point) / count;
    return count > 1 ? own + 5 : own;
}

double scaling_target_s(const struct lab_parameters *given, const struct lab_points *points)
{
    const double longest_s = 0.5, share = 0.75;
    double jobs = 0;
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].values[SCALING_AXIS_KERNEL] == SCALING_PAIRS)
            jobs += jobs_of(&points->items[i]);
    return fmin(longest_s, share * lab_parameter_number(given, "time_budget_s") / fmax(jobs, 1));
}

/* Adds the bytes of the parts of the first `count` devices to those of host and of one device. */
static void add_parts(const struct scaling_workload *workload, size_t count, uint64_t *on_device, uint64_t *on_host)
{
    struct lab_workload part;
    for (size_t i = 0; i < count; i++) {
        const struct lab_offload_shape shape = scaling_part_of(workload, count, i);
        lab_offload_describe(&shape, &part);
        *on_host += lab_workload_bytes(&part, false);
    }
    *on_device += lab_workload_bytes(&part, true); /* no part is larger than the last */
}

/* Adds a point, on several devices with the arrays and the time of its baseline. A calibrated job takes target_s on one
 * device, with a weight that is not known and may be the largest. */
static void add_point(const struct lab_parameters *given, const struct lab_device_facts *device,
                      const struct lab_point *point, double target_s, struct lab_estimate *estimate)
{
    int64_t weight = lab_parameter_integer(given, "weight");
    const struct scaling_workload workload =
        scaling_workload_of(point, weight > 0 ? (uint32_t)weight : SCALING_WEIGHT_MAX);
    bool pairs = workload.arrays.kernel == &lab_offload_pairs;
    size_t count = (size_t)point->values[SCALING_AXIS_DEVICE_COUNT];
    uint64_t on_device = 0, on_host = 0;
    add_parts(&workload, count, &on_device, &on_host);
    if (count > 1)
        add_parts(&workload, 1, &on_device, &on_host);
    lab_estimate_raise_memory(estimate, on_device, on_host);

    size_t bytes = (pairs ? 2 : 3) * workload.arrays.bytes;
    double alone_s = pairs && weight == 0
                         ? target_s
                         : lab_offload_copy_seconds(bytes) +
                               lab_offload_kernel_seconds(workload.arrays.kernel, workload.arrays.bytes,
                                                          pairs ? (uint32_t)weight : 1, device);
    double factor = scaling_speedup_factor(point);
    lab_offload_add_point(estimate, given, alone_s * factor / (double)count, count > 1 ? alone_s : 0,
                          (size_t)factor * bytes, pairs);
}

bool scaling_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    *estimate = (struct lab_estimate){0};
    if (!lab_device_counts_check(given, device_count, errors) ||
        !lab_points_init(&points, given, devices, device_count, errors))
        return false;
    double target_s = scaling_target_s(given, &points);
    for (size_t i = 0; i < points.count; i++)
        add_point(given, devices[0], &points.items[i], target_s, estimate);
    estimate->points = points.count;
    lab_points_release(&points);
    lab_estimate_finish(estimate, given);
    return lab_estimate_check_memory(estimate, devices, device_count, "the arrays of one device", "/parameters/bytes",
                                     errors);
}
