/* finite-differences: the first derivative on a grid in three dimensions by a stencil of nine points.
 *
 * Reproduces the case study of Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", 6.1: derivatives in x, y
 * and z of periodic data, tiles of several shapes in shared memory, and stretched grids. The order of the error and how
 * it is found: B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of
 * Computation 51 (1988).
 */
#include "finite_differences.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"

#include <float.h>

enum { VARIANT, DERIVATIVE, SPACING, TYPE, N, LOAD };
enum { FP32, FP64 };
enum { X, Y, Z };

/* The steps that code names. Those between GLOBAL and REGISTERS have tiles. */
enum { COPY, GLOBAL, REGISTERS = 5 };

static const struct step {
    const char *name;
    uint32_t width, height; /* points of a tile; 0: no tiles */
} steps[] = {
    [COPY] = {"copy", 0, 0},
    [GLOBAL] = {"global", 0, 0},
    {"tile-4x64", 4, 64},
    {"tile-32x32", 32, 32},
    {"tile-64x16", 64, 16},
    [REGISTERS] = {"registers", 0, 0},
    {0},
};

static const char *const derivatives[] = {"x", "y", "z", NULL};
static const char *const spacings[] = {"uniform", "stretched", NULL};
static const char *const types[] = {"fp32", "fp64", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL("derivative", "Derivative",
                     "The direction of the derivative. Points that are neighbours in x are "
                     "neighbours in memory.",
                     derivatives)},
    {LAB_CHOICES("spacing", "Spacing",
                 "uniform: the points have the same distance; stretched: their distance varies by a quarter, and the "
                 "derivative is multiplied by a factor that is stored for each point of a line.",
                 spacings, "uniform")},
    {LAB_CHOICES_ALL("type", "Type", "Type of the values.", types)},
    {LAB_STEPS("variant", "Variant", steps)},
    {LAB_INTEGERS("n", "Points per side", "The grid has n x n x n points. Multiples of 16.", 128, 512), .minimum = 16,
     .maximum = SIDE_MAX},
    {LAB_COUNTERS_PARAMETER_OFF},
    {0},
};

static bool is_derivative(const struct lab_point *point)
{
    return point->values[VARIANT] != COPY;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [DERIVATIVE] = {.name = "derivative", .applies = is_derivative},
    [SPACING] = {.name = "spacing", .applies = is_derivative},
    [TYPE] = {.name = "type"},
    [N] = {.name = "n", .multiple = GRID_UNIT},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Effective bandwidth", "GB/s",
                "bytes of the function (read) and of its derivative (written), each counted once / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {LAB_METRIC(
         "throughput", "Throughput", "GFLOP/s",
         "12 operations for each derivative (4 differences, 4 products, 3 sums, and the product with the factor of "
         "the grid) / time / 10^9"),
     .counter = LAB_COUNT_OPERATIONS},
    LAB_INTENSITY_METRICS("bytes of the function and of its derivative, each counted once"),
    {LAB_METRIC("share_of_reference", "Share of the copy", "1",
                "time of copy / time, for the same grid and type; their samples are taken alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("max_error", "Largest error", "1", "largest |derivative - analytic derivative| of all points")},
    {LAB_METRIC(
        "predicted_max_error", "Error of the stencil", "1",
        "computed, not measured: h^8 / 630 * largest ninth derivative of the function, h = 1 / n; uniform, fp64")},
    {LAB_METRIC("rms_error", "RMS error", "1",
                "root of the mean of (derivative - analytic derivative)^2 over all points")},
    {LAB_METRIC("order", "Order of the error", "1",
                "ln(max_error at the next smaller n / max_error) / ln(n / that n), where rounding is less than a "
                "hundredth of the error")},
    {LAB_METRIC("loads_per_point", "Loads per point", "1",
                "computed, not measured: values that the threads load from global memory for each point; 1 at best")},
    {LAB_METRIC("sectors_per_request", "Sectors per request", "1",
                "computed, not measured: sectors of 32 bytes that a store of a warp touches")},
    {LAB_METRIC("counted_sectors_per_request", "Counted sectors per request", "1",
                "counted by the hardware: sectors of 32 bytes / requests of warps, of the stores")},
    {LAB_TRAFFIC_METRIC},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "variants", "Bandwidth by variant", "bandwidth", "variant")},
    {LAB_VIEW("bars", "share", "Share of the copy", "share_of_reference", "variant")},
    {LAB_VIEW("roofline", "roofline", "Roofline", "throughput", "n"), .y = "variant", .log_x = true, .log_y = true},
    {LAB_VIEW("line", "error", "Largest error over n", "max_error", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "rms", "RMS error over n", "rms_error", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "order", "Order of the error", "order", "n"), .log_x = true},
    {LAB_VIEW("table", "loads", "Loads per point", "loads_per_point", "variant")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "variant")},
    {LAB_VIEW("scatter", "counted", "Counted over predicted sectors", "counted_sectors_per_request",
              "sectors_per_request"),
     .y = "variant", .beside = "bandwidth", .predicted = true},
    {LAB_VIEW("table", "traffic", "Counted traffic", "counted_traffic", "variant")},
    {0},
};

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* The largest error of the stencil on a uniform grid. */
static double stencil_error(double n)
{
    return WEIGHT_MAX * pow(TWO_PI, 9) / (630 * pow(n, 8));
}

