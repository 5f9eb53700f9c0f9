/* intrinsics: rate and error of elementary functions, of the standard library and fast.
 *
 * Reproduces Ruetsch & Fatica, 3.6: intrinsics of the device in place of the functions of the same names, and the
 * compiler's flags for fast arithmetic (3.6.2).
 */
#include "intrinsics.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>

enum { VARIANT, PRECISION, FLAGS, LOAD };
enum { STANDARD, FAST };
enum { DEFAULT, FAST_MATH, FLUSH_TO_ZERO, APPROXIMATE_DIVISION, NO_FMA };
enum { WARP = 32, SPECIAL_RESULTS_PER_CLOCK = 16 };

static const char *const precisions[] = {"standard", "fast", NULL};
static const char *const flags[] = {"default", "fast-math", "flush-to-zero", "approximate-division", "no-fma", NULL};

/* The largest error that is documented: of a correctly rounded result, in ulp, and absolute. A result is wrong beyond
 * both. Sources: CUDA C++ programming guide, "Mathematical Functions"; for the approximate roots the PTX ISA (relative
 * errors of 2^-23 and 2^-22.9). Those of __tanf and __powf follow from the errors of the functions of which they
 * consist: __sinf and __cosf (2^-21.19) on [-pi/4, pi/4], and the logarithm to base 2 (2^-22) times 4. */
struct bound {
    double ulps, absolute;
};

static const double sin_error = 0x1p-21 * 0.7527 /* 2^-21.41 */, tan_error = 0x1p-19 * 0.65;

/* The error of Horner's scheme with 8 terms: 2 * 8 roundings of 1/2 ulp, times exp(1) / exp(-1), because terms cancel
 * for x = -1. */
static const double horner_ulps = 8 * 7.4;

static const struct step {
    const char *name;
    struct bound bounds[2]; /* by precision */
    double special;         /* instructions of the special function units in the fast version; 0: there is none */
} steps[] = {
    [INTRINSICS_SIN] = {"sin", {{2, 0}, {0, sin_error}}, 1},
    [INTRINSICS_TAN] = {"tan", {{4, 0}, {2, tan_error}}, 3},
    [INTRINSICS_EXP] = {"exp", {{2, 0}, {13, 0}}, 1},
    [INTRINSICS_LOG] = {"log", {{1, 0}, {3, sin_error}}, 1},
    [INTRINSICS_POW] = {"pow", {{4, 0}, {16, 0}}, 2},
    [INTRINSICS_SQRT] = {"sqrt", {{0, 0}, {2, 0}}, 1},
    [INTRINSICS_RSQRT] = {"rsqrt", {{2, 0}, {2, 0}}, 1},
    [INTRINSICS_DIVIDE] = {"divide", {{0, 0}, {2, 0}}, 1},
    [INTRINSICS_POLYNOMIAL] = {"polynomial", {{horner_ulps, 0}}, 0},
    [INTRINSICS_UNDERFLOW] = {"underflow", {{0, 0}}, 0},
    {0},
};

static const struct lab_schema parameters[] = {
    {LAB_STEPS_OF("variant", "Function", steps, "sin", "tan", "exp", "log", "pow", "sqrt", "rsqrt", "divide")},
    {LAB_CHOICES_ALL(
        "precision", "Precision",
        "standard: the function of the standard library, such as sinf; fast: the intrinsic, such as __sinf, to which "
        "-use_fast_math compiles it. Host devices have only standard.",
        precisions)},
    {LAB_CHOICES(
        "flags", "Compiler's flags",
        "Options of nvcc for the standard functions. default: none; fast-math: -use_fast_math, which includes the "
        "next two; flush-to-zero: -ftz=true, subnormal numbers are 0; approximate-division: -prec-div=false "
        "-prec-sqrt=false; no-fma: -fmad=false, products are rounded before they are added. Host devices have only default.",
        flags, "default")},
    {0},
};

static bool has_fast_version(const struct lab_point *point)
{
    return steps[point->values[VARIANT]].special > 0;
}

