/* The points of a transfer request, and its plan. */
#include "transfer.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>

/* --- the points --------------------------------------------------------------------------------------------------- */

/* The size that follows `bytes` in the sweep, whose last size is max_bytes; 0 if `bytes` is the last. */
static size_t next_size(const struct lab_parameters *given, size_t bytes)
{
    size_t last = (size_t)lab_parameter_integer(given, "max_bytes");
    if (bytes >= last)
        return 0;
    double next = fmax(floor((double)bytes * lab_parameter_number(given, "factor") + 0.5), (double)bytes + 1);
    return next < (double)last ? (size_t)next : last;
}

/* Visits all sizes of one series. */
static bool each_size(const struct lab_parameters *given, struct transfer_point point,
                      bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    for (size_t bytes = (size_t)lab_parameter_integer(given, "min_bytes"); bytes != 0;
         bytes = next_size(given, bytes)) {
        point.bytes = bytes;
        if (!visit(context, &point))
            return false;
    }
    return true;
}

/* Visits the directions of one kind of memory, engine and pattern: each alone, then each while the other direction is
 * busy, then both measured together. */
static bool each_direction(const struct lab_parameters *given, struct transfer_point point,
                           bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    const struct lab_values *directions = lab_parameter_values(given, "direction");
    const struct lab_values *opposing = lab_parameter_values(given, "opposing");
    for (size_t o = 0; o < opposing->count; o++) {
        bool linked = false;
        point.opposing = opposing->items[o].integer != 0;
        point.aggregate = false;
        for (size_t d = 0; d < directions->count; d++) {
            point.direction = (enum lab_direction)directions->items[d].integer;
            if (point.direction == LAB_D2D)
                continue;
            linked = true;
            if (!each_size(given, point, visit, context))
                return false;
        }
        point.aggregate = true;
        point.direction = LAB_H2D;
        if (linked && point.opposing && !each_size(given, point, visit, context))
            return false;
    }
    return true;
}

typedef bool each_variant_function(const struct lab_parameters *, struct transfer_point,
                                   bool (*)(void *, const struct transfer_point *), void *);

static bool each_engine_and_pattern(const struct lab_parameters *given, struct transfer_point point,
                                    each_variant_function *inner,
                                    bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    const struct lab_values *engines = lab_parameter_values(given, "engine");
    const struct lab_values *patterns = lab_parameter_values(given, "pattern");
    for (size_t e = 0; e < engines->count; e++)
        for (size_t p = 0; p < patterns->count; p++) {
            point.engine = (enum transfer_engine)engines->items[e].integer;
            point.pattern = (enum transfer_pattern)patterns->items[p].integer;
            if (!inner(given, point, visit, context))
                return false;
        }
    return true;
}

bool transfer_each_point(const struct lab_parameters *given,
                         bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    const struct lab_values *directions = lab_parameter_values(given, "direction");
    const struct lab_values *memories = lab_parameter_values(given, "memory");
    bool within_device = false, over_link = false;
    for (size_t d = 0; d < directions->count; d++) {
        within_device = within_device || directions->items[d].integer == LAB_D2D;
        over_link = over_link || directions->items[d].integer != LAB_D2D;
    }
    for (size_t m = 0; over_link && m < memories->count; m++) {
        struct transfer_point point = {.memory = (enum lab_memory)(LAB_MEMORY_PAGEABLE + memories->items[m].integer)};
        if (!each_engine_and_pattern(given, point, each_direction, visit, context))
            return false;
    }
    struct transfer_point point = {.direction = LAB_D2D, .memory = LAB_MEMORY_DEVICE};
    return !within_device || each_engine_and_pattern(given, point, each_size, visit, context);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool has_pattern(const struct lab_parameters *given, enum transfer_pattern wanted)
{
    const struct lab_values *patterns = lab_parameter_values(given, "pattern");
    for (size_t p = 0; p < patterns->count; p++)
        if (patterns->items[p].integer == (int64_t)wanted)
            return true;
    return false;
}

size_t transfer_buffer_bytes(const struct lab_parameters *given, size_t bytes)
{
    if (!has_pattern(given, TRANSFER_PITCHED) && !has_pattern(given, TRANSFER_ROWS))
        return bytes;
    size_t row = (size_t)lab_parameter_integer(given, "row_bytes");
    size_t pitched;
    if (__builtin_mul_overflow(bytes / row + 1, (size_t)lab_parameter_integer(given, "pitch_bytes"), &pitched))
        return SIZE_MAX / 4; /* larger than any memory, and twice it does not overflow */
    return pitched > bytes ? pitched : bytes;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Adds a rough estimate of the point's time: the minimum number of samples plus 4 repetitions, over a link of 5 GB/s,
 * with 3 us per call. */
static bool count_point(void *context, const struct transfer_point *point)
{
    struct plan_totals *totals = context;
    double calls = 1;
    if (point->pattern == TRANSFER_PIECES)
        calls += (double)point->bytes / (double)lab_parameter_integer(totals->given, "piece_bytes");
    if (point->pattern == TRANSFER_ROWS)
        calls += (double)point->bytes / (double)lab_parameter_integer(totals->given, "row_bytes");
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    totals->estimate->points++;
    totals->estimate->seconds += (samples + 4) * (3e-6 * calls + (double)point->bytes / 5e9);
    return totals->estimate->points <= LAB_POINTS_MAX;
}

static bool check_sizes(const struct lab_parameters *given, struct lab_errors *errors)
{
    int64_t low = lab_parameter_integer(given, "min_bytes");
    int64_t high = lab_parameter_integer(given, "max_bytes");
    bool good = true;
    if (low > high)
        good = lab_errors_add(errors, "min-above-max", "/parameters/min_bytes",
                              "min_bytes (%" PRId64 ") must not exceed max_bytes (%" PRId64 ")", low, high);
    int64_t row = lab_parameter_integer(given, "row_bytes");
    int64_t pitch = lab_parameter_integer(given, "pitch_bytes");
    if (pitch < row && (has_pattern(given, TRANSFER_PITCHED) || has_pattern(given, TRANSFER_ROWS)))
        good = lab_errors_add(errors, "out-of-bounds", "/parameters/pitch_bytes",
                              "pitch_bytes (%" PRId64 ") must be at least row_bytes (%" PRId64 ")", pitch, row);
    return good;
}

bool transfer_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                   size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_sizes(given, errors))
        return false;
    struct plan_totals totals = {given, estimate};
    if (!transfer_each_point(given, count_point, &totals))
        return lab_estimate_add_too_many_points(errors);
    /* A source and a destination buffer on the host, and as many on the device. */
    estimate->device_bytes =
        2 * (uint64_t)transfer_buffer_bytes(given, (size_t)lab_parameter_integer(given, "max_bytes"));
    estimate->host_bytes = estimate->device_bytes;
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_check_memory(estimate, devices, device_count, "source and destination of max_bytes",
                                     "/parameters/max_bytes", errors);
}