/* The rounding of a sum that is multiplied by n: of the eight values and of the four products. */
static double rounding_error(double n, bool fp64)
{
    enum { ROUNDINGS = 8 };
    return ROUNDINGS * WEIGHT_MAX * n / (1 - STRETCH) * (fp64 ? DBL_EPSILON : (double)FLT_EPSILON);
}

/* The largest error that is not counted as wrong. On a stretched grid the ninth derivative with respect to t is larger:
 * the sum of k^9 J(k - 1, STRETCH), J being Bessel functions of the first kind, is 323, and the factor dt/ds at most
 * 4/3. */
static double allowed_error(const struct finite_differences_grid *grid)
{
    const double stretched_factor = 323.0 / (1 - STRETCH), margin = 1.5;
    double n = (double)grid->n;
    if (grid->copy)
        return grid->fp64 ? 4 * DBL_EPSILON : 2 * (double)FLT_EPSILON;
    return margin * stencil_error(n) * (grid->stretched ? stretched_factor : 1) + rounding_error(n, grid->fp64);
}

/* The point with the next smaller n and otherwise the values of `point`; NULL: there is none. */
static const struct lab_median *next_smaller(const struct lab_medians *medians, const struct lab_point *point)
{
    const struct lab_median *found = NULL;
    for (size_t i = 0; i < medians->count; i++) {
        const struct lab_median *m = &medians->items[i];
        bool same = m->point.values[N] < point->values[N];
        for (size_t axis = 0; axis < N; axis++)
            same = same && m->point.values[axis] == point->values[axis];
        if (same && (found == NULL || m->point.values[N] > found->point.values[N]))
            found = m;
    }
    return found;
}

static bool report_orders(struct lab_run *run, const struct lab_medians *medians)
{
    const double rounding_share = 0.01;
    for (size_t i = 0; i < medians->count; i++) {
        const struct lab_median *m = &medians->items[i], *coarse = next_smaller(medians, &m->point);
        double n = (double)m->point.values[N];
        double rounding = n * (m->point.values[TYPE] == FP64 ? DBL_EPSILON : (double)FLT_EPSILON);
        if (coarse == NULL || !is_derivative(&m->point) || rounding > rounding_share * m->error)
            continue;
        const struct lab_report report = {.run = run, .point = &m->point};
        double order = log(coarse->error / m->error) / log(n / (double)coarse->point.values[N]);
        if (!lab_report_value(&report, "order", order))
            return false;
    }
    return true;
}

