/* The points of an overlap request, and its plan. */
#include "overlap.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- the points --------------------------------------------------------------------------------------------------- */

size_t overlap_inputs(enum overlap_kernel kernel)
{
    return kernel == OVERLAP_AVERAGE ? 2 : 1;
}

size_t overlap_device_arrays(enum overlap_kernel kernel)
{
    return kernel == OVERLAP_AVERAGE ? 3 : 1;
}

size_t overlap_whole_bytes(enum overlap_kernel kernel, size_t bytes)
{
    size_t unit = kernel == OVERLAP_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
    return bytes / unit * unit;
}

typedef bool visit_function(void *context, const struct overlap_point *point);

/* Visits the point for each value of `replay`. */
static bool each_replay(const struct lab_parameters *given, struct overlap_point point, visit_function *visit,
                        void *context)
{
    const struct lab_values *replays = lab_parameter_values(given, "replay");
    for (size_t r = 0; r < replays->count; r++) {
        point.graph = replays->items[r].integer != 0;
        if (!visit(context, &point))
            return false;
    }
    return true;
}

static bool each_stream_count(const struct lab_parameters *given, struct overlap_point point, visit_function *visit,
                              void *context)
{
    const struct lab_values *streams = lab_parameter_values(given, "streams");
    point.streams = 1;
    if (point.variant == OVERLAP_ONE_STREAM || point.variant == OVERLAP_DEFAULT_STREAM)
        return each_replay(given, point, visit, context);
    for (size_t s = 0; s < streams->count; s++) {
        point.streams = (size_t)streams->items[s].integer;
        if (!each_replay(given, point, visit, context))
            return false;
    }
    return true;
}

/* Visits the points of one workload: sequential first, then by number of chunks. */
static bool each_variant(const struct lab_parameters *given, const struct overlap_workload *workload,
                         visit_function *visit, void *context)
{
    const struct lab_values *chunks = lab_parameter_values(given, "chunks");
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    struct overlap_point point = {.workload = *workload, .variant = OVERLAP_SEQUENTIAL, .chunks = 1, .streams = 1};
    if (!visit(context, &point))
        return false;
    for (size_t c = 0; c < chunks->count; c++)
        for (size_t v = 0; v < variants->count; v++) {
            point.chunks = (size_t)chunks->items[c].integer;
            point.variant = (enum overlap_variant)variants->items[v].integer;
            if (point.variant != OVERLAP_SEQUENTIAL && !each_stream_count(given, point, visit, context))
                return false;
        }
    return true;
}

bool overlap_each_point(const struct lab_parameters *given, visit_function *visit, void *context)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    const struct lab_values *memories = lab_parameter_values(given, "memory");
    const struct lab_values *kernels = lab_parameter_values(given, "kernel");
    for (size_t s = 0; s < sizes->count; s++)
        for (size_t m = 0; m < memories->count; m++)
            for (size_t k = 0; k < kernels->count; k++) {
                enum overlap_kernel kernel = (enum overlap_kernel)kernels->items[k].integer;
                struct overlap_workload workload = {
                    .bytes = overlap_whole_bytes(kernel, (size_t)sizes->items[s].integer),
                    .memory = memories->items[m].integer == 0 ? LAB_MEMORY_PAGEABLE : LAB_MEMORY_PINNED,
                    .kernel = kernel,
                };
                if (!each_variant(given, &workload, visit, context))
                    return false;
            }
    return true;
}

const char *overlap_skip_reason(const struct overlap_point *point)
{
    if (point->streams > point->chunks)
        return "more streams than chunks: some streams would be empty";
    if (point->graph && point->variant == OVERLAP_DEFAULT_STREAM)
        return "the default stream cannot be captured as a graph";
    if (point->graph && point->workload.memory == LAB_MEMORY_PAGEABLE)
        return "copies of pageable memory cannot be captured as a graph";
    return NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static int64_t largest(const struct lab_parameters *given, const char *name)
{
    const struct lab_values *values = lab_parameter_values(given, name);
    int64_t result = values->items[0].integer;
    for (size_t i = 1; i < values->count; i++)
        if (values->items[i].integer > result)
            result = values->items[i].integer;
    return result;
}

static bool needs_streams(const struct lab_parameters *given)
{
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    for (size_t v = 0; v < variants->count; v++) {
        enum overlap_variant variant = (enum overlap_variant)variants->items[v].integer;
        if (variant >= OVERLAP_DEPTH_FIRST && variant <= OVERLAP_INTERLEAVED)
            return true;
    }
    return false;
}

/* Rejects stream counts that exceed the largest number of chunks of the request. */
static bool check_streams(const struct lab_parameters *given, struct lab_errors *errors)
{
    const struct lab_values *streams = lab_parameter_values(given, "streams");
    int64_t chunks = largest(given, "chunks");
    bool good = true;
    for (size_t s = 0; needs_streams(given) && s < streams->count; s++) {
        char pointer[48];
        if (streams->items[s].integer <= chunks)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/streams/%zu", s);
        good = lab_errors_add(errors, "streams-above-chunks", pointer,
                              "streams (%" PRId64 ") must not exceed the largest value of chunks (%" PRId64 ")",
                              streams->items[s].integer, chunks);
    }
    return good;
}

/* Rejects sizes that cannot be cut into the largest number of chunks. */
static bool check_chunks(const struct lab_parameters *given, struct lab_errors *errors)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    int64_t chunks = largest(given, "chunks");
    bool good = true;
    for (size_t s = 0; s < sizes->count; s++) {
        int64_t elements = sizes->items[s].integer / 4;
        char pointer[48];
        if (chunks * LAB_AVERAGE_WINDOW <= elements || chunks == 1)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/bytes/%zu", s);
        good = lab_errors_add(errors, "out-of-bounds", pointer,
                              "%" PRId64 " bytes cannot be cut into %" PRId64 " chunks of at least %d bytes",
                              sizes->items[s].integer, chunks, 4 * LAB_AVERAGE_WINDOW);
    }
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Adds a rough estimate of the point's time: the minimum number of samples plus 14 repetitions for warm-up,
 * verification and phases, each of which moves three arrays at 10 GB/s. */
static bool count_point(void *context, const struct overlap_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    uint64_t inputs = overlap_inputs(point->workload.kernel);
    uint64_t device_bytes = overlap_device_arrays(point->workload.kernel) * (uint64_t)point->workload.bytes;
    uint64_t host_bytes = (inputs + 1) * (uint64_t)point->workload.bytes;
    estimate->points++;
    estimate->seconds += (samples + 14) * 3 * (double)point->workload.bytes / 10e9;
    estimate->device_bytes = device_bytes > estimate->device_bytes ? device_bytes : estimate->device_bytes;
    estimate->host_bytes = host_bytes > estimate->host_bytes ? host_bytes : estimate->host_bytes;
    return estimate->points <= LAB_POINTS_MAX;
}

bool overlap_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    bool streams_good = check_streams(given, errors);
    if (!check_chunks(given, errors) || !streams_good)
        return false;
    struct plan_totals totals = {given, estimate};
    if (!overlap_each_point(given, count_point, &totals))
        return lab_estimate_add_too_many_points(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_check_memory(estimate, devices, device_count, "the arrays of the largest size",
                                     "/parameters/bytes", errors);
}
