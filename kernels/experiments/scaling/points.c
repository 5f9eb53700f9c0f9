/* The axes of scaling with the points of a request, how arrays are divided, and the plan. */
#include "scaling.h"

#include "benchmark/series.h"
#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Bytes of the smallest part that a kernel works on: an element, or a window. */
static size_t unit_of(enum scaling_kernel kernel)
{
    return kernel == SCALING_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
}

struct scaling_workload scaling_workload_of(const struct lab_point *point)
{
    return (struct scaling_workload){
        .bytes = (size_t)point->values[SCALING_AXIS_BYTES],
        .memory = point->values[SCALING_AXIS_MEMORY] == SCALING_PINNED ? LAB_MEMORY_PINNED : LAB_MEMORY_PAGEABLE,
        .kernel = (enum scaling_kernel)point->values[SCALING_AXIS_KERNEL],
        .weak = point->values[SCALING_AXIS_MODE] == SCALING_WEAK,
    };
}

size_t scaling_part_start(const struct scaling_workload *workload, size_t device_count, size_t index)
{
    size_t unit = unit_of(workload->kernel);
    if (workload->weak)
        return workload->bytes * index;
    return workload->bytes / unit * index / device_count * unit;
}

double scaling_speedup_factor(const struct lab_point *point)
{
    bool weak = point->values[SCALING_AXIS_MODE] == SCALING_WEAK;
    return weak ? (double)point->values[SCALING_AXIS_DEVICE_COUNT] : 1;
}

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static int64_t round_bytes(const struct lab_point *point, int64_t bytes)
{
    int64_t unit = (int64_t)unit_of((enum scaling_kernel)point->values[SCALING_AXIS_KERNEL]);
    return bytes / unit * unit;
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
    [SCALING_AXIS_KERNEL] = {.name = "kernel", .title = "Kernel"},
    [SCALING_AXIS_BYTES] = {.name = "bytes", .title = "Array size", .unit = "B", .round = round_bytes},
    [SCALING_AXIS_MEMORY] = {.name = "memory", .title = "Host memory"},
    [SCALING_AXIS_WEIGHT] = {.name = "weight", .title = "Kernel weight", .source = LAB_AXIS_RUN},
    [SCALING_AXIS_MODE] = {.name = "scaling", .title = "Scaling"},
    [SCALING_AXIS_DEVICE_COUNT] = {.name = "device_count", .title = "Number of devices", .list = list_counts},
    [SCALING_AXIS_VARIANT] = {.name = "variant", .title = "Variant"},
    [SCALING_AXIS_PHASE] = {.name = "phase", .title = "Phase", .source = LAB_AXIS_RUN, .choices = phases},
    [SCALING_AXIS_DEVICE] = {.name = "device", .title = "Device (position in the run)", .source = LAB_AXIS_RUN},
    {.name = NULL},
};

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool check_counts(const struct lab_parameters *given, size_t devices, struct lab_errors *errors)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    bool good = true;
    for (size_t i = 0; i < counts->count; i++) {
        char pointer[48];
        if (counts->items[i].integer <= (int64_t)devices)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/device_count/%zu", i);
        good = lab_errors_add(errors, "out-of-bounds", pointer,
                              "device_count (%" PRId64 ") must not exceed the number of devices of the run (%zu)",
                              counts->items[i].integer, devices);
    }
    return good;
}

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

/* Estimated seconds of the job on one device. A pair is eight operations, or 0.5 ns on a core of a CPU, whose peak is
 * unknown; the kernel average takes as long as its copies, or 12 ns an element on a core. */
static double alone_seconds(const struct lab_parameters *given, const struct lab_device_facts *device,
                            const struct lab_point *point, double target_s)
{
    const double copy_rate = 10e9;
    double bytes = (double)point->values[SCALING_AXIS_BYTES], weight = (double)lab_parameter_integer(given, "weight");
    double peak = device->fp32_peak_flops;
    bool known = isfinite(peak) && peak > 0;
    double cores = device->multiprocessors > 0 ? (double)device->multiprocessors : 1;
    if (point->values[SCALING_AXIS_KERNEL] == SCALING_AVERAGE)
        return 3 * bytes / copy_rate + (known ? 0 : bytes / 4 * 12e-9 / cores);
    return weight > 0 ? bytes / 4 * weight * (known ? 8 / peak : 0.5e-9 / cores) : target_s;
}

/* Adds the time of a point: with its baseline, if it has several devices; the passes that fill, poison and check the
 * arrays; the jobs whose phases are timed, and the two that are traced. */
static void add_seconds(const struct lab_parameters *given, const struct lab_device_facts *device,
                        const struct lab_point *point, double target_s, struct lab_estimate *estimate)
{
    enum { PASSES = 10 };
    double alone_s = alone_seconds(given, device, point, target_s);
    double count = (double)point->values[SCALING_AXIS_DEVICE_COUNT], factor = scaling_speedup_factor(point);
    double job_s = alone_s * factor / count, repetition_s = count > 1 ? job_s + alone_s : job_s;
    double pass_rate = isfinite(device->fp32_peak_flops) ? 10e9 : 2e9; /* bytes per second, of a GPU or of a CPU */
    double pass_s = factor * (double)point->values[SCALING_AXIS_BYTES] / pass_rate;
    lab_estimate_add_point(estimate, given, repetition_s, PASSES * pass_s + lab_series_seconds(job_s) + 2 * job_s,
                           point->values[SCALING_AXIS_KERNEL] == SCALING_PAIRS);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Raises the memory estimate to what the point needs, which on several devices includes the arrays of the baseline. */
static void add_memory(const struct lab_parameters *given, const struct lab_point *point, struct lab_estimate *estimate)
{
    const struct scaling_workload workload = scaling_workload_of(point);
    size_t count = (size_t)point->values[SCALING_AXIS_DEVICE_COUNT];
    int64_t weight = lab_parameter_integer(given, "weight");
    uint64_t partners =
        weight > 0 ? (uint64_t)weight : SCALING_WEIGHT_MAX; /* an upper limit: calibration finds the actual number */
    uint64_t arrays = workload.kernel == SCALING_PAIRS ? 2 : 3;
    uint64_t baseline = count > 1 ? arrays * workload.bytes : 0, copies = count > 1 ? 2 : 1;
    if (workload.kernel == SCALING_AVERAGE)
        partners = 0;
    estimate->device_bytes = larger(estimate->device_bytes, arrays * scaling_part_start(&workload, count, 1) +
                                                                baseline + 4 * partners * copies);
    estimate->host_bytes = larger(estimate->host_bytes, arrays * scaling_part_start(&workload, count, count) +
                                                            baseline + 4 * partners * (count + copies - 1));
}

bool scaling_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    *estimate = (struct lab_estimate){0};
    if (!check_counts(given, device_count, errors) || !lab_points_create(&points, given, devices, device_count, errors))
        return false;
    double target_s = scaling_target_s(given, &points);
    for (size_t i = 0; i < points.count; i++) {
        add_memory(given, &points.items[i], estimate);
        add_seconds(given, devices[0], &points.items[i], target_s, estimate);
    }
    estimate->points = points.count;
    lab_points_free(&points);
    lab_estimate_finish(estimate, given);
    return lab_estimate_check_memory(estimate, devices, device_count, "the arrays of one device", "/parameters/bytes",
                                     errors);
}
