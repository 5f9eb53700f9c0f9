/* The values of transfer's axes, and its plan. */
#include "transfer.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

#include <inttypes.h>
#include <math.h>

static bool has_value(const struct lab_parameters *given, const char *name, int64_t wanted)
{
    const struct lab_values *values = lab_parameter_values(given, name);
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].integer == wanted)
            return true;
    return false;
}

bool transfer_uses_link(const struct lab_point *point)
{
    return point->values[TRANSFER_MEMORY] != LAB_NO_VALUE;
}

void transfer_list_memories(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values)
{
    const struct lab_values *memories = lab_parameter_values(request->parameters, "memory");
    bool over_link =
        has_value(request->parameters, "direction", LAB_H2D) || has_value(request->parameters, "direction", LAB_D2H);
    (void)point;
    for (size_t i = 0; over_link && i < memories->count; i++)
        lab_axis_values_add(values, memories->items[i].integer);
    if (has_value(request->parameters, "direction", LAB_D2D))
        lab_axis_values_add(values, LAB_NO_VALUE);
}

/* Each direction by itself, or while the other one is busy; then both measured together. */
void transfer_list_directions(const struct lab_points_request *request, const struct lab_point *point,
                              struct lab_axis_values *values)
{
    const struct lab_values *directions = lab_parameter_values(request->parameters, "direction");
    for (size_t i = 0; i < directions->count; i++)
        if ((directions->items[i].integer != LAB_D2D) == transfer_uses_link(point))
            lab_axis_values_add(values, directions->items[i].integer);
    if (point->values[TRANSFER_OPPOSING] == 1)
        lab_axis_values_add(values, LAB_NO_VALUE);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool has_rows(const struct lab_parameters *given)
{
    return has_value(given, "pattern", TRANSFER_PITCHED) || has_value(given, "pattern", TRANSFER_ROWS);
}

size_t transfer_buffer_bytes(const struct lab_parameters *given, size_t bytes)
{
    if (!has_rows(given))
        return bytes;
    size_t row = (size_t)lab_parameter_integer(given, "row_bytes");
    size_t pitched;
    if (__builtin_mul_overflow(bytes / row + 1, (size_t)lab_parameter_integer(given, "pitch_bytes"), &pitched))
        return SIZE_MAX / 4; /* larger than any memory, and twice it does not overflow */
    return pitched > bytes ? pitched : bytes;
}

/* A rough estimate of a point's time: the minimum number of samples plus 4 repetitions, over a link of 5 GB/s, with 3 us
 * per call. */
static double seconds_of(const struct lab_parameters *given, const struct lab_point *point)
{
    double bytes = (double)point->values[TRANSFER_BYTES], calls = 1;
    if (point->values[TRANSFER_PATTERN] == TRANSFER_PIECES)
        calls += bytes / (double)lab_parameter_integer(given, "piece_bytes");
    if (point->values[TRANSFER_PATTERN] == TRANSFER_ROWS)
        calls += bytes / (double)lab_parameter_integer(given, "row_bytes");
    return ((double)lab_parameter_integer(given, "min_samples") + 4) * (3e-6 * calls + bytes / 5e9);
}

static bool check_rows(const struct lab_parameters *given, struct lab_errors *errors)
{
    int64_t row = lab_parameter_integer(given, "row_bytes"), pitch = lab_parameter_integer(given, "pitch_bytes");
    if (pitch >= row || !has_rows(given))
        return true;
    return lab_errors_add(errors, "out-of-bounds", "/parameters/pitch_bytes",
                          "pitch_bytes (%" PRId64 ") must be at least row_bytes (%" PRId64 ")", pitch, row);
}

bool transfer_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                   size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    *estimate = (struct lab_estimate){0};
    bool sizes = lab_points_check_sizes(given, "bytes", errors);
    if (!check_rows(given, errors) || !sizes || !lab_points_create(&points, given, devices, device_count, errors))
        return false;
    estimate->points = points.count;
    for (size_t i = 0; i < points.count; i++)
        estimate->seconds += seconds_of(given, &points.items[i]);
    lab_points_free(&points);
    /* A source and a destination buffer on the host, and as many on the device. */
    estimate->device_bytes =
        2 * (uint64_t)transfer_buffer_bytes(given, (size_t)lab_parameter_integer(given, "max_bytes"));
    estimate->host_bytes = estimate->device_bytes;
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_check_memory(estimate, devices, device_count, "source and destination of max_bytes",
                                     "/parameters/max_bytes", errors);
}
