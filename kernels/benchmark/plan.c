/* Plans the run of a benchmark from the workloads of its points. */
#include "benchmark/benchmark.h"

#include "descriptor/estimate.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shares of the peaks that work reaches, and bytes per second where a peak is unknown: those of a CPU of a few
 * cores. */
static const double peak_share = 0.7, link_share = 0.8, pageable_share = 0.25, cpu_rate = 10e9, cpu_flops = 5e9;
static const double call_s = 3e-6;         /* of enqueueing one of many copies */
static const double cpu_fill_rate = 1.5e9; /* bytes per second that are filled or checked where the peak is unknown */

static double rate_of(double peak, double share, double unknown)
{
    return isfinite(peak) && peak > 0 ? share * peak : unknown;
}

static bool uses(const struct lab_workload *workload, enum lab_memory memory)
{
    for (size_t i = 0; i < workload->buffer_count; i++)
        if (workload->buffers[i].memory == memory)
            return true;
    return false;
}

static double bandwidth_of(const struct lab_workload *workload, const struct lab_device_facts *device)
{
    if (uses(workload, LAB_MEMORY_PAGEABLE))
        return rate_of(device->pcie_peak_bytes_per_s, pageable_share, cpu_rate);
    return lab_workload_bytes(workload, false) > 0 ? rate_of(device->pcie_peak_bytes_per_s, link_share, cpu_rate)
                                                   : rate_of(device->memory_peak_bytes_per_s, peak_share, cpu_rate);
}

/* Seconds of one repetition. */
static double seconds_of(const struct lab_workload *workload, const struct lab_device_facts *device)
{
    double bytes = workload->counts[LAB_COUNT_BYTES] + workload->counts[LAB_COUNT_AGGREGATE_BYTES], calls_s = call_s;
    double flops = rate_of(device->fp32_peak_flops, peak_share, cpu_flops);
    if (workload->seconds > 0)
        return workload->seconds;
    for (size_t i = 0; i < workload->copy_count; i++) {
        const struct lab_workload_copy *copy = &workload->copies[i];
        if (copy->piece_bytes > 0)
            calls_s += call_s * (double)workload->buffers[copy->source].bytes / (double)copy->piece_bytes;
    }
    return fmax(bytes / bandwidth_of(workload, device), workload->counts[LAB_COUNT_OPERATIONS] / flops) + calls_s;
}

/* Seconds of filling the inputs, if `fills` is set, and of poisoning and checking the outputs twice each. */
static double setup_seconds_of(const struct lab_workload *workload, const struct lab_device_facts *device, bool fills)
{
    double bytes = 0;
    for (size_t i = 0; i < workload->buffer_count; i++)
        bytes += (double)workload->buffers[i].bytes * (workload->buffers[i].output ? 4 : fills ? 1 : 0);
    double fill_rate = uses(workload, LAB_MEMORY_PAGEABLE)
                           ? cpu_fill_rate
                           : rate_of(device->memory_peak_bytes_per_s, peak_share, cpu_fill_rate);
    return bytes / fmin(fill_rate, bandwidth_of(workload, device));
}

