/* reduction: the sum of an array, from tree reductions in shared memory to one pass that is limited by the memory.
 *
 * Reproduces the partial sums, the atomic additions and the cooperative grid of Ruetsch & Fatica (3.7, 5.3), and steps
 * of M. Harris, "Optimizing Parallel Reduction in CUDA", 2007, whose array has 2^22 integers. He has blocks of 128
 * threads.
 */
#include "reduction.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

enum { BYTES, TYPE, STEP, CACHE, LOAD };

/* The sum of a point. */
struct sum {
    const struct step *step;
    int64_t type;
    size_t in, result;  /* buffers */
    uint64_t n, blocks; /* elements; blocks of the steps that take tiles */
};

/* How a step makes a sum. */
struct step {
    const char *name;
    void (*add)(struct lab_workload *workload, const struct sum *sum); /* adds the launches */
    uint64_t per_block;                                                /* elements of a block, in a tree */
    double shared_passes; /* the metric; 0: of steps that do not add in shared memory */
    bool host;
};

static const char *const types[] = {"int32", "fp32", NULL};

/* Adds a launch of the kernel of a step, for the point's type. */
static void add_kernel(struct lab_workload *workload, const struct sum *sum, const char *step)
{
    lab_workload_add_kernel(workload, "reduction_%s-%s", step, types[sum->type]);
}

/* Adds a launch of `blocks` blocks that makes `to` of the n elements of `from`. */
static void add_launch(struct lab_workload *workload, const struct sum *sum, const char *step, size_t from, size_t to,
                       uint64_t n, uint64_t blocks, uint32_t threads)
{
    add_kernel(workload, sum, step);
    LAB_ARGUMENTS(workload, LAB_BUFFER(from), LAB_BUFFER(to), LAB_U64(n));
    lab_workload_launch(workload, blocks, threads);
}

static void add_finish(struct lab_workload *workload, const struct sum *sum, size_t sums, uint64_t count)
{
    add_launch(workload, sum, "finish", sums, sum->result, count, 1, REDUCTION_FINISH_BLOCK);
}

/* Partial sums are made of partial sums as long as there are too many for one block. */
static void add_tree(struct lab_workload *workload, const struct sum *sum)
{
    enum { SUMS_MAX = 16384, PASSES_MAX = LAB_STEPS_MAX - 1 };
    uint64_t n = sum->n;
    size_t from = sum->in;
    for (int pass = 0; pass == 0 || (n > SUMS_MAX && pass < PASSES_MAX); pass++) {
        uint64_t blocks = (n + sum->step->per_block - 1) / sum->step->per_block;
        size_t sums = lab_workload_output(workload, blocks * sizeof(uint32_t));
        add_launch(workload, sum, sum->step->name, from, sums, n, blocks, REDUCTION_BLOCK);
        from = sums;
        n = blocks;
    }
    add_finish(workload, sum, from, n);
}

/* One partial sum for each block. */
static void add_two_passes(struct lab_workload *workload, const struct sum *sum)
{
    size_t sums = lab_workload_output(workload, sum->blocks * sizeof(uint32_t));
    add_launch(workload, sum, sum->step->name, sum->in, sums, sum->n, sum->blocks, REDUCTION_BLOCK);
    add_finish(workload, sum, sums, sum->blocks);
}

/* Adds the one launch of a step, with the buffers `first` and `second` behind the input. */
static void add_single(struct lab_workload *workload, const struct sum *sum, size_t first, size_t second)
{
    add_kernel(workload, sum, sum->step->name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(sum->in), LAB_BUFFER(first), LAB_BUFFER(second), LAB_U64(sum->n));
    lab_workload_launch(workload, sum->blocks, REDUCTION_BLOCK);
}

static void add_one_pass(struct lab_workload *workload, const struct sum *sum)
{
    size_t progress = lab_workload_zeros(workload, 2 * sizeof(uint32_t));
    add_single(workload, sum, sum->result, progress);
}

static void add_cooperative(struct lab_workload *workload, const struct sum *sum)
{
    add_single(workload, sum, lab_workload_output(workload, sum->blocks * sizeof(uint32_t)), sum->result);
    workload->steps[0].launch.cooperative = true;
}

static void add_one_core(struct lab_workload *workload, const struct sum *sum)
{
    add_launch(workload, sum, sum->step->name, sum->in, sum->result, sum->n, 1, 1);
}

/* The arguments are those of lab_runtime_reduction.prepare. */
static struct lab_plan *prepare_library(struct lab_device *device, const struct lab_argument *arguments, size_t count)
{
    const struct lab_runtime_reduction *library = device->runtime->reduction;
    (void)count;
    if (library != NULL)
        return library->prepare(device, arguments[0].pointer, arguments[1].pointer, arguments[2].u64,
                                (enum lab_reduction_type)arguments[3].u64);
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this build has no CUB for this device");
    return NULL;
}

static void add_library(struct lab_workload *workload, const struct sum *sum)
{
    lab_workload_add_call(workload, prepare_library);
    LAB_ARGUMENTS(workload, LAB_BUFFER(sum->in), LAB_BUFFER(sum->result), LAB_U64(sum->n),
                  LAB_U64(sum->type == REDUCTION_INT32 ? LAB_REDUCTION_INT32 : LAB_REDUCTION_FP32));
}

enum { LIBRARY = 8, ALL = 12 };