/* --- the workload ------------------------------------------------------------------------------------------------- */

static uint32_t parts_of(uint64_t n, uint32_t part)
{
    return (uint32_t)((n + part - 1) / part);
}

static void set_launch(int64_t variant, const struct finite_differences_grid *grid, struct lab_launch *launch)
{
    const struct step *step = &steps[variant];
    enum { WARP = 32 };
    uint64_t pack = grid->fp64 ? 2 : 4, columns = grid->n / pack * grid->n;
    launch->block[0] = BLOCK;
    if (variant == GLOBAL) {
        launch->block[0] = WARP;
        launch->block[1] = BLOCK / WARP;
        launch->grid[0] = parts_of(grid->n, WARP);
        launch->grid[1] = parts_of(grid->n, BLOCK / WARP);
        launch->grid[2] = (uint32_t)grid->n;
    } else if (variant == COPY || (variant == REGISTERS && grid->direction == X)) {
        launch->grid[0] = parts_of(columns * grid->n, BLOCK);
    } else if (variant == REGISTERS) {
        launch->grid[0] = parts_of(columns, BLOCK);
        launch->grid[1] = parts_of(grid->n, SEGMENT);
    } else {
        launch->grid[0] = parts_of(grid->n, step->width);
        launch->grid[1] = parts_of(grid->n, step->height);
        launch->grid[2] = (uint32_t)grid->n;
    }
}

static double loads_per_point(int64_t variant, const struct finite_differences_grid *grid)
{
    const double beyond = 2 * RADIUS, pack = grid->fp64 ? 2 : 4;
    if (variant == GLOBAL)
        return beyond;
    if (variant == REGISTERS)
        return 1 + beyond / (grid->direction == X ? pack : SEGMENT);
    return 1 + beyond / (grid->direction == X ? steps[variant].width : steps[variant].height);
}

/* A warp stores rows of the tile, which begin at sectors. */
static double sectors_per_request(int64_t variant, size_t element)
{
    enum { WARP = 32, SECTOR_BYTES = 32, ACCESS_BYTES = 16 };
    double width = steps[variant].width, row_bytes = width * (double)element;
    if (variant == REGISTERS)
        return (double)(WARP * ACCESS_BYTES) / SECTOR_BYTES;
    if (width == 0 || width >= WARP)
        return (double)(WARP * element) / SECTOR_BYTES;
    return WARP / width * ceil(row_bytes / SECTOR_BYTES);
}

static void add_figures(int64_t variant, const struct finite_differences_grid *grid,
                        const struct lab_device_facts *device, struct lab_workload *workload)
{
    if (!grid->stretched && grid->fp64)
        lab_workload_add_figure(workload, "predicted_max_error", stencil_error((double)grid->n));
    if (lab_facts_is_cpu(device))
        return;
    lab_workload_add_figure(workload, "loads_per_point", loads_per_point(variant, grid));
    lab_workload_add_figure(workload, "sectors_per_request",
                            sectors_per_request(variant, grid->fp64 ? sizeof(double) : sizeof(float)));
    lab_workload_add_counted(workload, "counted_sectors_per_request", 1, LAB_SUM_OF(LAB_HARDWARE_STORE_SECTORS),
                             LAB_SUM_OF(LAB_HARDWARE_STORE_REQUESTS));
}

/* Adds the launch of finite_differences_copy, or of a kernel such as finite_differences_tile_4x64_x_fp32. */
static void add_kernel(int64_t variant, const struct finite_differences_grid *grid, struct lab_workload *workload)
{
    if (grid->copy)
        lab_workload_add_kernel(workload, "finite_differences_%s", steps[variant].name);
    else
        lab_workload_add_kernel(workload, "finite_differences_%s_%s_%s", steps[variant].name,
                                derivatives[grid->direction], types[grid->fp64]);
    set_launch(variant, grid, &workload->steps[0].launch);
}

