/* The axes of overlap with the points of a request, and its plan. */
#include "overlap.h"

#include "benchmark/series.h"
#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WINDOW_BYTES = 4 * LAB_AVERAGE_WINDOW };

size_t overlap_inputs(enum overlap_kernel kernel)
{
    return kernel == OVERLAP_AVERAGE ? 2 : 1;
}

size_t overlap_device_arrays(enum overlap_kernel kernel)
{
    return kernel == OVERLAP_AVERAGE ? 3 : 1;
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
    int64_t unit = point->values[OVERLAP_AXIS_KERNEL] == OVERLAP_AVERAGE ? WINDOW_BYTES : 4;
    return bytes / unit * unit;
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

static bool has_value(const struct lab_values *values, int64_t value)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].integer == value)
            return true;
    return false;
}

static void list_variants(const struct lab_points_request *request, const struct lab_point *point,
                          struct lab_axis_values *values)
{
    const struct lab_values *variants = lab_parameter_values(request->parameters, "variant");
    bool one_chunk = point->values[OVERLAP_AXIS_CHUNKS] == 1;
    if (one_chunk)
        lab_axis_values_add(values, OVERLAP_SEQUENTIAL);
    if (one_chunk && !has_value(lab_parameter_values(request->parameters, "chunks"), 1))
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
    [OVERLAP_AXIS_KERNEL] = {.name = "kernel", .title = "Kernel"},
    [OVERLAP_AXIS_BYTES] = {.name = "bytes", .title = "Array size", .unit = "B", .round = round_bytes},
    [OVERLAP_AXIS_MEMORY] = {.name = "memory", .title = "Host memory"},
    [OVERLAP_AXIS_WEIGHT] = {.name = "weight", .title = "Kernel weight", .source = LAB_AXIS_RUN},
    [OVERLAP_AXIS_CHUNKS] = {.name = "chunks", .title = "Chunks", .list = list_chunks, .round = round_chunks},
    [OVERLAP_AXIS_VARIANT] = {.name = "variant", .title = "Variant", .list = list_variants},
    [OVERLAP_AXIS_STREAMS] = {.name = "streams", .title = "Streams", .list = list_streams},
    [OVERLAP_AXIS_REPLAY] = {.name = "replay", .title = "Issued as", .list = list_replays},
    [OVERLAP_AXIS_COPY_ENGINES] = {.name = "copy_engines", .title = "Copy engines assumed", .source = LAB_AXIS_RUN},
    [OVERLAP_AXIS_PHASE] = {.name = "phase", .title = "Phase", .source = LAB_AXIS_RUN, .choices = phases},
    [OVERLAP_AXIS_OPPOSING] = {.name = "opposing",
                               .title = "Other direction busy",
                               .source = LAB_AXIS_RUN,
                               .flag = true},
    {.name = NULL},
};

bool overlap_has_phases(const struct lab_point *point)
{
    return point->values[OVERLAP_AXIS_MEMORY] == OVERLAP_PINNED &&
           point->values[OVERLAP_AXIS_VARIANT] != OVERLAP_SEQUENTIAL;
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
                              sizes->items[s].integer, chunks, WINDOW_BYTES);
    }
    return good;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static const double copy_rate = 10e9; /* bytes per second that are assumed for a copy in one direction */

/* Estimated seconds of the kernel: 40 operations for a sine and a cosine, or 25 ns on a core of a CPU, whose peak is
 * unknown. A calibrated kernel takes as long as a copy, or longer where the lowest weight does. */
static double kernel_seconds(const struct lab_parameters *given, const struct lab_device_facts *device,
                             const struct lab_point *point)
{
    double bytes = (double)point->values[OVERLAP_AXIS_BYTES], copy_s = bytes / copy_rate;
    double weight = (double)lab_parameter_integer(given, "weight"), peak = device->fp32_peak_flops;
    double cores = device->multiprocessors > 0 ? (double)device->multiprocessors : 1;
    double unit_s = isfinite(peak) && peak > 0 ? 40 / peak : 25e-9 / cores;
    if (point->values[OVERLAP_AXIS_KERNEL] != OVERLAP_WAVES)
        return copy_s;
    return weight > 0 ? bytes / 4 * weight * unit_s : fmax(copy_s, bytes / 4 * unit_s);
}

/* Adds the time of a point: with its baseline, unless it is that; the passes that fill, poison and check the arrays, at
 * half the rate of a copy; the jobs whose CPU time is taken, and the two that are traced. */
static void add_seconds(const struct lab_parameters *given, const struct lab_device_facts *device,
                        const struct lab_point *point, struct lab_estimate *estimate)
{
    double arrays = (double)overlap_inputs((enum overlap_kernel)point->values[OVERLAP_AXIS_KERNEL]) + 1;
    double pass_s = arrays * (double)point->values[OVERLAP_AXIS_BYTES] / copy_rate;
    double job_s = pass_s + kernel_seconds(given, device, point);
    double repetition_s = point->values[OVERLAP_AXIS_VARIANT] == OVERLAP_SEQUENTIAL ? job_s : 2 * job_s;
    lab_estimate_add_point(estimate, given, repetition_s, 4 * 2 * pass_s + lab_series_seconds(job_s) + 2 * job_s,
                           false);
}

static void add_memory(const struct lab_point *point, struct lab_estimate *estimate)
{
    enum overlap_kernel kernel = (enum overlap_kernel)point->values[OVERLAP_AXIS_KERNEL];
    uint64_t bytes = (uint64_t)point->values[OVERLAP_AXIS_BYTES];
    estimate->device_bytes = larger(estimate->device_bytes, overlap_device_arrays(kernel) * bytes);
    estimate->host_bytes = larger(estimate->host_bytes, (overlap_inputs(kernel) + 1) * bytes);
}

/* Adds the times of the phases of a point's chunks, if `previous` has another number of chunks. */
static void add_phases(const struct lab_parameters *given, const struct lab_point *point,
                       const struct lab_point *previous, struct lab_estimate *estimate)
{
    bool measured =
        overlap_has_phases(previous) && point->values[OVERLAP_AXIS_CHUNKS] == previous->values[OVERLAP_AXIS_CHUNKS];
    double chunk_s = (double)point->values[OVERLAP_AXIS_BYTES] / (double)point->values[OVERLAP_AXIS_CHUNKS] / copy_rate;
    for (int i = 0; overlap_has_phases(point) && !measured && i < OVERLAP_PHASE_POINTS; i++)
        lab_estimate_add_point(estimate, given, chunk_s, 0, false);
}

bool overlap_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct lab_points points;
    *estimate = (struct lab_estimate){0};
    bool streams_good = check_streams(given, errors);
    if (!check_chunks(given, errors) || !streams_good ||
        !lab_points_create(&points, given, devices, device_count, errors))
        return false;
    for (size_t i = 0; i < points.count; i++) {
        add_memory(&points.items[i], estimate);
        add_seconds(given, devices[0], &points.items[i], estimate);
        if (i > 0)
            add_phases(given, &points.items[i], &points.items[i - 1], estimate);
    }
    estimate->points = points.count;
    lab_points_free(&points);
    lab_estimate_finish(estimate, given);
    return lab_estimate_check_memory(estimate, devices, device_count, "the arrays of the largest size",
                                     "/parameters/bytes", errors);
}
