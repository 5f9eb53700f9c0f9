/* kernel: a kernel from nothing. A person gives its source, its arguments and its launch; what the lab's other
 * experiments do for their kernels, it does for this one: buffers, samples, metrics, and a comparison with a reference.
 */
#include "definition.h"
#include "run.h"

#include "benchmark/axes.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <math.h>
#include <stdio.h>

/* The parameters of the axes of a kernel come before this one (definition.c). */
static const struct lab_schema kernel_parameters[] = {{LAB_COUNTERS_PARAMETER_OFF}, {0}};
static const struct lab_axis no_axes[] = {{0}};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s", "bytes of a launch, as given / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("throughput", "Throughput", "GFLOP/s", "operations of a launch, as given / time / 10^9"),
     .counter = LAB_COUNT_OPERATIONS},
    LAB_KERNEL_METRICS,
    LAB_INTENSITY_METRICS("bytes of a launch, as given"),
    {LAB_METRIC("speedup", "Speedup", "1", "time of the reference / time; their samples are taken alternately"),
     .counter = LAB_COUNT_BASELINE},
    {0},
};

static const struct lab_view views[] = {{0}};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Bandwidth", "bandwidth")},
    {LAB_HEADLINE("Throughput", "throughput")},
    {LAB_HEADLINE("Time", "time"), .lowest = true},
    {0},
};

/* Expected seconds of a launch: by the peaks, and 1 ms where nothing is known of its work. */
static double seconds_of(const struct lab_workload *workload, const struct lab_device_facts *device)
{
    double bytes_s = workload->counts[LAB_COUNT_BYTES] / device->memory_peak_bytes_per_s;
    double operations_s = workload->counts[LAB_COUNT_OPERATIONS] / device->fp32_peak_flops;
    double seconds = fmax(isfinite(bytes_s) ? bytes_s : 0, isfinite(operations_s) ? operations_s : 0);
    return seconds > 0 ? 2 * seconds : 1e-3;
}

/* Adds a point: both kernels have buffers of their own. */
static bool add_point(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                      const struct lab_point *point, struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct kernel_definition *definition = kernel_definition_of(parameters->experiment);
    uint64_t bytes = 0;
    double seconds = 0;
    for (size_t side = KERNEL_OWN; side <= (definition->has_reference ? KERNEL_REFERENCE : KERNEL_OWN); side++) {
        struct lab_workload workload;
        if (!kernel_describe(definition, device, point, side, &workload, errors))
            return false;
        bytes += lab_workload_bytes(&workload, true);
        seconds += seconds_of(&workload, device);
    }
    lab_estimate_raise_memory(estimate, bytes, 0);
    lab_estimate_add_point(estimate, parameters, seconds, 0.01, true);
    lab_estimate_add_counters(estimate, parameters, device, seconds);
    return true;
}

/* Whether the source is compiled with no more combinations of macros than are allowed. */
static bool check_combinations(const struct lab_parameters *parameters, struct lab_errors *errors)
{
    const struct kernel_definition *definition = kernel_definition_of(parameters->experiment);
    double combinations = 1;
    for (size_t i = 0; i < definition->macro_count; i++)
        combinations *= (double)lab_parameter_values(parameters, definition->macros[i].name)->count;
    return combinations <= LAB_MACRO_COMBINATIONS_MAX ||
           lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/kernel/options/defines",
                          "The values of the macros make %.0f combinations; at most %d are compiled in a run.",
                          combinations, LAB_MACRO_COMBINATIONS_MAX);
}

/* Whether nothing of several points is saved: a later run is held to the outputs of one. */
static bool check_saved(const struct kernel_definition *definition, size_t points, struct lab_errors *errors)
{
    char pointer[LAB_POINTER_MAX];
    for (size_t i = 0; i < definition->argument_count && points > 1; i++) {
        snprintf(pointer, sizeof pointer, "/kernel/arguments/%zu/save", i);
        if (definition->arguments[i].save)
            return lab_errors_add(
                errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                "The run has %zu points; outputs are saved of a run with one: give each scalar and macro one value.",
                points);
    }
    return true;
}

static bool plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                 size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    bool good;
    *estimate = (struct lab_estimate){0};
    if (parameters->experiment == &lab_kernel)
        return lab_errors_add(errors, LAB_ERROR_MISSING, "/kernel",
                              "'kernel' is missing: the experiment needs a kernel.");
    if (!check_combinations(parameters, errors) || !lab_points_init(&points, parameters, devices, device_count, errors))
        return false;
    good = check_saved(kernel_definition_of(parameters->experiment), points.count, errors);
    for (size_t i = 0; good && i < points.count; i++)
        good = add_point(parameters, devices[0], &points.items[i], estimate, errors);
    estimate->points = points.count;
    lab_points_release(&points);
    lab_estimate_finish(estimate, parameters);
    return good && lab_estimate_check_memory(estimate, devices, device_count, "the buffers of the largest point",
                                             "/kernel/arguments", errors);
}

LAB_PAGE(kernel);
const struct lab_experiment lab_kernel = {
    .name = "kernel",
    .title = "Own kernel",
    .subject = "execution",
    .summary = "A kernel of one's own, measured and compared with a reference.",
    .parameters = kernel_parameters,
    .axes = no_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    LAB_PAGE_FIELDS(kernel),
    .devices_min = 1,
    .devices_max = 1,
    .plan = plan,
    .run = kernel_run,
    .define = kernel_define,
    .undefine = kernel_undefine,
};
