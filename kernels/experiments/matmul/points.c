/* The points of a matmul request, and its plan. */
#include "matmul.h"

#include "ceilings.h"
#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

/* Checks that m, n and k are all given or all 0, and that the sweep is not empty. */
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
        good = lab_errors_add(
            errors, "missing", pointer,
            "%s must be from 1 to %d, because m, n and k are set together; set all three to 0 for the sweep", names[i],
            MATMUL_SIZE_MAX);
    }
    if (!some && low > high)
        good = lab_errors_add(errors, "min-above-max", "/parameters/min_size",
                              "min_size (%" PRId64 ") must not exceed max_size (%" PRId64 ")", low, high);
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Adds a rough estimate of the problem's time: for each step the minimum number of samples plus 6 repetitions at 2
 * TFLOP/s. */
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
    estimate->host_bytes = 32 << 20; /* the part of the exact product that the CPU checks at a time */
    return estimate->points <= LAB_POINTS_MAX;
}

bool matmul_plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_sizes(given, errors))
        return false;
    struct plan_totals totals = {given, estimate};
    if (!matmul_each_problem(given, count_problem, &totals))
        return lab_estimate_add_too_many_points(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    for (size_t i = 0; i < device_count; i++)
        if (devices[i]->l2_bytes != LAB_UNKNOWN && estimate->device_bytes < matmul_ceiling_bytes(devices[i]->l2_bytes))
            estimate->device_bytes = matmul_ceiling_bytes(devices[i]->l2_bytes);
    bool one = lab_parameter_integer(given, "m") > 0;
    return lab_estimate_check_memory(estimate, devices, device_count,
                                     "the matrices A, B and C and the expected product",
                                     one ? "/parameters/m" : "/parameters/max_size", errors);
}