static struct finite_differences_grid grid_of(const struct lab_point *point)
{
    bool copy = !is_derivative(point);
    return (struct finite_differences_grid){.n = (uint64_t)point->values[N],
                                            .direction = copy ? X : (uint32_t)point->values[DERIVATIVE],
                                            .stretched = !copy && point->values[SPACING] == 1,
                                            .fp64 = point->values[TYPE] == FP64,
                                            .copy = copy};
}

static void finite_differences_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                        const struct lab_point *point, struct lab_workload *workload)
{
    const struct finite_differences_grid grid = grid_of(point);
    const double host_point_s = 10e-9;    /* of a core: the derivative and its check */
    const double operations = 3 * RADIUS; /* differences, products, and sums with the product of the metric */
    int64_t variant = point->values[VARIANT];
    size_t element = grid.fp64 ? sizeof(double) : sizeof(float), points = grid.n * grid.n * grid.n;
    uint64_t packed = finite_differences_pack(grid);
    (void)given;
    size_t in = LAB_FILLED(workload, points * element, "finite_differences_fill", packed);
    size_t out = lab_workload_output(workload, points * element);
    add_kernel(variant, &grid, workload);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out));
    if (grid.copy) {
        LAB_ARGUMENTS(workload, LAB_U32(points * element / 16));
    } else {
        LAB_ARGUMENTS(workload,
                      LAB_BUFFER(LAB_FILLED(workload, grid.n * element, "finite_differences_fill_metric", packed)),
                      LAB_U32(grid.stretched), LAB_U32(grid.n));
        add_figures(variant, &grid, device, workload);
    }
    workload->check = (struct lab_workload_check){
        .kernel = "finite_differences_check",
        .buffer = out,
        .parameters = {packed, lab_argument_f64(allowed_error(&grid)).u64},
        .error = grid.copy ? NULL : "max_error",
        .rms = grid.copy ? NULL : "rms_error",
    };
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)(points * element);
    workload->counts[LAB_COUNT_OPERATIONS] = grid.copy ? 0 : operations * (double)points;
    lab_workload_add_traffic(workload, (double)(points * element), (double)(points * element));
    lab_workload_add_intensity(workload);
    workload->counts[LAB_COUNT_BASELINE] = 1;
    workload->seconds = lab_facts_is_cpu(device) ? host_point_s * (double)points : 0;
}

/* All variants are compared with the copy. */
static bool finite_differences_copy_of(const struct lab_point *point, struct lab_point *copy)
{
    *copy = *point;
    copy->values[VARIANT] = COPY;
    copy->values[DERIVATIVE] = copy->values[SPACING] = LAB_NO_VALUE;
    return is_derivative(point);
}

LAB_IMAGE(finite_differences);
static const struct lab_benchmark benchmark = {.image = &image,
                                               .describe = finite_differences_describe,
                                               .baseline = finite_differences_copy_of,
                                               .summarise = report_orders};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Derivative in x", "bandwidth"), .at = {{"derivative", "x"}}, .largest = {"n"},
     .share = "share_of_reference"},
    {LAB_HEADLINE("Derivative in y", "bandwidth"), .at = {{"derivative", "y"}}, .largest = {"n"},
     .share = "share_of_reference"},
    {LAB_HEADLINE("Derivative in z", "bandwidth"), .at = {{"derivative", "z"}}, .largest = {"n"},
     .share = "share_of_reference"},
    {LAB_HEADLINE("Largest error in x, fp64", "max_error"), .at = {{"derivative", "x"}, {"type", "fp64"}},
     .largest = {"n"}, .lowest = true},
    {0},
};

LAB_PAGE(finite_differences);
const struct lab_experiment lab_finite_differences = {
    .name = "finite-differences",
    .title = "Finite differences",
    .subject = "cases",
    .summary = "The first derivative on a grid in three dimensions by a stencil of nine points, beside a copy.",
    LAB_BENCHMARK_FIELDS(finite_differences, benchmark),
};
