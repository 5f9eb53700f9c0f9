/* matmul: how fast a device multiplies matrices, and what it takes to get there: a ladder of kernels, each of which
 * changes one thing against the one before, up to the tensor cores, and beside them the vendor's library.
 *
 * What it reproduces: the course text's product in global memory and in shared tiles of 8, 16 and 32 (EXPERIMENTS.md);
 * the roofline is after Williams, Waterman & Patterson, "Roofline: an insightful visual performance model", 2009.
 */
#include "matmul.h"

#include "ceilings.h"
#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *const matmul_steps[] = {
    [LAB_GEMM_NAIVE] = "naive",           [LAB_GEMM_COALESCED] = "coalesced",
    [LAB_GEMM_TILED_8] = "tiled-8",       [LAB_GEMM_TILED_16] = "tiled-16",
    [LAB_GEMM_TILED_32] = "tiled-32",     [LAB_GEMM_REGISTER_TILES] = "register-tiles",
    [LAB_GEMM_VECTORIZED] = "vectorized", [LAB_GEMM_DOUBLE_BUFFERED] = "double-buffered",
    [LAB_GEMM_WARP_TILED] = "warp-tiled", [LAB_GEMM_MMA] = "mma",
    [LAB_GEMM_WGMMA] = "wgmma",           [LAB_GEMM_BLOCKED] = "blocked",
    [LAB_GEMM_CUBLAS] = "cublas",         [LAB_GEMM_OPENBLAS] = "openblas",
    [MATMUL_ALL_STEPS] = "all",           [MATMUL_ALL_STEPS + 1] = NULL,
};
const char *const matmul_types[] = {
    [LAB_GEMM_FP32] = "fp32", [LAB_GEMM_FP64] = "fp64", [LAB_GEMM_TF32] = "tf32",
    [LAB_GEMM_BF16] = "bf16", [LAB_GEMM_FP16] = "fp16", [LAB_GEMM_TYPES] = NULL,
};
const char *const matmul_layouts[] = {[LAB_GEMM_NN] = "nn", [LAB_GEMM_TN] = "tn", [LAB_GEMM_LAYOUTS] = NULL};

enum { SIZE_MAX_ALLOWED = 65536 };

