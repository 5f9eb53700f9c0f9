/* Which points a request for peer-transpose has, and what they take. */
#include "peer_transpose.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pieces that each device sends where the request leaves it open: enough that most of the transposing hides. */
enum { PIECES_WANTED = 4 };

typedef bool visit_function(void *context, const struct transpose_point *point);

/* --- the points --------------------------------------------------------------------------------------------------- */

size_t transpose_devices(const struct lab_parameters *given, size_t devices)
{
    size_t asked = (size_t)lab_parameter_integer(given, "device_count");
    return asked > 0 ? asked : devices;
}

static size_t chunks_of(int64_t asked, size_t devices)
{
    return asked > 0 ? (size_t)asked : (PIECES_WANTED + devices - 2) / (devices - 1);
}

static struct transpose_shape shape_of(int64_t n, int64_t chunks, size_t devices)
{
    struct transpose_shape shape = {.devices = devices, .chunks = chunks_of(chunks, devices)};
    shape.chunk_rows = (size_t)n / (devices * shape.chunks);
    shape.width = shape.chunk_rows * shape.chunks;
    shape.n = shape.width * devices;
    return shape;
}

/* All that is measured of one shape. */
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

/* Sizes that are rounded to the same shape, and the same chunks said in two ways, are one. */
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
    size_t taking_part = transpose_devices(given, devices);
    for (size_t s = 0; s < sizes->count; s++)
        for (size_t c = 0; c < chunks->count; c++) {
            struct transpose_point point = {
                .shape = shape_of(sizes->items[s].integer, chunks->items[c].integer, taking_part)};
            if (!seen_before(given, taking_part, s, c, &point.shape) && !each_variant(given, point, visit, context))
                return false;
        }
    return true;
}

/* --- what they take ----------------------------------------------------------------------------------------------- */

static bool check_devices(const struct lab_parameters *given, size_t devices, struct lab_errors *errors)
{
    size_t asked = transpose_devices(given, devices);
    if (asked >= 2 && asked <= devices)
        return true;
    return lab_errors_add(errors, "out-of-bounds", "/parameters/device_count",
                          "device_count (%zu) must be 0 or from 2 to the number of devices of the run (%zu)", asked,
                          devices);
}

/* Every piece has at least one row. */
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
                              "%" PRId64
                              " rows cannot be divided among %zu devices in %zu chunks each: n must be at "
                              "least %zu",
                              sizes->items[s].integer, devices, most, devices * most);
    }
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Rough: what the smallest number of samples takes at 20 GB/s, and 20 ms to make ready, fill and check. */
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
        return lab_estimate_too_many(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_fits(estimate, devices, transpose_devices(given, device_count),
                             "a part of the matrix, of its transpose, and the blocks to send", "/parameters/n", errors);
}
