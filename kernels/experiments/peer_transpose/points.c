/* The points of a peer-transpose request, and its plan. */
#include "peer_transpose.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Minimum number of chunks that each device sends if `chunks` is 0: enough to overlap most of the transposes. */
enum { CHUNKS_SENT_MIN = 4 };

typedef bool visit_function(void *context, const struct transpose_point *point);

/* --- the points --------------------------------------------------------------------------------------------------- */

size_t transpose_devices(const struct lab_parameters *given, size_t devices)
{
    size_t asked = (size_t)lab_parameter_integer(given, "device_count");
    return asked > 0 ? asked : devices;
}

static size_t chunks_of(int64_t asked, size_t devices)
{
    return asked > 0 ? (size_t)asked : (CHUNKS_SENT_MIN + devices - 2) / (devices - 1);
}

static struct transpose_shape shape_of(int64_t n, int64_t chunks, size_t devices)
{
    struct transpose_shape shape = {.devices = devices, .chunks = chunks_of(chunks, devices)};
    shape.chunk_rows = (size_t)n / (devices * shape.chunks);
    shape.width = shape.chunk_rows * shape.chunks;
    shape.n = shape.width * devices;
    return shape;
}

/* Visits all points of one shape. */
static bool each_variant(const struct lab_parameters *given, struct transpose_point point, visit_function *visit,
                         void *context)
{
    const struct lab_values *accesses = lab_parameter_values(given, "peer_access");
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    point.variant = TRANSPOSE_LOCAL;
    if (!visit(context, &point))
        return false;
    for (size_t a = 0; a < accesses->count; a++) {
        point.peer_access = accesses->items[a].integer != 0;
        point.variant = TRANSPOSE_ALL_TO_ALL;
        if (!visit(context, &point))
            return false;
        for (size_t v = 0; v < variants->count; v++) {
            point.variant = (enum transpose_variant)variants->items[v].integer;
            if (!visit(context, &point))
                return false;
        }
    }
    return true;
}

/* Whether an earlier combination of size and chunks of the request gives the same shape. */
static bool seen_before(const struct lab_parameters *given, size_t devices, size_t size, size_t chunk,
                        const struct transpose_shape *shape)
{
    const struct lab_values *sizes = lab_parameter_values(given, "n");
    const struct lab_values *chunks = lab_parameter_values(given, "chunks");
    for (size_t s = 0; s <= size; s++)
        for (size_t c = 0; c < (s < size ? chunks->count : chunk); c++) {
            struct transpose_shape other = shape_of(sizes->items[s].integer, chunks->items[c].integer, devices);
            if (memcmp(&other, shape, sizeof other) == 0)
                return true;
        }
    return false;
}

bool transpose_each_point(const struct lab_parameters *given, size_t devices, visit_function *visit, void *context)
{
    const struct lab_values *sizes = lab_parameter_values(given, "n");
    const struct lab_values *chunks = lab_parameter_values(given, "chunks");
    size_t participants = transpose_devices(given, devices);
    for (size_t s = 0; s < sizes->count; s++)
        for (size_t c = 0; c < chunks->count; c++) {
            struct transpose_point point = {
                .shape = shape_of(sizes->items[s].integer, chunks->items[c].integer, participants)};
            if (!seen_before(given, participants, s, c, &point.shape) && !each_variant(given, point, visit, context))
                return false;
        }
    return true;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool check_devices(const struct lab_parameters *given, size_t devices, struct lab_errors *errors)
{
    size_t asked = transpose_devices(given, devices);
    if (asked >= 2 && asked <= devices)
        return true;
    return lab_errors_add(errors, "out-of-bounds", "/parameters/device_count",
                          "device_count (%zu) must be 0 or from 2 to the number of devices of the run (%zu)", asked,
                          devices);
}

/* Every chunk must have at least one row. */
static bool check_sizes(const struct lab_parameters *given, size_t devices, struct lab_errors *errors)
{
    const struct lab_values *sizes = lab_parameter_values(given, "n");
    const struct lab_values *chunks = lab_parameter_values(given, "chunks");
    size_t most = 0;
    bool good = true;
    for (size_t c = 0; c < chunks->count; c++)
        most =
            chunks_of(chunks->items[c].integer, devices) > most ? chunks_of(chunks->items[c].integer, devices) : most;
    for (size_t s = 0; s < sizes->count; s++) {
        char pointer[48];
        if ((size_t)sizes->items[s].integer >= devices * most)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/n/%zu", s);
        good = lab_errors_add(errors, "out-of-bounds", pointer,
                              "n (%" PRId64 ") must be at least %zu: %zu devices times %zu chunks",
                              sizes->items[s].integer, devices * most, devices, most);
    }
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Adds a rough estimate of the point's time: the minimum number of samples plus 4 repetitions at 20 GB/s, and 20 ms to
 * set up, fill and check. */
static bool count_point(void *context, const struct transpose_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    const struct transpose_shape *shape = &point->shape;
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    uint64_t bytes = 2 * (uint64_t)transpose_part_bytes(shape) + (shape->devices - 1) * transpose_block_bytes(shape);
    estimate->points++;
    estimate->seconds += (samples + 4) * fmax(100e-6, transpose_crossing_bytes(shape) / 20e9) + 0.02;
    estimate->device_bytes = bytes > estimate->device_bytes ? bytes : estimate->device_bytes;
    return estimate->points <= LAB_POINTS_MAX;
}

bool transpose_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                    size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_devices(given, device_count, errors) ||
        !check_sizes(given, transpose_devices(given, device_count), errors))
        return false;
    struct plan_totals totals = {given, estimate};
    if (!transpose_each_point(given, device_count, count_point, &totals))
        return lab_estimate_add_too_many_points(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_check_memory(estimate, devices, transpose_devices(given, device_count),
                                     "a device's part of the matrix and of the transpose, and the blocks to send",
                                     "/parameters/n", errors);
}