static bool keeps_precision(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return value == STANDARD || has_fast_version(point);
}

/* The fast functions are the same with all flags. */
static bool keeps_flags(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request;
    return value == DEFAULT || point->values[PRECISION] == STANDARD;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [PRECISION] = {.name = "precision", .keeps = keeps_precision},
    [FLAGS] = {.name = "flags", .keeps = keeps_flags},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("evaluations", "Evaluations", "G/s", "evaluations of the function by all threads / time / 10^9"),
     .counter = LAB_COUNT_ITEMS},
    {LAB_METRIC("share_of_peak", "Share of peak", "1",
                "fast: evaluations / (multiprocessors * clock * 16 / special function instructions of an evaluation)")},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
         "evaluation_cycles", "Cycles of an evaluation", "cycles",
         "time * clock * multiprocessors / evaluations of a warp of 32 threads; 32 / this are the evaluations in each "
         "cycle of a multiprocessor. On a host device: time * clock * cores / evaluations"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("predicted_evaluation_cycles", "Cycles of the special function units", "cycles",
                "computed, not measured: of fast, special function instructions (sine, cosine, exponential, logarithm, "
                "reciprocal, roots) of an evaluation * 32 threads / 16 results per cycle of a multiprocessor")},
    {LAB_METRIC(
        "max_ulp", "Largest error", "ulp",
        "largest |result - f| / unit in the last place of f among all results, f in double precision; 0.5: every "
        "result is correctly rounded")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "evaluations", "Evaluations by function", "evaluations", "variant")},
    {LAB_VIEW("scatter", "error", "Error over time", "max_ulp", "time"), .y = "variant", .log_x = true, .log_y = true},
    {LAB_VIEW("bars", "cycles", "Cycles of an evaluation by function", "evaluation_cycles", "variant")},
    {LAB_VIEW("table", "predicted", "Predicted cycles", "predicted_evaluation_cycles", "variant")},
    {LAB_VIEW("table", "errors", "Largest error", "max_ulp", "variant")},
    {0},
};

/* Flags replace functions by fast ones, of which each is at least as precise as the documented fast version, and
 * subnormal numbers by 0. */
static struct bound bound_of(const struct lab_point *point)
{
    const struct bound *bounds = steps[point->values[VARIANT]].bounds;
    const double flushed = 0x1p-126;
    int64_t with = point->values[FLAGS];
    bool is_fast = point->values[PRECISION] == FAST || with == FAST_MATH || with == APPROXIMATE_DIVISION;
    struct bound bound = bounds[STANDARD];
    if (is_fast) {
        bound.ulps = fmax(bound.ulps, bounds[FAST].ulps);
        bound.absolute = fmax(bound.absolute, bounds[FAST].absolute);
    }
    if (with == FAST_MATH || with == FLUSH_TO_ZERO)
        bound.absolute = fmax(bound.absolute, flushed);
    return bound;
}

/* Sets a launch whose threads are all resident. Returns the number of its arguments x. */
static uint64_t set_launch(struct lab_workload *workload, const struct lab_device_facts *device)
{
    enum { BLOCK = 256, HOST_THREADS = 64 };
    uint64_t resident = lab_facts_is_cpu(device) ? HOST_THREADS : (uint64_t)device->max_threads_per_multiprocessor;
    uint32_t block = lab_facts_is_cpu(device) ? 1 : BLOCK;
    uint64_t blocks = lab_facts_multiprocessors(device) * (resident / block);
    lab_workload_launch(workload, blocks, block);
    return blocks * block * INTRINSICS_CHAINS;
}

static void set_check(struct lab_workload *workload, size_t values, uint64_t function, struct bound bound)
{
    static const double rounding = 0.5 + 0x1p-20; /* of a correctly rounded result, and of the reference */
    workload->check = (struct lab_workload_check){
        .kernel = "intrinsics_check",
        .buffer = values,
        .parameters = {function, intrinsics_double_bits(bound.ulps + rounding), intrinsics_double_bits(bound.absolute)},
        .error = "max_ulp"};
}

