/* The points of a scaling request, how arrays are divided, and the plan. */
#include "scaling.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- the points --------------------------------------------------------------------------------------------------- */

size_t scaling_whole_bytes(enum scaling_kernel kernel, size_t bytes)
{
    size_t unit = kernel == SCALING_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
    return bytes / unit * unit;
}

size_t scaling_part_start(const struct scaling_workload *workload, size_t device_count, size_t index)
{
    if (workload->weak)
        return workload->bytes * index;
    size_t unit = workload->kernel == SCALING_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
    return workload->bytes / unit * index / device_count * unit;
}

typedef bool visit_function(void *context, const struct scaling_point *point);

static bool wants_count(const struct lab_parameters *given, size_t count)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    for (size_t i = 0; i < counts->count; i++)
        if (counts->items[i].integer == 0 || counts->items[i].integer == (int64_t)count)
            return true;
    return count == 1;
}

static bool each_count(const struct lab_parameters *given, size_t devices, const struct scaling_workload *workload,
                       visit_function *visit, void *context)
{
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    for (size_t count = 1; count <= devices; count++)
        for (size_t v = 0; wants_count(given, count) && v < variants->count; v++) {
            const struct scaling_point point = {*workload, count, (enum scaling_variant)variants->items[v].integer};
            if (!visit(context, &point))
                return false;
        }
    return true;
}

static bool each_mode(const struct lab_parameters *given, size_t devices, struct scaling_workload workload,
                      visit_function *visit, void *context)
{
    const struct lab_values *modes = lab_parameter_values(given, "scaling");
    for (size_t m = 0; m < modes->count; m++) {
        workload.weak = modes->items[m].integer != 0;
        if (!each_count(given, devices, &workload, visit, context))
            return false;
    }
    return true;
}

/* Whether an earlier size of the request was rounded to the same number of bytes. */
static bool size_seen(const struct lab_values *sizes, size_t index, enum scaling_kernel kernel, size_t bytes)
{
    for (size_t s = 0; s < index; s++)
        if (scaling_whole_bytes(kernel, (size_t)sizes->items[s].integer) == bytes)
            return true;
    return false;
}

bool scaling_each_point(const struct lab_parameters *given, size_t devices, visit_function *visit, void *context)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    const struct lab_values *memories = lab_parameter_values(given, "memory");
    const struct lab_values *kernels = lab_parameter_values(given, "kernel");
    for (size_t s = 0; s < sizes->count; s++)
        for (size_t m = 0; m < memories->count; m++)
            for (size_t k = 0; k < kernels->count; k++) {
                enum scaling_kernel kernel = (enum scaling_kernel)kernels->items[k].integer;
                struct scaling_workload workload = {
                    .bytes = scaling_whole_bytes(kernel, (size_t)sizes->items[s].integer),
                    .memory = memories->items[m].integer == 0 ? LAB_MEMORY_PAGEABLE : LAB_MEMORY_PINNED,
                    .kernel = kernel,
                };
                if (!size_seen(sizes, s, kernel, workload.bytes) &&
                    !each_mode(given, devices, workload, visit, context))
                    return false;
            }
    return true;
}

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

struct plan_totals {
    const struct lab_parameters *given;
    const struct lab_device_facts *device; /* the run's first device */
    struct lab_estimate *estimate;
};

/* Estimated seconds of one repetition on one device: the computation of the kernel pairs, or the copies of the kernel
 * average at 10 GB/s. */
static double seconds_of(const struct plan_totals *totals, const struct scaling_point *point)
{
    double part = (double)point->workload.bytes / (point->workload.weak ? 1 : (double)point->device_count);
    double weight = (double)lab_parameter_integer(totals->given, "weight");
    double peak = totals->device->fp32_peak_flops;
    double pairs_per_s = isfinite(peak) && peak > 0 ? peak / 8 : 5e9;
    if (point->workload.kernel == SCALING_AVERAGE)
        return 3 * part / 10e9;
    return weight > 0 ? part / 4 * weight / pairs_per_s : 0.5 * part / (double)point->workload.bytes;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds a rough estimate of the point's time, the minimum number of samples plus 8 repetitions for warm-up, verification
 * and phases, and raises the memory estimate to what the point needs. */
static bool count_point(void *context, const struct scaling_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    int64_t weight = lab_parameter_integer(totals->given, "weight");
    uint64_t partners =
        weight > 0 ? (uint64_t)weight : SCALING_WEIGHT_MAX; /* an upper limit: calibration finds the actual number */
    uint64_t part = scaling_part_start(&point->workload, point->device_count, 1);
    uint64_t whole = scaling_part_start(&point->workload, point->device_count, point->device_count);
    uint64_t arrays = point->workload.kernel == SCALING_PAIRS ? 2 : 3;
    if (point->workload.kernel == SCALING_AVERAGE)
        partners = 0;
    estimate->points++;
    estimate->seconds += ((double)lab_parameter_integer(totals->given, "min_samples") + 8) * seconds_of(totals, point);
    estimate->device_bytes = larger(estimate->device_bytes, arrays * part + 4 * partners);
    estimate->host_bytes = larger(estimate->host_bytes, arrays * whole + 4 * partners * point->device_count);
    return estimate->points <= LAB_POINTS_MAX;
}

bool scaling_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_counts(given, device_count, errors))
        return false;
    struct plan_totals totals = {given, devices[0], estimate};
    if (!scaling_each_point(given, device_count, count_point, &totals))
        return lab_estimate_add_too_many_points(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_check_memory(estimate, devices, device_count, "the arrays of one device", "/parameters/bytes",
                                     errors);
}