static const struct step steps[] = {
    {"divergent", add_tree, REDUCTION_BLOCK, .shared_passes = 188},
    {"interleaved", add_tree, REDUCTION_BLOCK, .shared_passes = 188},
    {"sequential", add_tree, REDUCTION_BLOCK, .shared_passes = 48},
    {"first-add", add_tree, 2 * REDUCTION_BLOCK, .shared_passes = 24},
    {"warp-shuffle", .add = add_tree, .per_block = 2 * REDUCTION_BLOCK},
    {"grid-stride", .add = add_two_passes},
    {"one-pass", .add = add_one_pass},
    {"cooperative", .add = add_cooperative},
    [LIBRARY] = {"library", .add = add_library},
    {"scalar", add_one_core, .host = true},
    {"unrolled", add_one_core, .host = true},
    {"all-cores", add_two_passes, .host = true},
    [ALL] = {"all"},
    {0},
};

/* --- the experiment ----------------------------------------------------------------------------------------------- */

static const struct lab_schema parameters[] = {
    {LAB_STEPS_OF("step", "Steps", steps, "all"),
     .text = "Kernels to measure. all: every kernel that the device has; library, NVIDIA's CUB, is the reference that "
             "the others are compared with. Host devices have scalar, unrolled and all-cores."},
    {LAB_CHOICES(
        "type", "Types",
        "int32: random integers, added modulo 2^32; fp32: random integers from -4 to 4, whose sums are exact. Host "
        "devices have int32 only.",
        types, "int32")},
    LAB_SIZES_PARAMETERS("the array", 1048576, 268435456, 16),
    {LAB_CACHE_PARAMETER},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static bool keeps_step(const struct lab_points_request *request, const struct lab_point *point, int64_t step)
{
    (void)point;
    return steps[step].host == lab_facts_is_cpu(request->devices[0]);
}

static const struct lab_axis axes[] = {
    [BYTES] = {LAB_SIZES_AXIS, .multiple = REDUCTION_TILE * sizeof(uint32_t)},
    [TYPE] = {.name = "type", .title = "Type"},
    [STEP] = {.name = "step", .title = "Step", .all = ALL, .keeps = keeps_step},
    [CACHE] = {LAB_CACHE_AXIS},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s",
                "bytes of the array, each read once, / time / 10^9; partial sums do not count"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("share_of_peak", "Share of peak", "1",
                "bandwidth / theoretical bandwidth of the device's memory (2 * memory clock * bus width / 8)")},
    {LAB_METRIC("share_of_reference", "Share of CUB", "1",
                "time of CUB / time, for the same size and type; their samples are taken alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("time", "Time", "s", "time from the first to the last of the launches that make one sum of the array"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("shared_passes", "Passes through shared memory", "1",
                "computed, not measured: additions in shared memory for 1024 elements; one of a warp counts once, "
                "however many of its threads take part, times the ways of its bank conflict")},
    {LAB_TRAFFIC_METRIC},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("ladder", "ladder", "Bandwidth by step", "bandwidth", "step")},
    {LAB_VIEW("line", "size", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "passes", "Passes through shared memory", "shared_passes", "step")},
    {LAB_VIEW("line", "traffic", "Counted traffic over size", "counted_traffic", "bytes"), .log_x = true},
    {0},
};

/* A tile for each block, but on a GPU not more blocks than are resident. */
static uint64_t blocks_of(const struct lab_device_facts *device, uint64_t n)
{
    uint64_t multiprocessors = lab_facts_multiprocessors(device);
    uint64_t tiles = n / REDUCTION_TILE, resident = REDUCTION_RESIDENT_BLOCKS * multiprocessors;
    return lab_facts_is_cpu(device) || tiles < resident ? tiles : resident;
}

static void reduction_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                               const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t bytes = (uint64_t)point->values[BYTES], type = (uint64_t)point->values[TYPE];
    struct sum sum = {.step = &steps[point->values[STEP]],
                      .type = point->values[TYPE],
                      .n = bytes / sizeof(uint32_t),
                      .blocks = blocks_of(device, bytes / sizeof(uint32_t))};
    (void)given;
    if (sum.step->add == add_cooperative && device->cooperative_launch == 0)
        lab_workload_skip(workload, "this device cannot launch cooperative grids");
    sum.in = LAB_FILLED(workload, bytes, "reduction_fill", type);
    sum.result = lab_workload_output(workload, sizeof(uint32_t));
    sum.step->add(workload, &sum);
    workload->check = LAB_CHECK("reduction_check", sum.result, type, sum.n);
    workload->counts[LAB_COUNT_BYTES] = (double)bytes;
    lab_workload_add_traffic(workload, (double)bytes, 0);
    workload->counts[LAB_COUNT_BASELINE] = 1;
    if (sum.step->shared_passes > 0)
        lab_workload_add_figure(workload, "shared_passes", sum.step->shared_passes);
}

static bool reduction_baseline(const struct lab_point *point, struct lab_point *found)
{
    *found = *point;
    found->values[STEP] = LIBRARY;
    return point->values[STEP] < LIBRARY;
}

LAB_IMAGE(reduction);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = reduction_describe, .baseline = reduction_baseline};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Bandwidth", "bandwidth"), .except = {"step", "library"}, .largest = {"bytes"},
     .share = "share_of_reference"},
    {0},
};

LAB_PAGE(reduction);
const struct lab_experiment lab_reduction = {
    .name = "reduction",
    .title = "Parallel reduction",
    .subject = "execution",
    .summary = "The sum of an array by kernels from a divergent tree to one pass, compared with CUB.",
    LAB_BENCHMARK_FIELDS(reduction, benchmark),
};
