/* The properties of the operations, the axes of collectives, and its plan. */
#include "collectives.h"

#include "benchmark/axes.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"
#include "summands.h"

#include <stdio.h>

/* --- properties of the operations --------------------------------------------------------------------------------- */

/* Whether the array of the operation consists of one part per device, as in an all-gather. */
static bool has_parts(enum lab_collective_operation operation)
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

size_t collectives_count(const struct lab_point *point)
{
    size_t elements = collectives_bytes(point) / COLLECTIVES_ELEMENT_BYTES;
    return has_parts(collectives_operation(point)) ? elements / (size_t)point->values[COLLECTIVES_DEVICES] : elements;
}

const char *collectives_skip_reason(const struct lab_point *point)
{
    if (collectives_operation(point) == LAB_ALL_TO_ALL && point->values[COLLECTIVES_IN_PLACE] != 0)
        return "an all-to-all cannot be done in place: arriving data would overwrite data that is still to be sent";
    return NULL;
}

/* --- the axes ----------------------------------------------------------------------------------------------------- */

/* Rounds a size down to whole elements or parts. */
static int64_t round_size(const struct lab_point *point, int64_t bytes)
{
    int64_t unit = has_parts(collectives_operation(point))
                       ? COLLECTIVES_PART_UNIT_BYTES * point->values[COLLECTIVES_DEVICES]
                       : COLLECTIVES_ELEMENT_BYTES;
    return bytes / unit * unit;
}

const struct lab_axis collectives_axes[] = {
    [COLLECTIVES_DEVICES] = {LAB_DEVICE_COUNT_AXIS},
    [COLLECTIVES_OPERATION] = {.name = "operation"},
    [COLLECTIVES_IN_PLACE] = {.name = "in_place"},
    [COLLECTIVES_BYTES] =
        {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES, .round = round_size},
    {0},
};

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static const double communicator_s = 2; /* rough time to create a communicator */

/* Assumes 20 us per call, links of 20 GB/s, a CPU that makes summands at 3 GB/s, and 200 GB/s for poisoning and
 * checking. Each device has a send and a receive buffer. */
static void collectives_add_point(const struct lab_points_request *request, const struct lab_point *point,
                                  struct lab_estimate *estimate)
{
    enum lab_collective_operation operation = collectives_operation(point);
    uint64_t devices = (uint64_t)point->values[COLLECTIVES_DEVICES];
    bool reduces = collectives_reduces(operation);
    double bytes = (double)collectives_bytes(point);
    double call_s = 20e-6 + bytes * collectives_bus_factor(operation, devices) / 20e9;
    double setup_s = 4 * bytes / 200e9 + (reduces ? (double)devices * bytes / 3e9 : 0);
    if (collectives_skip_reason(point) == NULL)
        lab_estimate_add_point(estimate, request->parameters, call_s, setup_s, false);
    lab_estimate_raise_memory(estimate, 2 * (uint64_t)lab_parameter_integer(request->parameters, "max_bytes"),
                              reduces ? devices * COLLECTIVES_STAGING_BYTES : 0);
}

/* 0 and the number of all devices are the same value. */
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
        good = lab_device_count_check(count, run_devices, pointer, errors) && good;
        if (all && count == (int64_t)run_devices)
            good = lab_errors_add(errors, LAB_ERROR_NOT_DISTINCT, pointer,
                                  "device_count contains both 0 (all) and %zu, which is the same; remove one",
                                  run_devices);
    }
    return good;
}

bool collectives_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                      size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {given, devices, device_count};
    bool sizes = lab_points_check_sizes(given, "bytes", errors);
    *estimate = (struct lab_estimate){0};
    if (!check_device_counts(given, device_count, errors) || !sizes ||
        !lab_estimate_points(&request, collectives_add_point, estimate, errors))
        return false;
    estimate->seconds += communicator_s * (double)lab_parameter_values(given, "device_count")->count;
    return lab_estimate_check_memory(estimate, devices, device_count, "send and receive buffer of max_bytes",
                                     "/parameters/max_bytes", errors);
}
