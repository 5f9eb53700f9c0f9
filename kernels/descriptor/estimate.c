/* Checks of the number of points and of device memory, and the estimated duration, for the plans of all experiments. */
#include "descriptor/estimate.h"

#include "descriptor/parameters.h"

#include <inttypes.h>
#include <math.h>

bool lab_estimate_check_memory(const struct lab_estimate *estimate, const struct lab_device_facts *const *devices,
                               size_t device_count, const char *what, const char *pointer, struct lab_errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < device_count; i++) {
        int64_t total = devices[i]->total_memory_bytes;
        if (total != LAB_UNKNOWN && estimate->device_bytes > (uint64_t)total)
            good = lab_errors_add(errors, LAB_ERROR_EXCEEDS_MEMORY, pointer,
                                  "%s: %" PRIu64 " bytes of device memory, but %s has only %" PRId64 " in total", what,
                                  estimate->device_bytes, devices[i]->name, total);
    }
    return good;
}

void lab_estimate_raise_memory(struct lab_estimate *estimate, uint64_t device_bytes, uint64_t host_bytes)
{
    if (device_bytes > estimate->device_bytes)
        estimate->device_bytes = device_bytes;
    if (host_bytes > estimate->host_bytes)
        estimate->host_bytes = host_bytes;
}

/* --- the duration ------------------------------------------------------------------------------------------------- */

/* How many samples a point takes is not known before. Steady work converges at min_samples, and so do samples of
 * several repetitions, whose noise is lower; noisy work goes on until its noise is stable, which takes at least 64
 * more. EXTRA_SAMPLES is half of that. */
enum { EXTRA_SAMPLES = 32, LEAST_SAMPLES = 3 };

static const double sample_least_s = 100e-6, sample_overhead_s = 100e-6; /* of releasing and joining a sample */
static const double overrun = 1.25, grace_s = 2; /* as in measure/budget.c: a run may exceed its budget by that */

double lab_estimate_longest_s(const struct lab_parameters *parameters)
{
    return overrun * lab_parameter_number(parameters, "time_budget_s") + grace_s;
}

/* Adds a point with a pause of `rest_s` before each sample, times `weight`. */
static void add_point(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                      double seconds_per_repetition, double setup_s, bool compute, double rest_s, double weight)
{
    double sample_s = fmax(seconds_per_repetition, fmax(sample_least_s, lab_parameter_number(parameters, "sample_s")));
    double min_samples = (double)lab_parameter_integer(parameters, "min_samples");
    double max_samples = (double)lab_parameter_integer(parameters, "max_samples");
    double spanned = lab_parameter_number(parameters, "min_time_s") / (sample_s + rest_s);
    double extra = sample_s > seconds_per_repetition ? 0 : EXTRA_SAMPLES;
    double samples = fmin(fmax(min_samples + extra, spanned), max_samples);
    double settle_s = compute && !(rest_s > 0) ? lab_parameter_number(parameters, "settle_s") : 0;
    double taken_s = sample_s + sample_overhead_s + rest_s;

    double fixed_s = setup_s + 2 * seconds_per_repetition + sample_s;
    double least_s = fixed_s + settle_s + fmin(LEAST_SAMPLES, max_samples) * taken_s;
    if (fixed_s + LEAST_SAMPLES * seconds_per_repetition >
        lab_estimate_longest_s(parameters)) { /* skipped after its calibration */
        estimate->seconds += weight * fixed_s;
        estimate->least_seconds += weight * fixed_s;
        return;
    }
    estimate->seconds += weight * (fixed_s + settle_s + samples * taken_s);
    estimate->least_seconds += weight * least_s;
}

void lab_estimate_add_point(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                            double seconds_per_repetition, double setup_s, bool compute)
{
    const struct lab_values *loads = lab_parameter_loads(parameters);
    size_t count = loads != NULL ? loads->count : 1;
    for (size_t i = 0; i < count; i++) {
        double rest_s = lab_parameter_rest_s(parameters, loads != NULL ? loads->items[i].integer : LAB_NO_VALUE);
        add_point(estimate, parameters, seconds_per_repetition, setup_s, compute, rest_s, 1 / (double)count);
    }
}

static bool has_energy(const struct lab_experiment *experiment)
{
    for (const struct lab_metric *m = experiment->metrics; m->name != NULL; m++)
        if (m->counter == LAB_COUNT_ENERGY)
            return true;
    return false;
}

void lab_estimate_add_energy(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                             const struct lab_device_facts *device, double seconds_per_repetition)
{
    /* as in measure/energy.c */
    static const double repetition_s_min = 100e-6, settling_s = 0.1, interval_s = 0.5, steps_s = 0.2;
    double seconds =
        fmax(settling_s, 2 * seconds_per_repetition) + fmax(interval_s, 4 * seconds_per_repetition) + steps_s;
    const struct lab_values *loads = lab_parameter_loads(parameters);
    size_t count = loads != NULL ? loads->count : 1;
    if (!has_energy(parameters->experiment) || lab_facts_is_cpu(device) || seconds_per_repetition < repetition_s_min)
        return;
    for (size_t i = 0; i < count; i++)
        if (!(lab_parameter_rest_s(parameters, loads != NULL ? loads->items[i].integer : LAB_NO_VALUE) > 0))
            estimate->seconds += seconds / (double)count;
}

void lab_estimate_add_counters(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                               const struct lab_device_facts *device, double seconds_per_repetition)
{
    enum { PASSES = 10 };                               /* on compute capability 9.0; to 19 on others */
    static const double point_s = 0.2, pass_s = 0.0095; /* as in measure/counting.c */
    if (lab_parameter_counters(parameters) && !lab_facts_is_cpu(device))
        estimate->counting_s += point_s + PASSES * (pass_s + seconds_per_repetition);
}

/* All counters of a run: preparing takes this long once, on an H100. */
static double counters_s(const struct lab_estimate *estimate)
{
    static const double prepare_s = 0.7;
    return estimate->counting_s > 0 ? prepare_s + estimate->counting_s : 0;
}

void lab_estimate_leave_out_counters(struct lab_estimate *estimate)
{
    estimate->seconds -= counters_s(estimate);
}

void lab_estimate_finish(struct lab_estimate *estimate, const struct lab_parameters *parameters)
{
    double budget_s = lab_parameter_number(parameters, "time_budget_s");
    if (estimate->seconds > budget_s)
        estimate->seconds = fmin(fmax(estimate->least_seconds, budget_s), lab_estimate_longest_s(parameters));
    estimate->seconds += counters_s(estimate);
}

bool lab_estimate_points(const struct lab_points_request *request,
                         void (*add)(const struct lab_points_request *request, const struct lab_point *point,
                                     struct lab_estimate *estimate),
                         struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    if (!lab_points_init(&points, request->parameters, request->devices, request->device_count, errors))
        return false;
    estimate->points = points.count;
    for (size_t i = 0; i < points.count; i++)
        add(request, &points.items[i], estimate);
    lab_points_release(&points);
    lab_estimate_finish(estimate, request->parameters);
    return true;
}
