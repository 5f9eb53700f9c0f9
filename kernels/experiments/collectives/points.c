/* The properties of the operations, the points of a collectives request, and its plan. */
#include "collectives.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"
#include "summands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- properties of the operations --------------------------------------------------------------------------------- */

bool collectives_has_parts(enum lab_collective_operation operation)
{
    return operation != LAB_ALL_REDUCE && operation != LAB_BROADCAST;
}

bool collectives_reduces(enum lab_collective_operation operation)
{
    return operation == LAB_ALL_REDUCE || operation == LAB_REDUCE_SCATTER;
}

double collectives_bus_factor(enum lab_collective_operation operation, size_t device_count)
{
    double others = (double)(device_count - 1) / (double)device_count;
    if (operation == LAB_BROADCAST)
        return 1;
    return operation == LAB_ALL_REDUCE ? 2 * others : others;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

typedef bool visit_function(void *context, const struct collectives_point *point);

/* The size that follows `bytes` in the sweep, whose last size is max_bytes; 0 if `bytes` is the last. */
static size_t next_size(const struct lab_parameters *given, size_t bytes)
{
    size_t last = (size_t)lab_parameter_integer(given, "max_bytes");
    if (bytes >= last)
        return 0;
    double next = fmax(floor((double)bytes * lab_parameter_number(given, "factor") + 0.5), (double)bytes + 1);
    return next < (double)last ? (size_t)next : last;
}

/* Visits all sizes of one series, rounded down to whole elements or parts; sizes that round to the same value are
 * visited once. */
static bool each_size(const struct lab_parameters *given, struct collectives_point point, visit_function *visit,
                      void *context)
{
    bool parts = collectives_has_parts(point.operation);
    size_t unit = parts ? COLLECTIVES_PART_UNIT_BYTES * point.device_count : COLLECTIVES_ELEMENT_BYTES;
    for (size_t size = (size_t)lab_parameter_integer(given, "min_bytes"); size != 0; size = next_size(given, size)) {
        size_t bytes = size / unit * unit;
        if (bytes == point.bytes)
            continue;
        point.bytes = bytes;
        point.count = bytes / COLLECTIVES_ELEMENT_BYTES / (parts ? point.device_count : 1);
        if (!visit(context, &point))
            return false;
    }
    return true;
}

bool collectives_each_point(const struct lab_parameters *given, size_t run_devices, visit_function *visit,
                            void *context)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    const struct lab_values *operations = lab_parameter_values(given, "operation");
    const struct lab_values *in_place = lab_parameter_values(given, "in_place");
    for (size_t c = 0; c < counts->count; c++)
        for (size_t o = 0; o < operations->count; o++)
            for (size_t p = 0; p < in_place->count; p++) {
                size_t asked = (size_t)counts->items[c].integer;
                struct collectives_point point = {
                    .operation = (enum lab_collective_operation)operations->items[o].integer,
                    .in_place = in_place->items[p].integer != 0,
                    .device_count = asked != 0 ? asked : run_devices,
                };
                if (!each_size(given, point, visit, context))
                    return false;
            }
    return true;
}

const char *collectives_skip_reason(const struct collectives_point *point)
{
    if (point->operation == LAB_ALL_TO_ALL && point->in_place)
        return "an all-to-all cannot be done in place: arriving data would overwrite data that is still to be sent";
    return NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static const double communicator_s = 2; /* rough time to create a communicator */

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Adds a rough estimate of the point's time: the minimum number of samples plus 8 repetitions, on links of 20 GB/s,
 * with 20 us per call. */
static bool count_point(void *context, const struct collectives_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    double bus_bytes = (double)point->bytes * collectives_bus_factor(point->operation, point->device_count);
    uint64_t staging = (uint64_t)point->device_count * COLLECTIVES_STAGING_BYTES;
    estimate->points++;
    if (collectives_skip_reason(point) == NULL)
        estimate->seconds += (samples + 8) * (20e-6 + bus_bytes / 20e9);
    if (collectives_reduces(point->operation) && staging > estimate->host_bytes)
        estimate->host_bytes = staging;
    return estimate->points <= LAB_POINTS_MAX;
}

static bool check_sizes(const struct lab_parameters *given, struct lab_errors *errors)
{
    int64_t low = lab_parameter_integer(given, "min_bytes");
    int64_t high = lab_parameter_integer(given, "max_bytes");
    if (low <= high)
        return true;
    return lab_errors_add(errors, "min-above-max", "/parameters/min_bytes",
                          "min_bytes (%" PRId64 ") must not exceed max_bytes (%" PRId64 ")", low, high);
}

static bool check_device_counts(const struct lab_parameters *given, size_t run_devices, struct lab_errors *errors)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    bool good = true, all = false;
    for (size_t c = 0; c < counts->count; c++)
        all = all || counts->items[c].integer == 0;
    for (size_t c = 0; c < counts->count; c++) {
        int64_t count = counts->items[c].integer;
        char pointer[48];
        snprintf(pointer, sizeof pointer, "/parameters/device_count/%zu", c);
        if (count == 1)
            good = lab_errors_add(errors, "out-of-bounds", pointer, "device_count (1) must be 0 (all) or at least 2");
        else if (count > (int64_t)run_devices)
            good = lab_errors_add(errors, "out-of-bounds", pointer,
                                  "device_count (%" PRId64 ") must not exceed the number of devices of the run (%zu)",
                                  count, run_devices);
        else if (count == (int64_t)run_devices && all)
            good = lab_errors_add(errors, "not-distinct", pointer,
                                  "device_count contains both 0 (all) and %zu, which is the same; remove one",
                                  run_devices);
    }
    return good;
}

bool collectives_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                      size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    bool sizes = check_sizes(given, errors);
    if (!check_device_counts(given, device_count, errors) || !sizes)
        return false;
    struct plan_totals totals = {given, estimate};
    if (!collectives_each_point(given, device_count, count_point, &totals))
        return lab_estimate_add_too_many_points(errors);
    /* Each device has a send and a receive buffer. */
    estimate->device_bytes = 2 * (uint64_t)lab_parameter_integer(given, "max_bytes");
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s")) +
                        communicator_s * (double)lab_parameter_values(given, "device_count")->count;
    return lab_estimate_check_memory(estimate, devices, device_count, "send and receive buffer of max_bytes",
                                     "/parameters/max_bytes", errors);
}
