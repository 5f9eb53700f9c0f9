/* The axes and points of matmul, and its plan. */
#include "matmul.h"

#include "benchmark/axes.h"
#include "ceilings.h"
#include "descriptor/estimate.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <inttypes.h>
#include <math.h>

/* --- the axes ----------------------------------------------------------------------------------------------------- */

static bool of_products(const struct lab_point *point)
{
    return point->values[MATMUL_VARIANT] == LAB_NO_VALUE;
}

static bool has_type(const struct lab_point *point)
{
    return of_products(point) || point->values[MATMUL_VARIANT] >= MATMUL_CORES;
}

/* The products come first, because they are what the time budget is for. */
static void matmul_list_variants(const struct lab_points_request *request, const struct lab_point *point,
                                 struct lab_axis_values *values)
{
    (void)request, (void)point;
    lab_axis_values_add(values, LAB_NO_VALUE);
    for (int64_t variant = MATMUL_READ; variant <= MATMUL_TENSOR_CORES; variant++)
        lab_axis_values_add(values, variant);
}

/* The ceilings of a type are those of the units that multiply it: fp64 has both. */
static bool keeps_type(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    unsigned units = matmul_types_of(request->devices[0], point->values[MATMUL_VARIANT] != MATMUL_CORES);
    return of_products(point) || (units >> value & 1) != 0;
}

/* The reference comes first. "all" are the steps that the backend has for the type; a step that is named is listed in
 * any case, so that it is reported with the reason for which it is skipped. */
static void list_steps(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    const struct lab_values *named = lab_parameter_values(request->parameters, "step");
    const struct lab_device_facts *device = request->devices[0];
    bool all = lab_parameter_has(request->parameters, "step", MATMUL_ALL);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < (all ? (size_t)MATMUL_STEPS : named->count); i++) {
            int64_t step = all ? (int64_t)i : named->items[i].integer;
            bool first = &matmul_steps[step] == matmul_reference(device);
            if (first == (round == 0) &&
                (!all || matmul_has(device, &matmul_steps[step], (enum lab_gemm_type)point->values[MATMUL_TYPE])))
                lab_axis_values_add(values, step);
        }
}

static const char *const variants[] = {"read", "write", "copy", "cores", "tensor-cores", NULL};

const struct lab_axis matmul_axes[] = {
    [MATMUL_VARIANT] = {.name = "variant", .title = "Ceiling", .choices = variants, .list = matmul_list_variants},
    [MATMUL_M] = {.name = "m", .title = "m", .applies = of_products, .round = matmul_same_size, .list = matmul_list_m},
    [MATMUL_N] = {.name = "n", .title = "n", .applies = of_products, .round = matmul_same_size, .list = matmul_list_n},
    [MATMUL_K] = {.name = "k", .title = "k", .applies = of_products, .round = matmul_same_size, .list = matmul_list_k},
    [MATMUL_TYPE] = {.name = "type", .title = "Type", .applies = has_type, .keeps = keeps_type},
    [MATMUL_LAYOUT] = {.name = "layout", .title = "Layout", .applies = of_products},
    [MATMUL_STEP] = {.name = "step", .title = "Step", .applies = of_products, .list = list_steps},
    [MATMUL_LOAD] = {LAB_LOAD_AXIS},
    {0},
};

/* --- a product ---------------------------------------------------------------------------------------------------- */

struct matmul_problem matmul_problem_of(const struct lab_point *point)
{
    return (struct matmul_problem){.type = (enum lab_gemm_type)point->values[MATMUL_TYPE],
                                   .layout = (enum lab_gemm_layout)point->values[MATMUL_LAYOUT],
                                   .m = (size_t)point->values[MATMUL_M],
                                   .n = (size_t)point->values[MATMUL_N],
                                   .k = (size_t)point->values[MATMUL_K]};
}

double matmul_operations(const struct matmul_problem *problem)
{
    return 2 * (double)problem->m * (double)problem->n * (double)problem->k;
}

double matmul_bytes(const struct matmul_problem *problem)
{
    double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
    return (m * k + k * n) * (double)lab_gemm_element_bytes(problem->type) +
           m * n * (double)lab_gemm_element_bytes(lab_gemm_result_type(problem->type));
}

/* --- peaks -------------------------------------------------------------------------------------------------------- */

struct lab_peak matmul_peak(const struct lab_device_facts *device, bool tensor, enum lab_gemm_type type)
{
    const struct {
        double flops;
        const char *what;
    } units[2][LAB_GEMM_TYPES] = {
        {[LAB_GEMM_FP32] = {device->fp32_peak_flops, "fp32 cores"},
         [LAB_GEMM_FP64] = {device->fp64_peak_flops, "fp64 cores"}},
        {[LAB_GEMM_FP64] = {device->tensor_fp64_peak_flops, "fp64 tensor cores"},
         [LAB_GEMM_TF32] = {device->tensor_tf32_peak_flops, "tf32 tensor cores, no sparsity"},
         [LAB_GEMM_BF16] = {device->tensor_bf16_peak_flops, "bf16 tensor cores, no sparsity"},
         [LAB_GEMM_FP16] = {device->tensor_fp16_peak_flops, "fp16 tensor cores, no sparsity"},
         [LAB_GEMM_FP8] = {device->tensor_fp8_peak_flops, "fp8 tensor cores, no sparsity"}},
    };
    return (struct lab_peak){units[tensor][type].flops / 1e9, units[tensor][type].what};
}