static bool has_kernel(const struct lab_image *image, const char *name)
{
    for (const struct lab_host_kernel *kernel = image->host; kernel != NULL && kernel->name != NULL; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return true;
    return false;
}

/* Whether the image has the workload's kernels for the device. CUDA devices have all; host devices may lack the
 * libraries. */
static bool has_kernels(const struct lab_image *image, const struct lab_workload *workload,
                        const struct lab_device_facts *device)
{
    for (size_t i = 0; i < workload->step_count && lab_facts_is_cpu(device); i++)
        if (workload->steps[i].kernel[0] == '\0' || !has_kernel(image, workload->steps[i].kernel))
            return false;
    return true;
}

/* Adds the memory of a point's baseline, and returns the seconds of one repetition of it. Nothing, and 0, if it has
 * none or if that is skipped. */
static double add_baseline(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                           const struct lab_point *point, struct lab_estimate *of_point)
{
    const struct lab_benchmark *benchmark = parameters->experiment->benchmark;
    struct lab_workload workload = {0};
    struct lab_point baseline;
    if (benchmark->baseline == NULL || !benchmark->baseline(point, &baseline))
        return 0;
    benchmark->describe(parameters, device, &baseline, &workload);
    if (workload.skipped[0] != '\0')
        return 0;
    of_point->device_bytes += lab_workload_bytes(&workload, true);
    of_point->host_bytes += lab_workload_bytes(&workload, false);
    return seconds_of(&workload, device);
}

/* Sets *of_point to what a point takes; nothing if it is skipped, only its memory if it takes too long. `largest_bytes`
 * is the memory of the largest point before, `left_s` the time that the run may still take. */
static void estimate_point(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                           const struct lab_point *point, uint64_t largest_bytes, double left_s,
                           struct lab_estimate *of_point)
{
    const struct lab_benchmark *benchmark = parameters->experiment->benchmark;
    struct lab_workload workload = {0};
    *of_point = (struct lab_estimate){0};
    benchmark->describe(parameters, device, point, &workload);
    if (workload.skipped[0] != '\0' || !has_kernels(benchmark->image, &workload, device))
        return;
    of_point->device_bytes = lab_workload_bytes(&workload, true);
    of_point->host_bytes = lab_workload_bytes(&workload, false);
    if (lab_workload_too_long(&workload, left_s))
        return;
    double baseline_s = add_baseline(parameters, device, point, of_point);
    bool fills = of_point->device_bytes + of_point->host_bytes > largest_bytes;
    lab_estimate_add_point(of_point, parameters, seconds_of(&workload, device) + baseline_s,
                           setup_seconds_of(&workload, device, fills), workload.step_count > 0);
    if (workload.step_count > 0)
        lab_estimate_add_counters(of_point, parameters, device, seconds_of(&workload, device));
}

/* Adds up the points. Each takes at most its share of the rest of the time budget, but at least what its fewest samples
 * take, as lab_measure does. */
static void estimate_points(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                            const struct lab_points *points, struct lab_estimate *estimate)
{
    double budget_s = lab_parameter_number(parameters, "time_budget_s");
    double longest_s = lab_estimate_longest_s(parameters);
    for (size_t i = 0; i < points->count; i++) {
        struct lab_estimate point;
        double share_s = fmax(budget_s - estimate->seconds, 0) / (double)(points->count - i);
        estimate_point(parameters, device, &points->items[i], estimate->device_bytes + estimate->host_bytes,
                       longest_s - estimate->seconds, &point);
        lab_estimate_raise_memory(estimate, point.device_bytes, point.host_bytes);
        estimate->seconds += fmin(point.seconds, fmax(point.least_seconds, share_s));
        estimate->counting_s += point.counting_s;
    }
    estimate->points = points->count;
    estimate->least_seconds = estimate->seconds;
    lab_estimate_finish(estimate, parameters);
}

/* Checks the sizes of all axes. Writes the pointer of the parameter that sets the largest size, of the last axis, to
 * `largest`; "/parameters" if there is none. */
static bool check_sizes(const struct lab_parameters *parameters, char largest[LAB_POINTER_MAX],
                        struct lab_errors *errors)
{
    bool good = true;
    snprintf(largest, LAB_POINTER_MAX, "/parameters");
    for (const struct lab_axis *axis = parameters->experiment->axes; axis->name != NULL; axis++)
        if (axis->source == LAB_AXIS_SIZES) {
            snprintf(largest, LAB_POINTER_MAX, "/parameters/max_%s", axis->name);
            good = lab_points_check_sizes(parameters, axis->name, errors) && good;
        }
    return good;
}

static bool check(const struct lab_parameters *parameters, char largest[LAB_POINTER_MAX], struct lab_errors *errors)
{
    const struct lab_benchmark *benchmark = parameters->experiment->benchmark;
    bool consistent = benchmark->check == NULL || benchmark->check(parameters, errors);
    return check_sizes(parameters, largest, errors) && consistent;
}

bool lab_benchmark_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                        size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    char largest[LAB_POINTER_MAX];
    *estimate = (struct lab_estimate){0};
    if (!check(parameters, largest, errors) || !lab_points_init(&points, parameters, devices, device_count, errors))
        return false;
    estimate_points(parameters, devices[0], &points, estimate);
    lab_points_release(&points);
    return lab_estimate_check_memory(estimate, devices, device_count, "the buffers of the largest point", largest,
                                     errors);
}
