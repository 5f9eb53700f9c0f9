/* summation: the error of a sum of floats beside its time, by the order in which it is made and the precision of its steps.
 *
 * Reproduces the accuracy of summation of Ruetsch & Fatica (5.4): in order, compensated, in double precision, and as the tree of
 * a reduction kernel. Error bounds: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", chapter 4.
 */
#include "summation.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

enum { N, CONTENT, VARIANT, LOAD };
enum { IN_ORDER, PAIRWISE, KAHAN, DOUBLE, TREE };

static const char *const variants[] = {"in-order", "pairwise", "kahan", "double", "tree", NULL};
static const char *const contents[] = {"positive", "large-first", NULL};

#define N_MAX 268435456

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "variant", "Algorithm",
        "in-order: one element after the other; pairwise: sums of equally many elements are added, by one thread; "
        "kahan: in order, corrected by the rounding error of each addition; double: in order in fp64; tree: pairwise by "
        "all threads of the device.",
        variants, "in-order", "pairwise", "kahan", "double", "tree")},
    {LAB_CHOICES(
        "content", "Elements",
        "positive: random numbers from 0 to 1; large-first: the same, but the first is 2^24, which loses most of what "
        "is added to it.",
        contents, "positive", "large-first")},
    {LAB_INTEGER("min_n", "Fewest elements", "Smallest size. Sizes are multiples of 256.", 1024),
     .minimum = SUMMATION_BATCH, .maximum = N_MAX},
    {LAB_INTEGER("max_n", "Most elements", "Largest size; it is always measured.", 4194304), .minimum = SUMMATION_BATCH,
     .maximum = N_MAX},
    {.name = "factor",
     .title = "Factor",
     .text = "Ratio of each size to the previous one.",
     .type = LAB_TYPE_NUMBER,
     .minimum = 1.01,
     .maximum = N_MAX,
     .fallback = "4"},
    {.name = NULL},
};

static int64_t whole_batches(const struct lab_point *point, int64_t n)
{
    (void)point;
    return n / SUMMATION_BATCH * SUMMATION_BATCH;
}

