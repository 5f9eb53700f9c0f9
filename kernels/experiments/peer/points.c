/* The points of a peer request, and its plan. */
#include "peer.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <math.h>

typedef bool visit_function(void *context, const struct peer_point *point);

/* --- the points --------------------------------------------------------------------------------------------------- */

static bool each_source(size_t devices, struct peer_point point, visit_function *visit, void *context)
{
    for (point.source = 0; point.source < devices; point.source++)
        if (!visit(context, &point))
            return false;
    return true;
}

static bool each_target(size_t devices, struct peer_point point, visit_function *visit, void *context)
{
    for (point.target = 0; point.target < devices; point.target++)
        if (!visit(context, &point))
            return false;
    return true;
}

/* Visits every ordered pair; for both-ways, which is symmetric, every unordered pair. */
static bool each_pair(size_t devices, struct peer_point point, visit_function *visit, void *context)
{
    for (point.source = 0; point.source < devices; point.source++) {
        point.target = point.pattern == PEER_BOTH_WAYS ? point.source + 1 : 0;
        for (; point.target < devices; point.target++)
            if (point.target != point.source && !visit(context, &point))
                return false;
    }
    return true;
}

/* Visits all sources and targets of the pattern. */
static bool each_device(size_t devices, struct peer_point point, visit_function *visit, void *context)
{
    point.source = PEER_ALL;
    point.target = PEER_ALL;
    switch (point.pattern) {
    case PEER_PAIR:
    case PEER_BOTH_WAYS:
        return each_pair(devices, point, visit, context);
    case PEER_ONE_TO_ALL:
        return each_source(devices, point, visit, context);
    case PEER_ALL_TO_ONE:
        return each_target(devices, point, visit, context);
    case PEER_HOST_UP:
        return visit(context, &point) && each_target(devices, point, visit, context);
    case PEER_HOST_DOWN:
        return visit(context, &point) && each_source(devices, point, visit, context);
    case PEER_ALL_TO_ALL:
        break;
    }
    return visit(context, &point);
}

/* Visits all patterns and sizes for one combination of engine, operation and peer access: `host` selects the patterns
 * with the host or those between devices. */
static bool each_pattern(const struct lab_parameters *given, size_t devices, struct peer_point point, bool host,
                         visit_function *visit, void *context)
{
    const struct lab_values *patterns = lab_parameter_values(given, "pattern");
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    for (size_t p = 0; p < patterns->count; p++) {
        point.pattern = (enum peer_pattern)patterns->items[p].integer;
        if (peer_with_host(&point) != host)
            continue;
        point.latency = false;
        for (size_t s = 0; s < sizes->count; s++) {
            point.bytes = (size_t)sizes->items[s].integer;
            if (!each_device(devices, point, visit, context))
                return false;
        }
        point.latency = true;
        point.bytes = (size_t)lab_parameter_integer(given, "latency_bytes");
        if (point.pattern == PEER_PAIR && !each_device(devices, point, visit, context))
            return false;
    }
    return true;
}

/* Visits the points between devices for all engines and operations, with or without peer access. */
static bool each_operation(const struct lab_parameters *given, size_t devices, bool peer_access, visit_function *visit,
                           void *context)
{
    const struct lab_values *engines = lab_parameter_values(given, "engine");
    const struct lab_values *operations = lab_parameter_values(given, "access");
    for (size_t e = 0; e < engines->count; e++)
        for (size_t s = 0; s < operations->count; s++) {
            struct peer_point point = {.engine = (enum peer_engine)engines->items[e].integer,
                                       .operation = (enum peer_operation)operations->items[s].integer,
                                       .peer_access = peer_access};
            if (!each_pattern(given, devices, point, false, visit, context))
                return false;
        }
    return true;
}

bool peer_each_point(const struct lab_parameters *given, size_t devices, visit_function *visit, void *context)
{
    const struct lab_values *engines = lab_parameter_values(given, "engine");
    const struct lab_values *accesses = lab_parameter_values(given, "peer_access");
    for (size_t a = 0; a < accesses->count; a++)
        if (!each_operation(given, devices, accesses->items[a].integer != 0, visit, context))
            return false;
    for (size_t e = 0; e < engines->count; e++) {
        struct peer_point point = {.engine = (enum peer_engine)engines->items[e].integer};
        if (!each_pattern(given, devices, point, true, visit, context))
            return false;
    }
    return true;
}

const char *peer_skip_reason(const struct peer_point *point)
{
    if (point->engine == PEER_SM && !point->peer_access && !peer_with_host(point))
        return "a kernel can access another device's memory only with peer access";
    return NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool has_pattern(const struct lab_parameters *given, enum peer_pattern first, enum peer_pattern last)
{
    const struct lab_values *patterns = lab_parameter_values(given, "pattern");
    for (size_t p = 0; p < patterns->count; p++)
        if (patterns->items[p].integer >= (int64_t)first && patterns->items[p].integer <= (int64_t)last)
            return true;
    return false;
}

size_t peer_buffer_bytes(const struct lab_parameters *given)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    int64_t extent = lab_parameter_integer(given, "latency_bytes");
    for (size_t s = 0; s < sizes->count; s++)
        if (sizes->items[s].integer > extent)
            extent = sizes->items[s].integer;
    return (size_t)extent;
}

size_t peer_destination_count(const struct lab_parameters *given, size_t devices)
{
    return has_pattern(given, PEER_ALL_TO_ONE, PEER_ALL_TO_ALL) ? devices - 1 : 1;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Adds a rough estimate of the point's time: the minimum number of samples plus 4 repetitions at 20 GB/s, and 10 ms to
 * set up, fill and check. */
static bool count_point(void *context, const struct peer_point *point)
{
    struct plan_totals *totals = context;
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    totals->estimate->points++;
    if (peer_skip_reason(point) == NULL)
        totals->estimate->seconds += (samples + 4) * fmax(100e-6, (double)point->bytes / 20e9) + 0.01;
    return totals->estimate->points <= LAB_POINTS_MAX;
}

bool peer_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
               struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    struct plan_totals totals = {given, estimate};
    if (!peer_each_point(given, device_count, count_point, &totals))
        return lab_estimate_add_too_many_points(errors);
    uint64_t extent = peer_buffer_bytes(given);
    estimate->device_bytes = (1 + peer_destination_count(given, device_count)) * extent;
    estimate->host_bytes = has_pattern(given, PEER_HOST_UP, PEER_HOST_DOWN) ? device_count * extent : 0;
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_check_memory(estimate, devices, device_count, "a source buffer and the destination buffers",
                                     "/parameters/bytes", errors);
}