/* Sets the number of evaluations, what they should take, and the limit of the special function units. */
static void set_counts(struct lab_workload *workload, const struct lab_device_facts *device, double evaluations,
                       const struct step *step, bool fast)
{
    static const double standard_cycles = 8, host_s = 1e-8;
    double per_warp = step->special * WARP / SPECIAL_RESULTS_PER_CLOCK;
    double rounds = evaluations / (double)lab_facts_multiprocessors(device) / (lab_facts_is_cpu(device) ? 1 : WARP);
    workload->counts[LAB_COUNT_ITEMS] = evaluations;
    workload->counts[LAB_COUNT_STEPS] = rounds;
    workload->seconds =
        rounds * (lab_facts_is_cpu(device) ? host_s : (fast ? per_warp : standard_cycles) / device->clock_hz);
    if (!fast)
        return;
    lab_workload_add_figure(workload, "predicted_evaluation_cycles", per_warp);
    workload->peak =
        (struct lab_peak){evaluations / rounds * device->clock_hz / per_warp / 1e9, "special function units"};
}

extern const struct lab_binary lab_binary_intrinsics_fast_math, lab_binary_intrinsics_flush_to_zero,
    lab_binary_intrinsics_approximate_division, lab_binary_intrinsics_no_fma;
static const struct lab_image images_with[] = {
    [FAST_MATH] = {"intrinsics with -use_fast_math", &lab_binary_intrinsics_fast_math, NULL},
    [FLUSH_TO_ZERO] = {"intrinsics with -ftz=true", &lab_binary_intrinsics_flush_to_zero, NULL},
    [APPROXIMATE_DIVISION] = {"intrinsics with -prec-div=false", &lab_binary_intrinsics_approximate_division, NULL},
    [NO_FMA] = {"intrinsics with -fmad=false", &lab_binary_intrinsics_no_fma, NULL},
};

static void intrinsics_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t function = (uint64_t)point->values[VARIANT];
    int64_t precision = point->values[PRECISION];
    (void)given;
    if (lab_facts_is_cpu(device) && precision == FAST)
        lab_workload_skip(workload, "the C library has no fast versions of its functions");
    if (point->values[FLAGS] != DEFAULT)
        workload->image = &images_with[point->values[FLAGS]];
    lab_workload_add_kernel(workload, "intrinsics_%s-%s", steps[function].name, precisions[precision]);
    uint64_t count = set_launch(workload, device);
    size_t x = LAB_FILLED(workload, count * sizeof(float), "intrinsics_fill", function, false), y = x;
    if (function == INTRINSICS_POW || function == INTRINSICS_DIVIDE)
        y = LAB_FILLED(workload, count * sizeof(float), "intrinsics_fill", function, true);
    size_t values = lab_workload_output(workload, count * sizeof(float));
    LAB_ARGUMENTS(workload, LAB_BUFFER(x), LAB_BUFFER(y), LAB_BUFFER(values), LAB_U32(INTRINSICS_EVALUATIONS),
                  LAB_VALUE(lab_argument_f32(0)));
    set_check(workload, values, function, bound_of(point));
    set_counts(workload, device, (double)count * INTRINSICS_EVALUATIONS, &steps[function], precision == FAST);
}

LAB_IMAGE(intrinsics);
static const struct lab_benchmark benchmark = {.image = &image, .describe = intrinsics_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("sin", "evaluations"), .at = {{"variant", "sin"}, {"precision", "standard"}}},
    {LAB_HEADLINE("sin, fast", "evaluations"), .at = {{"variant", "sin"}, {"precision", "fast"}}},
    {0},
};

LAB_PAGE(intrinsics);
const struct lab_experiment lab_intrinsics = {
    .name = "intrinsics",
    .title = "Fast functions (intrinsics)",
    .subject = "execution",
    .summary = "Rate and largest error of sine, exponential, division and others, of the standard library and fast.",
    LAB_BENCHMARK_FIELDS(intrinsics, benchmark),
};
