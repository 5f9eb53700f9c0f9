/* summation: the error of a sum of floats beside its time, by the order in which it is made and the precision of its
 * steps.
 *
 * Reproduces the accuracy of summation of Ruetsch & Fatica (5.4): in order, compensated, in double precision, and as
 * the tree of a reduction kernel. Error bounds: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", chapter
 * 4.
 */
#include "summation.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

enum { N, CONTENT, VARIANT, LOAD };
enum { IN_ORDER, PAIRWISE, KAHAN, DOUBLE, TREE };

static const struct step {
    const char *name;
} steps[] = {
    [IN_ORDER] = {"in-order"}, [PAIRWISE] = {"pairwise"}, [KAHAN] = {"kahan"},
    [DOUBLE] = {"double"},     [TREE] = {"tree"},         {0},
};
static const char *const contents[] = {"positive", "large-first", NULL};

#define N_MAX 268435456

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Algorithm", steps)},
    {LAB_CHOICES_ALL(
        "content", "Elements",
        "positive: random numbers from 0 to 1; large-first: the same, but the first is 2^24, which loses most of what "
        "is added to it.",
        contents)},
    {LAB_INTEGER("min_n", "Fewest elements", "Smallest size. Sizes are multiples of 256.", 1024),
     .minimum = SUMMATION_BATCH, .maximum = N_MAX},
    {LAB_INTEGER("max_n", "Most elements", "Largest size; it is always measured.", 4194304), .minimum = SUMMATION_BATCH,
     .maximum = N_MAX},
    {LAB_FACTOR_PARAMETER("size", 1.01, N_MAX, 4)},
    {0},
};

static const struct lab_axis axes[] = {
    [N] = {.name = "n", .title = "Elements", .source = LAB_AXIS_SIZES, .multiple = SUMMATION_BATCH},
    [CONTENT] = {.name = "content", .title = "Content"},
    [VARIANT] = {.name = "variant"},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("rate", "Elements per second", "Gop/s", "elements that are added up, each counted once, / time / 10^9"),
     .counter = LAB_COUNT_ITEMS},
    {LAB_METRIC("time", "Time", "s", "time from the first to the last of the launches that make one sum"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("element_cycles", "Cycles per element", "cycles", "time * clock of the multiprocessors / elements"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC(
        "relative_error", "Relative error", "1",
        "|sum - exact sum| / exact sum. The elements are multiples of 2^-24, so integers give the exact sum. An "
        "error above its bound counts as wrong")},
    {LAB_METRIC("predicted_relative_error", "Error bound", "1",
                "computed, not measured, with u = 2^-24: in-order (n - 1) u; pairwise and tree log2(n) u, rounded up; "
                "kahan 2 u + 2 n u^2; double u + (n - 1) 2^-53")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "error", "Relative error over elements", "relative_error", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "cost", "Relative error over time", "relative_error", "time"), .y = "n", .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "time", "Time over elements", "time", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "rate", "Elements per second", "rate", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "cycles", "Cycles per element", "element_cycles", "n")},
    {0},
};

/* The largest relative error of a sum of n positive numbers, to first order. */
static double error_bound(int64_t variant, double n)
{
    const double u = ldexp(1, -24);
    switch (variant) {
    case IN_ORDER:
        return (n - 1) * u;
    case KAHAN:
        return 2 * u + 2 * n * u * u;
    case DOUBLE:
        return u + (n - 1) * ldexp(1, -53);
    default:
        return ceil(log2(n)) * u;
    }
}

static void add_launch(struct lab_workload *workload, int64_t variant, size_t from, size_t to, uint64_t n,
                       uint64_t blocks, uint32_t threads)
{
    lab_workload_add_kernel(workload, "summation_%s", steps[variant].name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(from), LAB_BUFFER(to), LAB_U64(n));
    lab_workload_launch(workload, blocks, threads);
}

/* Launches until one sum is left. */
static void add_tree(struct lab_workload *workload, size_t x, size_t result, uint64_t n)
{
    uint64_t tiles = (n + SUMMATION_TILE - 1) / SUMMATION_TILE;
    for (; tiles > 1; n = tiles, tiles = (n + SUMMATION_TILE - 1) / SUMMATION_TILE) {
        size_t sums = lab_workload_output(workload, tiles * sizeof(float));
        add_launch(workload, TREE, x, sums, n, tiles, SUMMATION_BLOCK);
        x = sums;
    }
    add_launch(workload, TREE, x, result, n, 1, SUMMATION_BLOCK);
}

static void summation_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                               const struct lab_point *point, struct lab_workload *workload)
{
    enum { WARP = 32 };
    const double one_thread_rate = 0.1e9; /* elements per second, for the estimate */
    int64_t variant = point->values[VARIANT];
    uint64_t n = (uint64_t)point->values[N], content = (uint64_t)point->values[CONTENT];
    struct lab_argument bound = lab_argument_f64(error_bound(variant, (double)n));
    (void)given, (void)device;
    size_t x = LAB_FILLED(workload, n * sizeof(float), "summation_fill", content);
    size_t result = lab_workload_output(workload, sizeof(float));
    if (variant == TREE)
        add_tree(workload, x, result, n);
    else
        add_launch(workload, variant, x, result, n, 1, WARP);
    workload->check = (struct lab_workload_check){.kernel = "summation_check",
                                                  .buffer = result,
                                                  .parameters = {content, n, bound.u64},
                                                  .error = "relative_error"};
    workload->counts[LAB_COUNT_ITEMS] = workload->counts[LAB_COUNT_STEPS] = (double)n;
    workload->seconds = variant == TREE ? 0 : (double)n / one_thread_rate;
    lab_workload_add_figure(workload, "predicted_relative_error", bound.f64);
}

LAB_IMAGE(summation);
static const struct lab_benchmark benchmark = {.image = &image, .describe = summation_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Elements per second as a tree", "rate"), .at = {{"variant", "tree"}}, .largest = {"n"}},
    {LAB_HEADLINE("Error in order", "relative_error"), .at = {{"variant", "in-order"}, {"content", "positive"}},
     .largest = {"n"}, .lowest = true},
    {LAB_HEADLINE("Error as a tree", "relative_error"), .at = {{"variant", "tree"}, {"content", "positive"}},
     .largest = {"n"}, .lowest = true},
    {0},
};

LAB_PAGE(summation);
const struct lab_experiment lab_summation = {
    .name = "summation",
    .title = "Precision of sums",
    .subject = "execution",
    .summary = "The error of a sum of floats beside its time: in order, pairwise, compensated, in fp64, as a tree.",
    LAB_BENCHMARK_FIELDS(summation, benchmark),
};