static const struct lab_axis axes[] = {
    [N] = {.name = "n", .title = "Elements", .source = LAB_AXIS_SIZES, .round = whole_batches},
    [CONTENT] = {.name = "content", .title = "Content"},
    [VARIANT] = {.name = "variant", .title = "Algorithm"},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
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
    {.name = NULL},
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

static const char explanation[] =
    "An fp32 number has 24 bits, so each addition rounds its result by up to u = 2^-24 of it, 6e-8. A sum of n "
    "numbers rounds n - 1 times, and its error depends on the order. Added one after the other, the numbers meet a "
    "sum that grows larger and larger, and lose more and more of their bits. Added pairwise, numbers of about the "
    "same size meet, and each number is rounded only log2(n) times. Kahan's sum computes the rounding error of each "
    "addition, exactly, and takes it off the next number. A sum in fp64 has 29 more bits and rounds to fp32 once, at "
    "the end.\n\n"
    "What to expect: with positive random numbers the errors of the additions in order partly cancel, so that the "
    "error grows with the square root of n, far below its bound of n u. The content large-first shows that the bound "
    "is real: 2^24 plus a number below 1 is 2^24 again, so everything after the first number is lost. For 4 million "
    "elements this is an error of 11 percent, and the bound is 25. The other sums stay within some u: they hold many "
    "sums, and one of them has the large number. A thread waits for each addition before the next one of the same "
    "sum: about 4 cycles for each element in order, and 16 for Kahan's sum, whose four operations wait for each "
    "other. Pairwise additions do not wait. The tree uses all threads and is much faster, with the error of the "
    "pairwise sum: a parallel sum is more precise than a sequential one, and differs from it.\n\n"
    "On an H200 an element takes 5.1 cycles in order, 5.4 pairwise, 17.3 in Kahan's sum and 13.8 in fp64. In order "
    "and Kahan are the 4 cycles of each operation and 1.1 and 1.3 more, probably of the loads. The latency of an "
    "addition in fp64 is larger than in fp32. Pairwise is not faster than in order, although its additions need not "
    "wait: its one warp also has to keep the array of sums. The tree adds 4 million elements in 9.8 us, 1100 times as "
    "fast. The error of large-first in order is 3.2e-5 for 1024 elements, 3 percent for 2^20 and 11 percent for 2^22, "
    "half of its bound. That of positive in order is 1.8e-5 for 2^22, of pairwise and tree at most 1e-7, of "
    "large-first pairwise and tree at most 3.2e-7, of Kahan and fp64 at most 6e-8, one rounding.\n\n"
    "Try max_n = 67108864 with in-order and positive: once the sum is 2^24, numbers below 1 do not change it any "
    "more. Try other seeds: errors are random, bounds are not.";

#define FOLDER "kernels/experiments/execution/summation/"
#define CUDA_SOURCE(variant_, title_, explanation_)                                                                    \
    {                                                                                                                  \
        variant_, "cuda", title_, explanation_,                                                                        \
        {                                                                                                              \
            {FOLDER "summation.h", "sizes"}, {FOLDER "summation.cu", "batches"},                                       \
            {                                                                                                          \
                FOLDER "summation.cu", variant_                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }
#define HOST_SOURCE(variant_, title_, explanation_)                                                                    \
    {                                                                                                                  \
        variant_, "host", title_, explanation_,                                                                        \
        {                                                                                                              \
            {FOLDER "summation.h", "sizes"},                                                                           \
            {                                                                                                          \
                FOLDER "summation_host.c", variant_                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
#define SOURCES(variant_, title_, explanation_)                                                                        \
    CUDA_SOURCE(variant_, title_, explanation_), HOST_SOURCE(variant_, title_, explanation_)

static const struct lab_source sources[] = {
    SOURCES(
        "in-order", "In order",
        "One sum, to which each element is added. Its rounding errors are those of a number that grows with n. The other "
        "threads of the warp only help to load, so that the additions decide the time."),
    SOURCES(
        "pairwise", "Pairwise",
        "64 elements are added as a tree: 32 additions, 16, 8, … that do not wait for each other. The sums of these leaves "
        "are added in pairs as well, in an array that works like the digits of a binary counter. The compiler must "
        "keep the order of additions, so it does not make this out of the loop in order."),
    SOURCES(
        "kahan", "Kahan's compensated sum",
        "(next - sum) is what was really added; the difference from what should have been added is the rounding error. "
        "An optimiser that treats floats like real numbers would see that it is 0 and remove it; nvcc does not."),
    SOURCES(
        "double", "In order, in fp64",
        "The same additions with 53 bits. Each element has to be converted. On GPUs for graphics fp64 additions are 32 to "
        "64 times slower than those of fp32; for a single thread the latency counts."),
    {"tree",
     "cuda",
     "Tree of all threads",
     "Every block adds up a tile of 1024 elements, and further launches add up the sums: the same tree as the pairwise sum, "
     "made by all threads.",
     {{FOLDER "summation.h", "sizes"}, {FOLDER "summation.cu", "tree"}}},
    {"tree",
     "host",
     "Tree of all cores",
     "Each core adds up tiles of 1024 elements in vector registers, and further launches add up the sums.",
     {{FOLDER "summation.h", "sizes"}, {FOLDER "summation_host.c", "pairwise"}, {FOLDER "summation_host.c", "tree"}}},
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

static void add_launch(struct lab_workload *workload, const char *kernel, size_t from, size_t to, uint64_t n,
                       uint64_t blocks, uint32_t threads)
{
    lab_workload_add_step(workload, kernel);
    lab_workload_add_buffer(workload, from);
    lab_workload_add_buffer(workload, to);
    lab_workload_add(workload, lab_argument_u64(n));
    lab_workload_launch(workload, blocks, threads);
}

/* Launches until one sum is left. */
static void add_tree(struct lab_workload *workload, size_t x, size_t result, uint64_t n)
{
    uint64_t tiles = (n + SUMMATION_TILE - 1) / SUMMATION_TILE;
    for (; tiles > 1; n = tiles, tiles = (n + SUMMATION_TILE - 1) / SUMMATION_TILE) {
        size_t sums = lab_workload_output(workload, tiles * sizeof(float));
        add_launch(workload, "summation_tree", x, sums, n, tiles, SUMMATION_BLOCK);
        x = sums;
    }
    add_launch(workload, "summation_tree", x, result, n, 1, SUMMATION_BLOCK);
}

static void summation_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                               const struct lab_point *point, struct lab_workload *workload)
{
    static const char *const kernels[] = {[IN_ORDER] = "summation_in_order",
                                          [PAIRWISE] = "summation_pairwise",
                                          [KAHAN] = "summation_kahan",
                                          [DOUBLE] = "summation_double"};
    enum { WARP = 32 };
    const double one_thread_rate = 0.1e9; /* elements per second, for the estimate */
    int64_t variant = point->values[VARIANT];
    uint64_t n = (uint64_t)point->values[N], content = (uint64_t)point->values[CONTENT];
    struct lab_argument bound = lab_argument_f64(error_bound(variant, (double)n));
    (void)given, (void)device;
    size_t x = lab_workload_declare(
        workload,
        (struct lab_buffer){.bytes = n * sizeof(float), .fill = "summation_fill", .fill_parameters = {content}});
    size_t result = lab_workload_output(workload, sizeof(float));
    if (variant == TREE)
        add_tree(workload, x, result, n);
    else
        add_launch(workload, kernels[variant], x, result, n, 1, WARP);
    workload->check = (struct lab_workload_check){.kernel = "summation_check",
                                                  .buffer = result,
                                                  .parameters = {content, n, bound.u64},
                                                  .error = "relative_error"};
    workload->counts[LAB_COUNT_ITEMS] = workload->counts[LAB_COUNT_STEPS] = (double)n;
    workload->seconds = variant == TREE ? 0 : (double)n / one_thread_rate;
    lab_workload_add_figure(workload, "predicted_relative_error", bound.f64);
}

extern const struct lab_binary lab_binary_summation;
extern const struct lab_host_kernel summation_host_kernels[];
static const struct lab_image image = {"summation", &lab_binary_summation, summation_host_kernels};
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
    .sources = sources,
    LAB_BENCHMARK_FIELDS(summation, benchmark),
};
