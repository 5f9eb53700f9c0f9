/* Plans the run of a benchmark from the workloads of its points. */
#include "benchmark/benchmark.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

#include <math.h>
#include <stdio.h>

/* Seconds of one repetition, from the counters and the device's peaks; a share of 0.7 of the peaks is assumed, and what a
 * CPU core reaches where they are unknown. */
static double seconds_of(const struct lab_workload *workload, const struct lab_device_facts *device)
{
    double bandwidth = device->memory_peak_bytes_per_s, flops = device->fp32_peak_flops;
    bandwidth = isfinite(bandwidth) && bandwidth > 0 ? 0.7 * bandwidth : 10e9;
    flops = isfinite(flops) && flops > 0 ? 0.7 * flops : 5e9;
    return fmax(5e-6,
                fmax(workload->counts[LAB_COUNT_BYTES] / bandwidth, workload->counts[LAB_COUNT_OPERATIONS] / flops));
}

static void estimate_point(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                           const struct lab_point *point, struct lab_estimate *estimate)
{
    struct lab_workload workload = {0};
    parameters->experiment->benchmark->describe(parameters, device, point, &workload);
    if (workload.skipped[0] != '\0')
        return;
    uint64_t on_device = lab_workload_bytes(&workload, true), on_host = lab_workload_bytes(&workload, false);
    double fill_s = (double)(on_device + on_host) / 10e9;
    double samples = (double)lab_parameter_integer(parameters, "min_samples");
    estimate->device_bytes = on_device > estimate->device_bytes ? on_device : estimate->device_bytes;
    estimate->host_bytes = on_host > estimate->host_bytes ? on_host : estimate->host_bytes;
    estimate->seconds += fill_s + (samples + 4) * seconds_of(&workload, device);
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
    if (!check(parameters, largest, errors) || !lab_points_create(&points, parameters, devices, device_count, errors))
        return false;
    estimate->points = points.count;
    for (size_t i = 0; i < points.count; i++)
        estimate_point(parameters, devices[0], &points.items[i], estimate);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(parameters, "time_budget_s"));
    lab_points_free(&points);
    return lab_estimate_check_memory(estimate, devices, device_count, "the buffers of the largest point", largest,
                                     errors);
}
