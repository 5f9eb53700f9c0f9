/* The axes of overlap with the points of a request, and its plan. */
#include "overlap.h"

#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WINDOW_BYTES = 4 * LAB_AVERAGE_WINDOW };

static const struct lab_offload_kernel *kernel_of(const struct lab_point *point)
{
    static const struct lab_offload_kernel *const kernels[] = {[OVERLAP_WAVES] = &lab_offload_waves,
                                                               [OVERLAP_AVERAGE] = &lab_offload_average,
                                                               [OVERLAP_INCREMENT] = &lab_offload_increment};
    return kernels[point->values[OVERLAP_AXIS_KERNEL]];
}

struct lab_offload_shape overlap_shape(const struct lab_point *point)
{
    return (struct lab_offload_shape){.kernel = kernel_of(point),
                                      .memory = lab_offload_memory_of(point->values[OVERLAP_AXIS_MEMORY]),
                                      .bytes = (size_t)point->values[OVERLAP_AXIS_BYTES],
                                      .margin = OVERLAP_BASELINE_OFFSET};
}

static size_t divide_up(size_t dividend, size_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

size_t overlap_chunk_bytes(size_t bytes, size_t chunks)
{
    return divide_up(divide_up(bytes, WINDOW_BYTES), chunks) * WINDOW_BYTES;
}

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static int64_t round_bytes(const struct lab_point *point, int64_t bytes)
{
    return (int64_t)lab_offload_whole_units(kernel_of(point), (size_t)bytes);
}

/* One chunk for the sequential variant, which is measured first because it is the baseline of the others. */
static void list_chunks(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    (void)point;
    lab_axis_values_add(values, 1);
    lab_axis_values_add_parameter(values, request, "chunks");
}

/* The number of chunks that there really are when each consists of whole windows. */
static int64_t round_chunks(const struct lab_point *point, int64_t chunks)
{
    size_t bytes = (size_t)point->values[OVERLAP_AXIS_BYTES];
    return (int64_t)divide_up(bytes, overlap_chunk_bytes(bytes, (size_t)chunks));
}

static void overlap_list_variants(const struct lab_points_request *request, const struct lab_point *point,
                                  struct lab_axis_values *values)
{
    const struct lab_values *variants = lab_parameter_values(request->parameters, "variant");
    bool one_chunk = point->values[OVERLAP_AXIS_CHUNKS] == 1;
    if (one_chunk)
        lab_axis_values_add(values, OVERLAP_SEQUENTIAL);
    if (one_chunk && !lab_parameter_has(request->parameters, "chunks", 1))
        return;
    for (size_t v = 0; v < variants->count; v++)
        if (variants->items[v].integer != OVERLAP_SEQUENTIAL)
            lab_axis_values_add(values, variants->items[v].integer);
}

static bool has_streams(int64_t variant)
{
    return variant >= OVERLAP_DEPTH_FIRST && variant <= OVERLAP_INTERLEAVED;
}

static void list_streams(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    if (has_streams(point->values[OVERLAP_AXIS_VARIANT]))
        lab_axis_values_add_parameter(values, request, "streams");
    else
        lab_axis_values_add(values, 1);
}

static void list_replays(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    if (point->values[OVERLAP_AXIS_VARIANT] == OVERLAP_SEQUENTIAL)
        lab_axis_values_add(values, OVERLAP_STREAM);
    else
        lab_axis_values_add_parameter(values, request, "replay");
}

static const char *const phases[] = {"up", "kernel", "down", NULL}; /* in the order of enum lab_engine */

const struct lab_axis overlap_axes[] = {
    [OVERLAP_AXIS_KERNEL] = {.name = "kernel"},
    [OVERLAP_AXIS_BYTES] = {.name = "bytes", .round = round_bytes},
    [OVERLAP_AXIS_MEMORY] = {.name = "memory"},
    [OVERLAP_AXIS_WEIGHT] = {.name = "weight", .source = LAB_AXIS_RUN},
    [OVERLAP_AXIS_CHUNKS] = {.name = "chunks", .list = list_chunks, .round = round_chunks},
    [OVERLAP_AXIS_VARIANT] = {.name = "variant", .list = overlap_list_variants},
    [OVERLAP_AXIS_STREAMS] = {.name = "streams", .list = list_streams},
    [OVERLAP_AXIS_REPLAY] = {.name = "replay", .list = list_replays},
    [OVERLAP_AXIS_COPY_ENGINES] = {.name = "copy_engines", .title = "Copy engines assumed", .source = LAB_AXIS_RUN},
    [OVERLAP_AXIS_PHASE] = {.name = "phase", .title = "Phase", .source = LAB_AXIS_RUN, .choices = phases},
    [OVERLAP_AXIS_OPPOSING] = {.name = "opposing",
                               .title = "Other direction busy",
                               .source = LAB_AXIS_RUN,
                               .flag = true},
    {0},
};

bool overlap_has_phases(const struct lab_point *point)
{
    return point->values[OVERLAP_AXIS_MEMORY] == LAB_OFFLOAD_PINNED &&
           point->values[OVERLAP_AXIS_VARIANT] != OVERLAP_SEQUENTIAL;
}

/* A sequential point, which has no phases, comes between those of two workloads. */
size_t overlap_phase_points(const struct lab_points *points, size_t index)
{
    const struct lab_point *point = &points->items[index], *previous = point - 1;
    bool measured = index > 0 && overlap_has_phases(previous) &&
                    point->values[OVERLAP_AXIS_CHUNKS] == previous->values[OVERLAP_AXIS_CHUNKS];
    return overlap_has_phases(point) && !measured ? OVERLAP_PHASE_POINTS : 0;
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
    for (size_t v = 0; v < variants->count; v++)
        if (has_streams(variants->items[v].integer))
            return true;
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
        good = lab_errors_add(errors, LAB_ERROR_STREAMS_ABOVE_CHUNKS, pointer,
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
        good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                              "%" PRId64 " bytes cannot be cut into %" PRId64 " chunks of at least %d bytes",
                              sizes->items[s].integer, chunks, WINDOW_BYTES);
    }
    return good;
}

