/* block-shape: which threads of a block with two or three dimensions form a warp, and what that means for accesses and
 * branches.
 *
 * The course text and a lecture give the number of a thread, x + y Dx + z Dx Dy, by which 32 threads each form a warp.
 */
#include "block_shape.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>

enum { VARIANT, SHAPE, SIDE, LOAD };
enum { DEFAULT_SIDE = 256, HOST_DEFAULT_SIDE = 128, LENGTH = 512, SECTOR_ELEMENTS = 8 };

static const struct {
    const char *name;
} steps[] = {
    [BLOCK_INDEX] = {"index"},
    [BLOCK_COPY] = {"copy"},
    [BLOCK_BRANCH_X] = {"branch-x"},
    [BLOCK_BRANCH_Y] = {"branch-y"},
    {0},
};

static const struct shape {
    const char *name;
    uint32_t size[3];
} shapes[] = {
    {"256x1", {256, 1, 1}}, {"128x2", {128, 2, 1}}, {"64x4", {64, 4, 1}},   {"32x8", {32, 8, 1}},
    {"16x16", {16, 16, 1}}, {"8x32", {8, 32, 1}},   {"4x64", {4, 64, 1}},   {"2x128", {2, 128, 1}},
    {"1x256", {1, 256, 1}}, {"8x8x4", {8, 8, 4}},   {"4x4x16", {4, 4, 16}}, {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", steps)},
    {LAB_STEPS("shape", "Shape of a block", shapes), .text = "Threads of a block in x, y and z, 256 in all."},
    {LAB_INTEGERS(
         "side", "Side",
         "Elements of the cube in each dimension; a multiple of 8. 0: automatic, 256 and on a host device 128.", 0),
     .minimum = 0, .maximum = 1024},
    {0},
};

static void list_sides(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "side");
    int64_t automatic = lab_facts_is_cpu(request->devices[0]) ? HOST_DEFAULT_SIDE : DEFAULT_SIDE;
    (void)point;
    for (size_t i = 0; i < given->count; i++)
        lab_axis_values_add(values, given->items[i].integer > 0 ? given->items[i].integer : automatic);
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [SHAPE] = {.name = "shape"},
    [SIDE] = {.name = "side", .list = list_sides, .multiple = SECTOR_ELEMENTS},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s",
                "copy: 8 bytes for each element (4 read, 4 written), index: 4 written, / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("throughput", "Throughput", "GFLOP/s",
                "branch-x, branch-y: 2 * 512 operations (multiply-adds) for each element / time / 10^9"),
     .counter = LAB_COUNT_OPERATIONS},
    LAB_KERNEL_METRICS,
    {LAB_METRIC(
        "sectors_per_request", "Sectors per request", "1",
        "computed, not measured: sectors of 32 bytes that contain the 32 elements of a warp, on average over the warps of a block")},
    {LAB_METRIC(
        "paths_per_warp", "Paths of a warp", "1",
        "computed, not measured: of the two paths of branch-x and branch-y, those that threads of a warp take, on "
        "average over the warps of a block")},
    {LAB_METRIC("predicted_time", "Predicted time", "s",
                "computed, not measured: branch-x, branch-y: multiply-adds / fp32 peak of the device's cores * "
                "paths_per_warp * 35 / 32, because 32 multiply-adds are a round of a loop with 3 other instructions")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "shapes", "Bandwidth by shape of a block", "bandwidth", "shape")},
    {LAB_VIEW("bars", "branches", "Throughput of two paths by shape of a block", "throughput", "shape")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "shape")},
    {LAB_VIEW("table", "paths", "Paths of a warp", "paths_per_warp", "shape")},
    {0},
};

/* The element of a block's thread with this number, relative to the block's first. */
static uint64_t element_of(const struct shape *shape, uint64_t number, uint64_t side)
{
    uint64_t x = number % shape->size[0], y = number / shape->size[0] % shape->size[1];
    return (number / shape->size[0] / shape->size[1] * side + y) * side + x;
}

static uint64_t sector_of(const struct shape *shape, uint64_t number, uint64_t side)
{
    return element_of(shape, number, side) / SECTOR_ELEMENTS;
}

static uint64_t path_by_x(const struct shape *shape, uint64_t number, uint64_t side)
{
    (void)side;
    return number % shape->size[0] % 2;
}

static uint64_t path_by_y(const struct shape *shape, uint64_t number, uint64_t side)
{
    (void)side;
    return number / shape->size[0] % shape->size[1] % 2;
}