struct lab_peak matmul_roof(const struct lab_device_facts *device, const struct matmul_problem *problem,
                            const struct lab_peak *peak)
{
    double memory = device->memory_peak_bytes_per_s * matmul_operations(problem) / matmul_bytes(problem) / 1e9;
    if (!isfinite(memory) || !(memory > 0) || !isfinite(peak->value))
        return (struct lab_peak){.value = NAN, .what = ""};
    return memory < peak->value ? (struct lab_peak){memory, "device memory at this arithmetic intensity"} : *peak;
}

/* The arrays have twice the size of the last-level cache, so that they are read from memory, but at most a quarter of
 * the device's memory. GPUs reach their bandwidth only with arrays of some GiB; CPU cores need too long for these. */
uint64_t matmul_ceiling_bytes(const struct lab_device_facts *device)
{
    static const uint64_t least = UINT64_C(64) << 20, most = UINT64_C(4) << 30;
    uint64_t cache = device->l2_bytes > 0 ? 2 * (uint64_t)device->l2_bytes : 0, bytes = cache > least ? cache : least;
    uint64_t memory = device->total_memory_bytes > 0 ? (uint64_t)device->total_memory_bytes : UINT64_MAX;
    if (isfinite(device->memory_peak_bytes_per_s) && memory != UINT64_MAX) {
        uint64_t eighth = memory / 8, large = eighth < most ? eighth : most;
        bytes = large > bytes ? large : bytes;
    }
    bytes = memory / 4 < bytes ? memory / 4 : bytes;
    return bytes > least ? bytes / least * least : least;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Device memory of a product: the matrices, the exact product and, for the reference, the result that is computed while
 * other steps are compared with it. */
static uint64_t bytes_of(const struct lab_device_facts *device, const struct lab_point *point)
{
    struct matmul_problem problem = matmul_problem_of(point);
    uint64_t count = (uint64_t)problem.m * problem.n, reference = 0;
    if (&matmul_steps[point->values[MATMUL_STEP]] == matmul_reference(device))
        reference = count * lab_gemm_element_bytes(lab_gemm_result_type(problem.type));
    return (uint64_t)matmul_bytes(&problem) + count * sizeof(int32_t) + reference;
}

/* Estimates a product at a third of the arithmetic peak or of the memory's peak, whichever takes longer; where a
 * peak is not known, at what a CPU core reaches. Filling, poisoning and checking take about six passes over the
 * matrices. The exact product is computed once, with the reference. */
static void estimate_product(const struct lab_parameters *given, const struct lab_device_facts *device,
                             const struct lab_point *point, struct lab_estimate *estimate)
{
    struct matmul_problem problem = matmul_problem_of(point);
    const struct matmul_step *step = &matmul_steps[point->values[MATMUL_STEP]];
    double peak = matmul_peak(device, matmul_on_tensor_cores(device, step, problem.type), problem.type).value;
    double memory = device->memory_peak_bytes_per_s;
    bool known = isfinite(peak) && peak > 0, first = step == matmul_reference(device);
    double operations = matmul_operations(&problem), bytes = matmul_bytes(&problem);
    double passes = 6 * bytes / (known ? 500e9 : 1e9), exact_s = first ? operations / (known ? 20e12 : 20e9) : 0;
    double computing_s = operations / (known ? peak * 1e9 / 3 : 5e9);
    double moving_s = bytes / (isfinite(memory) && memory > 0 ? memory / 3 : 5e9),
           seconds = fmax(computing_s, moving_s);
    lab_estimate_add_point(estimate, given, seconds, passes + exact_s, true);
    lab_estimate_add_energy(estimate, given, device, seconds);
    lab_estimate_add_counters(estimate, given, device, seconds);
}

/* Estimates a ceiling of memory at two thirds of the peak, or at what a CPU core reaches; one of arithmetic at a fixed
 * time. */
static void estimate_ceiling(const struct lab_parameters *given, const struct lab_device_facts *device,
                             const struct lab_point *point, struct lab_estimate *estimate)
{
    double bytes = 2 * (double)matmul_ceiling_bytes(device), peak = device->memory_peak_bytes_per_s;
    bool known = isfinite(peak) && peak > 0;
    if (point->values[MATMUL_VARIANT] >= MATMUL_CORES)
        lab_estimate_add_point(estimate, given, 5e-3, 0.05, true);
    else
        lab_estimate_add_point(estimate, given, bytes / (known ? peak * 2 / 3 : 10e9),
                               3 * bytes / (known ? 500e9 : 1e9), true);
}

static void matmul_add_point(const struct lab_points_request *request, const struct lab_point *point,
                             struct lab_estimate *estimate)
{
    const struct lab_device_facts *device = request->devices[0];
    bool product = of_products(point);
    (product ? estimate_product : estimate_ceiling)(request->parameters, device, point, estimate);
    lab_estimate_raise_memory(estimate, product ? bytes_of(device, point) : 2 * matmul_ceiling_bytes(device), 0);
}

bool matmul_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    const struct lab_points_request request = {given, devices, device_count};
    *estimate = (struct lab_estimate){.host_bytes = 32 << 20}; /* the part of the exact product that the CPU checks */
    return (!matmul_has_sweep(given) || lab_points_check_sizes(given, "size", errors)) &&
           lab_estimate_points(&request, matmul_add_point, estimate, errors) &&
           lab_estimate_check_memory(estimate, devices, device_count,
                                     "the matrices A, B and C and the expected product", matmul_largest_size(given),
                                     errors);
}
