/* The axes of laplace and its plan. */
#include "experiment.h"

#include "laplace.h"

#include "benchmark/axes.h"
#include "descriptor/estimate.h"

/* --- the steps ---------------------------------------------------------------------------------------------------- */

static const struct laplace_sweep by_points = {"laplace_points", WARP, BLOCK / WARP, WARP, BLOCK / WARP};
static const struct laplace_sweep by_tiles = {"laplace_tiles", TILE_WIDTH, TILE_HEIGHT, BLOCK, 1};
static const struct laplace_sweep by_rows = {"laplace_rows", BLOCK *PACK, SEGMENT, BLOCK, 1};

const struct laplace_step laplace_steps[] = {
    [LAPLACE_COPY] = {"copy", NULL, 1, 1},
    [LAPLACE_SEPARATE] = {"separate", &by_points, 3, 0},
    [LAPLACE_FUSED] = {"fused", &by_points, 2, 0},
    {"every-k", &by_points, 1, 1},
    {"tiles", &by_tiles, 1, 1},
    [LAPLACE_ROWS] = {"rows", &by_rows, 1, 1},
    [LAPLACE_GRAPH] = {"graph", &by_rows, 0, 1},
    [LAPLACE_COOPERATIVE] = {"cooperative", NULL, 0, 2},
    [LAPLACE_EXPOSED] = {"exposed", &by_rows, 12, 0},
    [LAPLACE_HIDDEN] = {"hidden", &by_rows, 12, 0},
    {0},
};

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static void list_counts(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    const struct lab_values *asked = lab_parameter_values(request->parameters, "device_count");
    (void)point;
    for (size_t count = 1; count <= request->device_count; count++) {
        bool wanted = false;
        for (size_t i = 0; i < asked->count; i++)
            wanted = wanted || asked->items[i].integer == 0 || asked->items[i].integer == (int64_t)count;
        if (wanted)
            lab_axis_values_add(values, (int64_t)count);
    }
}

static bool has_several(const struct lab_point *point)
{
    return point->values[LAPLACE_DEVICES] > 1;
}

static bool laplace_keeps_variant(const struct lab_points_request *request, const struct lab_point *point,
                                  int64_t value)
{
    (void)request;
    return (value >= LAPLACE_EXPOSED) == has_several(point);
}

/* The values are those before a repetition after an even number of iterations. */
static int64_t laplace_even(const struct lab_point *point, int64_t interval)
{
    (void)point;
    return (interval + 1) / 2 * 2;
}

const struct lab_axis laplace_axes[] = {
    [LAPLACE_DEVICES] = {.name = "device_count", .list = list_counts},
    [LAPLACE_SCALING] = {.name = "scaling", .applies = has_several},
    [LAPLACE_VARIANT] = {.name = "variant", .keeps = laplace_keeps_variant},
    [LAPLACE_N] = {.name = "n", .multiple = COLUMN_UNIT},
    [LAPLACE_INTERVAL] = {.name = "interval", .round = laplace_even},
    {0},
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

struct laplace_shape laplace_shape_of(const struct lab_point *point)
{
    enum { WAVES = 8 }; /* points of a half-wave */
    uint32_t n = (uint32_t)point->values[LAPLACE_N];
    size_t devices = (size_t)point->values[LAPLACE_DEVICES];
    bool weak = devices > 1 && point->values[LAPLACE_SCALING] == 1;
    return (struct laplace_shape){.variant = (enum laplace_variant)point->values[LAPLACE_VARIANT],
                                  .devices = devices,
                                  .n = n,
                                  .total = weak ? n * (uint32_t)devices : n,
                                  .iterations = (uint32_t)point->values[LAPLACE_INTERVAL],
                                  .mode = n / WAVES};
}

double laplace_iteration_bytes(const struct laplace_shape *shape)
{
    return 2 * sizeof(float) * (double)shape->n * shape->total;
}

double laplace_repetition_s(const struct laplace_shape *shape, const struct lab_device_facts *device)
{
    const double cpu_rate = 4e9, peak_share = 0.7, gpu_rate = 1e12;
    double peak = device->memory_peak_bytes_per_s;
    double rate = lab_facts_is_cpu(device) ? cpu_rate : peak > 0 ? peak_share * peak : gpu_rate;
    double launch_s = lab_facts_is_cpu(device) ? 20e-6 : 5e-6;
    double passes = shape->variant == LAPLACE_SEPARATE ? 2 : 1;
    return shape->iterations * (launch_s + passes * laplace_iteration_bytes(shape) / (rate * (double)shape->devices));
}

bool laplace_is_solved(const struct lab_parameters *given, const struct laplace_shape *shape)
{
    return shape->devices == 1 && shape->variant != LAPLACE_COPY &&
           shape->n <= (uint32_t)lab_parameter_integer(given, "solve_n");
}

/* The residual of iteration k is (1 - d) d^(k - 1), because the largest value of the longest wave is 1. */
double laplace_predicted_iterations(uint32_t n, double bound)
{
    double factor = laplace_factor((struct laplace_part){.n = n, .total = n, .mode = 1});
    return fmax(ceil(1 + log(bound / (1 - factor)) / log(factor)), 1);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Filling and checking compute sines and exponentials for each point: 20 ns on a CPU's core. */
static void laplace_add_point(const struct lab_points_request *request, const struct lab_point *point,
                              struct lab_estimate *estimate)
{
    const double cpu_point_s = 40e-9, gpu_point_s = 0.2e-9;
    const struct lab_device_facts *device = request->devices[0];
    const struct laplace_shape shape = laplace_shape_of(point);
    double points = (double)shape.n * shape.total;
    double setup_s = 6 * points * (lab_facts_is_cpu(device) ? cpu_point_s : gpu_point_s);
    double repetition_s = laplace_repetition_s(&shape, device);
    double bound = lab_parameter_number(request->parameters, "bound");
    if (laplace_is_solved(request->parameters, &shape))
        setup_s += laplace_predicted_iterations(shape.n, bound) * repetition_s / shape.iterations;
    uint64_t bytes = (uint64_t)laplace_iteration_bytes(&shape);
    lab_estimate_raise_memory(estimate, shape.devices > 1 ? bytes / shape.devices + bytes : bytes, 0);
    if (setup_s + 4 * repetition_s <= lab_parameter_number(request->parameters, "time_budget_s"))
        lab_estimate_add_point(estimate, request->parameters, repetition_s * (shape.devices > 1 ? 2 : 1), setup_s,
                               true);
}

bool laplace_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {given, devices, device_count};
    *estimate = (struct lab_estimate){0};
    return lab_device_counts_check(given, device_count, errors) &&
           lab_estimate_points(&request, laplace_add_point, estimate, errors) &&
           lab_estimate_check_memory(estimate, devices, device_count, "the two arrays of the largest plate",
                                     "/parameters/n", errors);
}