/* How many different values of `of` the threads of a warp have, on average over the warps of a block. */
static double different(uint64_t (*of)(const struct shape *, uint64_t, uint64_t), const struct shape *shape,
                        uint64_t side)
{
    uint64_t threads = (uint64_t)shape->size[0] * shape->size[1] * shape->size[2], found = 0;
    for (uint64_t i = 0; i < threads; i++) {
        uint64_t earlier = i / BLOCK_WARP * BLOCK_WARP;
        while (earlier < i && of(shape, earlier, side) != of(shape, i, side))
            earlier++;
        found += earlier == i;
    }
    return (double)(found * BLOCK_WARP) / (double)threads;
}

/* Sets what the point counts, and the predictions. */
static void count(const struct lab_device_facts *device, const struct lab_point *point, double elements,
                  struct lab_workload *workload)
{
    const struct shape *shape = &shapes[point->values[SHAPE]];
    uint64_t side = (uint64_t)point->values[SIDE];
    int64_t variant = point->values[VARIANT];
    bool branches = variant >= BLOCK_BRANCH_X;
    workload->counts[LAB_COUNT_BYTES] = branches ? 0 : (variant == BLOCK_COPY ? 8 : 4) * elements;
    workload->counts[LAB_COUNT_OPERATIONS] = branches ? 2 * LENGTH * elements : 0;
    if (branches)
        workload->peak = (struct lab_peak){device->fp32_peak_flops / 1e9, "fp32 cores"};
    if (lab_facts_is_cpu(device))
        return;
    lab_workload_add_figure(workload, "sectors_per_request", different(sector_of, shape, side));
    if (!branches)
        return;
    double paths = different(variant == BLOCK_BRANCH_X ? path_by_x : path_by_y, shape, side);
    double seconds = 2 * LENGTH * elements / device->fp32_peak_flops * paths * (BLOCK_UNROLL + 3) / BLOCK_UNROLL;
    lab_workload_add_figure(workload, "paths_per_warp", paths);
    if (isfinite(seconds))
        lab_workload_add_figure(workload, "predicted_time", seconds);
}

static void block_shape_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                 const struct lab_point *point, struct lab_workload *workload)
{
    const struct shape *shape = &shapes[point->values[SHAPE]];
    uint64_t variant = (uint64_t)point->values[VARIANT], side = (uint64_t)point->values[SIDE];
    uint64_t elements = side * side * side, packed = variant;
    (void)given;
    if (lab_facts_is_cpu(device) && variant != BLOCK_COPY)
        lab_workload_skip(workload, "this kernel is about warps, which a host device does not have");
    lab_workload_add_kernel(workload, "block_shape_%s", steps[variant].name);
    if (variant != BLOCK_INDEX)
        lab_workload_add_input(workload, elements * sizeof(float), LAB_CONTENT_FLOATS);
    size_t out = lab_workload_add_output(workload, elements * sizeof(float));
    LAB_ARGUMENTS(workload, LAB_U32(side));
    if (variant >= BLOCK_BRANCH_X)
        LAB_ARGUMENTS(workload, LAB_U32(LENGTH));
    struct lab_launch *launch = &workload->steps[0].launch;
    for (unsigned d = 0; d < 3; d++) {
        launch->block[d] = shape->size[d];
        launch->grid[d] = (uint32_t)((side + shape->size[d] - 1) / shape->size[d]);
        packed |= (uint64_t)shape->size[d] << (BLOCK_X_BIT + d * (BLOCK_Y_BIT - BLOCK_X_BIT));
    }
    workload->check = LAB_CHECK("block_shape_check", out, packed, side, LENGTH);
    count(device, point, (double)elements, workload);
}

LAB_IMAGE(block_shape);
static const struct lab_benchmark benchmark = {.image = &image, .describe = block_shape_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Copy, 32x8", "bandwidth"), .at = {{"variant", "copy"}, {"shape", "32x8"}}, .largest = {"side"}},
    {LAB_HEADLINE("Copy, 1x256", "bandwidth"), .at = {{"variant", "copy"}, {"shape", "1x256"}}, .largest = {"side"}},
    {0},
};

LAB_PAGE(block_shape);
const struct lab_experiment lab_block_shape = {
    .name = "block-shape",
    .title = "Shapes of blocks and their warps",
    .subject = "execution",
    .summary =
        "Which threads of blocks with one, two and three dimensions form a warp, and what their shape means for "
        "coalescing and divergence.",
    LAB_BENCHMARK_FIELDS(block_shape, benchmark),
};
