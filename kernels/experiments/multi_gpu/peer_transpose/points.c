/* The axes of peer-transpose, and its plan. */
#include "peer_transpose.h"

#include "benchmark/axes.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* CHUNKS_SENT_MIN: chunks that each device sends, at least, if the parameter `chunks` is 0: enough to overlap most
 * of the transposes. BLOCK_WIDTH: if `n` is 0 on GPUs, the width of the block of each device: a chunk then has at
 * least 64 MiB, and starting its copy takes little of its time. CPU_N: the width of the matrix if `n` is 0 on a CPU,
 * so that the run keeps its time budget. */
enum { CHUNKS_SENT_MIN = 4, BLOCK_WIDTH = 8192, CPU_N = 8192 };

/* --- the axes ----------------------------------------------------------------------------------------------------- */

size_t transpose_devices(const struct lab_parameters *given, size_t devices)
{
    return lab_device_count(lab_parameter_integer(given, "device_count"), devices);
}

static size_t chunks_of(int64_t asked, size_t devices)
{
    return asked > 0 ? (size_t)asked : (CHUNKS_SENT_MIN + devices - 2) / (devices - 1);
}

static int64_t choose_chunks(const struct lab_point *point, int64_t asked)
{
    return (int64_t)chunks_of(asked, (size_t)point->values[TRANSPOSE_DEVICES]);
}

static void list_sizes(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    const struct lab_values *asked = lab_parameter_values(request->parameters, "n");
    int64_t automatic = lab_facts_is_cpu(request->devices[0]) ? CPU_N : BLOCK_WIDTH * point->values[TRANSPOSE_DEVICES];
    for (size_t i = 0; i < asked->count; i++)
        lab_axis_values_add(values, asked->items[i].integer > 0 ? asked->items[i].integer : automatic);
}

/* Rounds down to whole rows of chunks. */
static int64_t round_n(const struct lab_point *point, int64_t n)
{
    int64_t unit = point->values[TRANSPOSE_DEVICES] * point->values[TRANSPOSE_CHUNKS];
    return n / unit * unit;
}

/* The local transposes, which have no value, come first, because they prepare the blocks that all-to-all sends. */
static void list_peer_access(const struct lab_points_request *request, const struct lab_point *point,
                             struct lab_axis_values *values)
{
    (void)point;
    lab_axis_values_add(values, LAB_NO_VALUE);
    lab_axis_values_add_parameter(values, request, "peer_access");
}

static bool has_copies(const struct lab_point *point)
{
    return point->values[TRANSPOSE_ACCESS] != LAB_NO_VALUE;
}

/* The kernels of the variant direct write, and need peer access. */
static void peer_transpose_list_variants(const struct lab_points_request *request, const struct lab_point *point,
                                         struct lab_axis_values *values)
{
    const struct lab_values *asked = lab_parameter_values(request->parameters, "variant");
    bool direct = point->values[TRANSPOSE_ACCESS] != 0 && point->values[TRANSPOSE_OPERATION] == TRANSPOSE_WRITE;
    lab_axis_values_add(values, TRANSPOSE_ALL_TO_ALL);
    for (size_t i = 0; i < asked->count; i++)
        if (direct || asked->items[i].integer != TRANSPOSE_DIRECT)
            lab_axis_values_add(values, asked->items[i].integer);
}

static const char *const variant_names[] = {"sequential", "overlapped", "direct", "all-to-all", NULL};

const struct lab_axis peer_transpose_axes[] = {
    [TRANSPOSE_DEVICES] = {LAB_DEVICE_COUNT_AXIS},
    [TRANSPOSE_CHUNKS] = {.name = "chunks", .round = choose_chunks},
    [TRANSPOSE_N] = {.name = "n", .title = "Rows and columns", .list = list_sizes, .round = round_n},
    [TRANSPOSE_ACCESS] = {.name = "peer_access", .list = list_peer_access},
    [TRANSPOSE_OPERATION] = {.name = "access", .applies = has_copies},
    [TRANSPOSE_VARIANT] = {.name = "variant",
                           .choices = variant_names,
                           .applies = has_copies,
                           .list = peer_transpose_list_variants},
    {0},
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

struct transpose_shape transpose_shape_of(const struct lab_point *point)
{
    struct transpose_shape shape = {.devices = (size_t)point->values[TRANSPOSE_DEVICES],
                                    .n = (size_t)point->values[TRANSPOSE_N],
                                    .chunks = (size_t)point->values[TRANSPOSE_CHUNKS]};
    shape.width = shape.n / shape.devices;
    shape.chunk_rows = shape.width / shape.chunks;
    return shape;
}

enum transpose_variant transpose_variant_of(const struct lab_point *point)
{
    return has_copies(point) ? (enum transpose_variant)point->values[TRANSPOSE_VARIANT] : TRANSPOSE_LOCAL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

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
        if (sizes->items[s].integer == 0 || (size_t)sizes->items[s].integer >= devices * most)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/n/%zu", s);
        good = lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, pointer,
                              "n (%" PRId64 ") must be at least %zu: %zu devices times %zu chunks",
                              sizes->items[s].integer, devices * most, devices, most);
    }
    return good;
}

/* Assumes 20 us and a bandwidth of all copies together of 20 GB/s, on the CPU 5 GB/s, and for transposing, poisoning
 * and checking 200 GB/s, on the CPU 1 GB/s. */
static void peer_transpose_add_point(const struct lab_points_request *request, const struct lab_point *point,
                                     struct lab_estimate *estimate)
{
    bool cpu = lab_facts_is_cpu(request->devices[0]);
    struct transpose_shape shape = transpose_shape_of(point);
    enum transpose_variant variant = transpose_variant_of(point);
    double matrix_s = 4.0 * (double)shape.n * (double)shape.n / (cpu ? 1e9 : 200e9);
    double copies_s = 20e-6 + transpose_crossing_bytes(&shape) / (cpu ? 5e9 : 20e9);
    double repetition_s =
        (variant != TRANSPOSE_LOCAL ? copies_s : 0) + (variant != TRANSPOSE_ALL_TO_ALL ? matrix_s : 0);
    lab_estimate_add_point(estimate, request->parameters, repetition_s, 4 * matrix_s, false);
    lab_estimate_raise_memory(
        estimate, 2 * transpose_part_bytes(&shape) + (shape.devices - 1) * transpose_block_bytes(&shape), 0);
}

bool peer_transpose_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                         size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {given, devices, device_count};
    size_t used = transpose_devices(given, device_count);
    *estimate = (struct lab_estimate){0};
    return lab_device_count_check(lab_parameter_integer(given, "device_count"), device_count,
                                  "/parameters/device_count", errors) &&
           check_sizes(given, used, errors) &&
           lab_estimate_points(&request, peer_transpose_add_point, estimate, errors) &&
           lab_estimate_check_memory(estimate, devices, used,
                                     "a device's part of the matrix and of the transpose, and the blocks to send",
                                     "/parameters/n", errors);
}