static const struct lab_parameter parameters[] = {
    {.name = "step",
     .title = "Steps",
     .help =
         "Ways of computing the product. all: those that the device's runtime has for the type. cublas and openblas are "
         "the lines that the others are held against.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = matmul_steps,
     .fallback = "[\"all\"]"},
    {.name = "type",
     .title = "Types",
     .help = "Of the elements. Sums are kept in fp32, those of fp64 in fp64; tf32 is fp32 of which the tensor "
             "cores take 10 bits of fraction.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = matmul_types,
     .fallback = "[\"fp32\", \"bf16\"]"},
    {.name = "layout",
     .title = "Layouts",
     .help = "nn: A and B lie row by row; tn: B lies column by column, so that both inputs of a dot product are "
             "neighbours in memory.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = matmul_layouts,
     .fallback = "[\"nn\"]"},
    {.name = "min_size",
     .title = "Smallest size",
     .help = "Of square matrices; the sweep starts here.",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 1,
     .maximum = SIZE_MAX_ALLOWED,
     .fallback = "256"},
    {.name = "max_size",
     .title = "Largest size",
     .help = "The sweep ends here; this size is always measured.",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 1,
     .maximum = SIZE_MAX_ALLOWED,
     .fallback = "4096"},
    {.name = "factor",
     .title = "Factor",
     .help = "Each size is this many times the one before.",
     .type = LAB_PARAMETER_NUMBER,
     .minimum = 1.01,
     .maximum = SIZE_MAX_ALLOWED,
     .fallback = "2"},
    {.name = "m",
     .title = "Rows of A and C (m)",
     .help = "With n and k: one product of these sizes instead of the sweep. 0: the sweep.",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 0,
     .maximum = SIZE_MAX_ALLOWED,
     .fallback = "0"},
    {.name = "n",
     .title = "Columns of B and C (n)",
     .help = "With m and k.",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 0,
     .maximum = SIZE_MAX_ALLOWED,
     .fallback = "0"},
    {.name = "k",
     .title = "Columns of A, rows of B (k)",
     .help = "With m and n.",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 0,
     .maximum = SIZE_MAX_ALLOWED,
     .fallback = "0"},
    {.name = "sample_s",
     .title = "Length of a sample",
     .help =
         "A sample repeats the product until it lasts that long, so that pauses between samples do not let a device rest "
         "that its power limits.",
     .unit = "s",
     .type = LAB_PARAMETER_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 10,
     .fallback = "0.02"},
    {.name = "settle_s",
     .title = "Settling",
     .help =
         "For how long each product is repeated before its first sample, until the clock has found what the power allows.",
     .unit = "s",
     .type = LAB_PARAMETER_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 60,
     .fallback = "0.1"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"type", "Type", NULL}, {"layout", "Layout", NULL}, {"step", "Step", NULL}, {"m", "m", NULL},
    {"n", "n", NULL},       {"k", "k", NULL},           {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"throughput", "Throughput", "GFLOP/s",
     "2 m n k / time / 10^9, a multiply-add counting as two. Timed on inputs of the standard normal distribution; "
     "verified by the same kernel on whole numbers from -4 to 4, every element of C against the exact product rounded to "
     "the type, tolerance 0 for all types (sums stay below 2^24)"},
    {"time", "Time", "s", "seconds for one product, between two events on the device"},
    {"share_of_reference", "Share of the reference", "1",
     "median time of the reference (cublas, openblas) / time, of the same sizes, type and layout in the same run"},
    {"share_of_peak", "Share of the peak", "1",
     "throughput / theoretical peak of the unit that the step computes on; the measurement names it"},
    {"intensity", "Arithmetic intensity", "FLOP/B",
     "2 m n k / bytes of A, B and C, each counted once: the most that a perfect cache could reach"},
    {"bandwidth", "Effective bandwidth", "GB/s",
     "bytes of A, B and C, each counted once / time / 10^9. Matrices that fit in the last-level cache come out of it"},
    {"compute_ceiling", "Measured compute ceiling", "GFLOP/s",
     "independent multiply-adds on values that stay where they are, on all cores or tensor cores, / time / 10^9"},
    {"memory_ceiling", "Measured memory ceiling", "GB/s",
     "2 * bytes / time / 10^9 of a copy within device memory by a kernel, each byte read and written"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"ladder", "Ladder", "ladder", "throughput", "step", false, false},
    {"size", "Throughput over size", "line", "throughput", "m", true, true},
    {"share", "Share of the reference", "line", "share_of_reference", "m", true, false},
    {"roofline", "Roofline", "roofline", "throughput", "m", true, true},
    {"peak", "Share of the peak", "table", "share_of_peak", "step", false, false},
    {"compute-ceiling", "Compute ceiling", "table", "compute_ceiling", "type", false, false},
    {"memory-ceiling", "Memory ceiling", "table", "memory_ceiling", "type", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "A product of two n x n matrices does 2 n^3 operations on 3 n^2 numbers. With each number used n times, it could keep "
    "every arithmetic unit of a device busy; whether it does is decided by how often a number has to be fetched again. The "
    "steps of this ladder compute the same product, each changes one thing, and the source that was compiled stands beside "
    "each.\n\n"
    "The first steps fetch too much. The naive kernel reads two numbers for each multiply-add, and in an order that wastes "
    "most of every memory transaction; swapping the two thread indices mends that. Tiles in shared memory let the threads "
    "of a block fetch each number once for all of them, register tiles let each thread use what it has read several times. "
    "From there the arithmetic units wait for instructions rather than for data: wide loads, copies that run while the "
    "block computes, and tiles cut to the shape of a warp leave room for more multiply-adds.\n\n"
    "Tensor cores multiply small matrices in one instruction and are several times faster than the cores, in types with "
    "fewer bits. How they are fed is what counts: mma takes its operands from registers, Hopper's wgmma from shared memory "
    "that the tensor memory accelerator (TMA) of the multiprocessor fills.\n\n"
    "The reference is the vendor's library (on the host runtime OpenBLAS, where it is installed). The roofline puts every "
    "step under two ceilings: the bandwidth of device memory times the operations done for each byte, and the arithmetic of "
    "the unit. Both are drawn twice, as the attributes promise them and as they were measured. (Matrices that fit in the "
    "last-level cache can rise above the first.) Large "
    "products have far more intensity than is needed to leave the memory's slope; a step that stays far below the flat roof "
    "there fetches from the nearer memories too often. Small products do not fill the device, whatever the kernel.\n\n"
    "Inputs are random numbers of the normal distribution: constants and small whole numbers switch fewer bits, draw less "
    "power and make the same kernel look faster. The same kernels are verified on whole numbers, where the exact result is "
    "known for every element.";

/* --- the points --------------------------------------------------------------------------------------------------- */

double matmul_operations(const struct matmul_problem *problem)
{
    return 2 * (double)problem->m * (double)problem->n * (double)problem->k;
}

double matmul_bytes(const struct matmul_problem *problem)
{
    double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
    return (m * k + k * n + m * n) * (double)lab_gemm_element_bytes(problem->type);
}

bool matmul_all_steps(const struct lab_parameters *given)
{
    const struct lab_values *steps = lab_parameter_values(given, "step");
    for (size_t s = 0; s < steps->count; s++)
        if (steps->items[s].integer == MATMUL_ALL_STEPS)
            return true;
    return false;
}

size_t matmul_step_count(const struct lab_parameters *given)
{
    return matmul_all_steps(given) ? LAB_GEMM_STEPS : lab_parameter_values(given, "step")->count;
}

typedef bool visit_function(void *context, const struct matmul_problem *problem);

static bool each_type(const struct lab_parameters *given, size_t m, size_t n, size_t k, visit_function *visit,
                      void *context)
{
    const struct lab_values *types = lab_parameter_values(given, "type");
    const struct lab_values *layouts = lab_parameter_values(given, "layout");
    for (size_t t = 0; t < types->count; t++)
        for (size_t l = 0; l < layouts->count; l++) {
            struct matmul_problem problem = {.type = (enum lab_gemm_type)types->items[t].integer,
                                             .layout = (enum lab_gemm_layout)layouts->items[l].integer,
                                             .m = m,
                                             .n = n,
                                             .k = k};
            if (!visit(context, &problem))
                return false;
        }
    return true;
}

bool matmul_each_problem(const struct lab_parameters *given, visit_function *visit, void *context)
{
    size_t m = (size_t)lab_parameter_integer(given, "m");
    if (m > 0)
        return each_type(given, m, (size_t)lab_parameter_integer(given, "n"), (size_t)lab_parameter_integer(given, "k"),
                         visit, context);
    size_t last = (size_t)lab_parameter_integer(given, "max_size");
    double factor = lab_parameter_number(given, "factor");
    for (size_t size = (size_t)lab_parameter_integer(given, "min_size"); size < last;) {
        if (!each_type(given, size, size, size, visit, context))
            return false;
        size_t next = (size_t)llround((double)size * factor);
        size = next > size ? next : size + 1;
    }
    return each_type(given, last, last, last, visit, context);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* m, n and k are given together or not at all. */
static bool check_sizes(const struct lab_parameters *given, struct lab_errors *errors)
{
    static const char *const names[] = {"m", "n", "k"};
    int64_t low = lab_parameter_integer(given, "min_size");
    int64_t high = lab_parameter_integer(given, "max_size");
    bool some = false, good = true;
    for (size_t i = 0; i < 3; i++)
        some = some || lab_parameter_integer(given, names[i]) > 0;
    for (size_t i = 0; some && i < 3; i++) {
        char pointer[32];
        if (lab_parameter_integer(given, names[i]) > 0)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/%s", names[i]);
        good = lab_errors_add(errors, "missing", pointer,
                              "m, n and k are given together: %s must be from 1 to %d, or all three 0 for the sweep",
                              names[i], SIZE_MAX_ALLOWED);
    }
    if (!some && low > high)
        good = lab_errors_add(errors, "min-above-max", "/parameters/min_size",
                              "min_size (%" PRId64 ") must not be above max_size (%" PRId64 ")", low, high);
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Rough: the smallest number of samples of each step at 2 TFLOP/s. */
static bool count_problem(void *context, const struct matmul_problem *problem)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    size_t steps = matmul_step_count(totals->given);
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    uint64_t product_bytes = (uint64_t)problem->m * problem->n * sizeof(int32_t);
    uint64_t bytes = (uint64_t)matmul_bytes(problem) + product_bytes;
    estimate->points += steps;
    estimate->seconds += (double)steps * (samples + 6) * matmul_operations(problem) / 2e12;
    estimate->device_bytes = bytes > estimate->device_bytes ? bytes : estimate->device_bytes;
    estimate->host_bytes = 32 << 20; /* the part of the exact product that the CPU looks at */
    return estimate->points <= LAB_POINTS_MAX;
}

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_sizes(given, errors))
        return false;
    struct plan_totals totals = {given, estimate};
    if (!matmul_each_problem(given, count_problem, &totals))
        return lab_estimate_too_many(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    for (size_t i = 0; i < device_count; i++)
        if (devices[i]->l2_bytes != LAB_UNKNOWN && estimate->device_bytes < matmul_ceiling_bytes(devices[i]->l2_bytes))
            estimate->device_bytes = matmul_ceiling_bytes(devices[i]->l2_bytes);
    bool one = lab_parameter_integer(given, "m") > 0;
    return lab_estimate_fits(estimate, devices, device_count, "three matrices and the expected product",
                             one ? "/parameters/m" : "/parameters/max_size", errors);
}

const struct lab_experiment lab_matmul = {
    .name = "matmul",
    .title = "Matrix multiplication",
    .summary =
        "How fast matrices are multiplied: a ladder of kernels from naive to the tensor cores, beside the library.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .sources = matmul_sources,
    .devices_min = 1,
    .devices_max = 1,
    .quick =
        "{\"min_size\": 128, \"max_size\": 512, \"factor\": 4, \"type\": [\"fp32\", \"fp64\", \"bf16\"], "
        "\"sample_s\": 0.001, \"settle_s\": 0.01, \"time_budget_s\": 2}",
    .plan = plan,
    .run = matmul_run,
};
