/* vector-add: the first kernel, c = a + b, with blocks and grids of different sizes.
 *
 * Has the kernels of codes 2 and 3 of the CUDA course text, grid-stride and one-block, on longer vectors. */
#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>

enum { VARIANT, BLOCK, GRID, BYTES, LOAD };

static const struct step {
    const char *name;
    enum { ONE_BLOCK, PER_ELEMENT, PER_MULTIPROCESSOR } grid;
} steps[] = {
    {"one-block", ONE_BLOCK},
    {"thread-per-element", PER_ELEMENT},
    {"grid-stride", PER_MULTIPROCESSOR},
    {"vectorized", PER_MULTIPROCESSOR},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Kernel", steps)},
    {LAB_INTEGERS("block", "Threads per block",
                  "Threads of a block. one-block leaves out values below 32, unless there is only one.", 1, 16, 32, 33,
                  64, 128, 256, 512, 1024),
     .minimum = 1, .maximum = 1024},
    {LAB_INTEGERS("blocks_per_multiprocessor", "Blocks per multiprocessor",
                  "Size of the grid of grid-stride and vectorized, in multiples of the number of multiprocessors.", 8),
     .minimum = 1, .maximum = 1024},
    {LAB_BYTES_PARAMETER("the three arrays", 16, 67108864)},
    {0},
};

static bool is_per_multiprocessor(const struct lab_point *point)
{
    return steps[point->values[VARIANT]].grid == PER_MULTIPROCESSOR;
}

/* A single block of less than a warp would take a second for each repetition. */
static bool keeps_block(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    enum { WARP = 32 };
    return value >= WARP || steps[point->values[VARIANT]].grid != ONE_BLOCK ||
           lab_parameter_values(request->parameters, "block")->count == 1;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [BLOCK] = {.name = "block", .keeps = keeps_block},
    [GRID] = {.name = "blocks_per_multiprocessor", .applies = is_per_multiprocessor},
    [BYTES] = {.name = "bytes", .multiple = 16},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    LAB_BANDWIDTH_METRICS("bytes of the three arrays (two read, one written)"),
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "block", "Bandwidth over threads per block", "bandwidth", "block"), .log_x = true, .log_y = true},
    {LAB_VIEW("bars", "kernels", "Bandwidth by kernel", "bandwidth", "variant")},
    {0},
};

/* A block runs on one multiprocessor, and each of its threads waits for its own accesses: about 0.03 GB/s on an H200.
 * Returns 0 where the peak is unknown. */
static double one_block_seconds(const struct lab_device_facts *device, double threads, double bytes)
{
    double peak = device->memory_peak_bytes_per_s / (double)device->multiprocessors;
    return isfinite(peak) && peak > 0 ? bytes / fmin(peak, 0.03e9 * threads) : 0;
}

static void vector_add_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    const struct step *step = &steps[point->values[VARIANT]];
    uint64_t bytes = (uint64_t)point->values[BYTES], n = bytes / sizeof(float);
    uint64_t multiprocessors = lab_facts_multiprocessors(device);
    uint32_t threads = (uint32_t)point->values[BLOCK];
    (void)given;
    lab_workload_add_kernel(workload, "vector_add_%s", step->name);
    lab_workload_add_input(workload, bytes, LAB_CONTENT_FLOATS);
    lab_workload_add_input(workload, bytes, LAB_CONTENT_FLOATS);
    size_t result = lab_workload_add_output(workload, bytes);
    LAB_ARGUMENTS(workload, LAB_U64(n));
    if (step->grid == PER_ELEMENT)
        lab_workload_launch_items(workload, n, threads);
    else
        lab_workload_launch(workload, step->grid == ONE_BLOCK ? 1 : multiprocessors * (uint64_t)point->values[GRID],
                            threads);
    workload->check = LAB_CHECK("vector_add_check", result, 0);
    workload->counts[LAB_COUNT_BYTES] = 3 * (double)bytes;
    if (step->grid == ONE_BLOCK)
        workload->seconds = one_block_seconds(device, threads, 3 * (double)bytes);
}

LAB_IMAGE(vector_add);
static const struct lab_benchmark benchmark = {.image = &image, .describe = vector_add_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Bandwidth", "bandwidth"), .largest = {"bytes"}},
    {0},
};

LAB_PAGE(vector_add);
const struct lab_experiment lab_vector_add = {
    .name = "vector-add",
    .title = "Vector addition",
    .subject = "execution",
    .summary = "The first kernel, c = a + b, with blocks and grids of different sizes.",
    LAB_BENCHMARK_FIELDS(vector_add, benchmark),
};