/* A calibrated kernel takes as long as a copy, or longer where the lowest weight does. */
static double kernel_seconds(const struct lab_parameters *given, const struct lab_device_facts *device,
                             const struct lab_offload_shape *shape)
{
    int64_t weight = shape->kernel == &lab_offload_waves ? lab_parameter_integer(given, "weight") : 1;
    double kernel_s =
        lab_offload_kernel_seconds(shape->kernel, shape->bytes, weight > 0 ? (uint32_t)weight : 1, device);
    return weight > 0 ? kernel_s : fmax(kernel_s, lab_offload_copy_seconds(shape->bytes));
}

/* Adds a point, with its baseline unless it is that. */
static void add_point(const struct lab_parameters *given, const struct lab_device_facts *device,
                      const struct lab_point *point, struct lab_estimate *estimate)
{
    const struct lab_offload_shape shape = overlap_shape(point);
    struct lab_workload workload;
    lab_offload_describe(&shape, &workload);
    size_t on_host = lab_workload_bytes(&workload, false);
    double job_s = lab_offload_copy_seconds(on_host) + kernel_seconds(given, device, &shape);
    double baseline_s = point->values[OVERLAP_AXIS_VARIANT] == OVERLAP_SEQUENTIAL ? 0 : job_s;
    lab_estimate_raise_memory(estimate, lab_workload_bytes(&workload, true), on_host);
    lab_offload_add_point(estimate, given, job_s, baseline_s, on_host, false);
}

/* Adds the phases that are measured before point `index`. */
static void add_phases(const struct lab_parameters *given, const struct lab_points *points, size_t index,
                       struct lab_estimate *estimate)
{
    const int64_t *values = points->items[index].values;
    size_t chunk = (size_t)(values[OVERLAP_AXIS_BYTES] / values[OVERLAP_AXIS_CHUNKS]);
    for (size_t i = 0; i < overlap_phase_points(points, index); i++)
        lab_estimate_add_point(estimate, given, lab_offload_copy_seconds(chunk), 0, false);
}

bool overlap_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    *estimate = (struct lab_estimate){0};
    bool streams_good = check_streams(given, errors);
    if (!check_chunks(given, errors) || !streams_good ||
        !lab_points_init(&points, given, devices, device_count, errors))
        return false;
    for (size_t i = 0; i < points.count; i++) {
        add_point(given, devices[0], &points.items[i], estimate);
        add_phases(given, &points, i, estimate);
    }
    estimate->points = points.count;
    lab_points_release(&points);
    lab_estimate_finish(estimate, given);
    return lab_estimate_check_memory(estimate, devices, device_count, "the arrays of the largest size",
                                     "/parameters/bytes", errors);
}
