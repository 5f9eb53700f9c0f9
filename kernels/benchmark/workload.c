/* Describes workloads, and plans the run of a benchmark from them. */
#include "benchmark/benchmark.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- describing --------------------------------------------------------------------------------------------------- */

/* Ends the program if a table of a workload is full: a fault of the benchmark, not of its input. */
static void check_room(size_t count, size_t most, const char *what)
{
    if (count < most)
        return;
    fprintf(stderr, "a workload has more than %zu %s\n", most, what);
    abort();
}

static size_t add_buffer(struct lab_workload *workload, struct lab_buffer buffer)
{
    check_room(workload->buffer_count, LAB_BUFFERS_MAX, "buffers");
    workload->buffers[workload->buffer_count] = buffer;
    return workload->buffer_count++;
}

size_t lab_workload_input(struct lab_workload *workload, size_t bytes, enum lab_content content)
{
    return add_buffer(workload, (struct lab_buffer){LAB_MEMORY_DEVICE, bytes, false, content});
}

size_t lab_workload_output(struct lab_workload *workload, size_t bytes)
{
    return add_buffer(workload, (struct lab_buffer){LAB_MEMORY_DEVICE, bytes, true, LAB_CONTENT_WORDS});
}

static void add_argument(struct lab_workload *workload, struct lab_workload_argument argument)
{
    check_room(workload->argument_count, LAB_ARGUMENTS_MAX, "arguments");
    workload->arguments[workload->argument_count++] = argument;
}

void lab_workload_add_buffer(struct lab_workload *workload, size_t buffer)
{
    add_argument(workload, (struct lab_workload_argument){.is_buffer = true, .buffer = buffer});
}

void lab_workload_add(struct lab_workload *workload, struct lab_argument value)
{
    add_argument(workload, (struct lab_workload_argument){.value = value});
}

void lab_workload_add_figure(struct lab_workload *workload, const char *metric, double value)
{
    check_room(workload->figure_count, LAB_FIGURES_MAX, "figures");
    workload->figures[workload->figure_count++] = (struct lab_figure){metric, value};
}

void lab_workload_launch(struct lab_workload *workload, uint64_t blocks, uint32_t threads)
{
    workload->launch = (struct lab_launch){.grid = {(uint32_t)blocks}, .block = {threads}};
}

void lab_workload_launch_items(struct lab_workload *workload, uint64_t items, uint32_t threads)
{
    lab_workload_launch(workload, (items + threads - 1) / threads, threads);
}

/* --- planning ----------------------------------------------------------------------------------------------------- */

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

static uint64_t bytes_of(const struct lab_workload *workload, bool device)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < workload->buffer_count; i++)
        if ((workload->buffers[i].memory == LAB_MEMORY_DEVICE) == device)
            bytes += workload->buffers[i].bytes;
    return bytes;
}

static void estimate_point(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                           const struct lab_point *point, struct lab_estimate *estimate)
{
    struct lab_workload workload = {0};
    parameters->experiment->benchmark->describe(parameters, device, point, &workload);
    if (workload.skipped[0] != '\0')
        return;
    uint64_t on_device = bytes_of(&workload, true), on_host = bytes_of(&workload, false);
    double fill_s = (double)(on_device + on_host) / 10e9;
    double samples = (double)lab_parameter_integer(parameters, "min_samples");
    estimate->device_bytes = on_device > estimate->device_bytes ? on_device : estimate->device_bytes;
    estimate->host_bytes = on_host > estimate->host_bytes ? on_host : estimate->host_bytes;
    estimate->seconds += fill_s + (samples + 4) * seconds_of(&workload, device);
}

static bool check_sizes(const struct lab_parameters *parameters, struct lab_errors *errors)
{
    bool good = true;
    for (const struct lab_axis *axis = parameters->experiment->axes; axis->name != NULL; axis++)
        if (axis->source == LAB_AXIS_SIZES)
            good = lab_points_check_sizes(parameters, axis->name, errors) && good;
    return good;
}

bool lab_benchmark_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                        size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    *estimate = (struct lab_estimate){0};
    if (!check_sizes(parameters, errors) || !lab_points_create(&points, parameters, devices, device_count, errors))
        return false;
    estimate->points = points.count;
    for (size_t i = 0; i < points.count; i++)
        estimate_point(parameters, devices[0], &points.items[i], estimate);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(parameters, "time_budget_s"));
    lab_points_free(&points);
    return lab_estimate_check_memory(estimate, devices, device_count, "the buffers of the largest point", "/parameters",
                                     errors);
}
