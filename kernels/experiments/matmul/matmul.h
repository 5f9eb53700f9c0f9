/* Declarations shared by the files of matmul: matmul.c (descriptor), points.c (points and plan), steps.c (explanation
 * and source of each kernel), job.c (matrices and exact result of one product), ceilings.c (the roofline's ceilings),
 * report.c (metrics of one point), run.c (the loop over all points).
 */
#ifndef LAB_MATMUL_H
#define LAB_MATMUL_H

#include "measure/run.h"

/* MATMUL_ALL_STEPS is the choice "all" of the parameter `step`; the choices before it are those of enum lab_gemm_step.
 * MATMUL_SIZE_MAX is the largest m, n or k. */
enum { MATMUL_ALL_STEPS = LAB_GEMM_STEPS, MATMUL_SIZE_MAX = 65536 };

/* Names of the steps, types and layouts, in the order of enum lab_gemm_step, lab_gemm_type and lab_gemm_layout; each
 * array ends with NULL. */
extern const char *const matmul_steps[];
extern const char *const matmul_types[];
extern const char *const matmul_layouts[];

/* Title, explanation and source text of each step; ends with step NULL. */
extern const struct lab_source matmul_sources[];

/* Type, layout and sizes of a product C = A B. All steps compute the product of a problem, and their times are compared
 * with that of the same reference. */
struct matmul_problem {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    size_t m, n, k;
};

/* Calls `visit` for each problem of the request: by size ascending, then type, then layout. Stops and returns false as
 * soon as `visit` returns false. */
bool matmul_each_problem(const struct lab_parameters *given,
                         bool (*visit)(void *context, const struct matmul_problem *problem), void *context);

/* Whether the request has the step "all", that is, all steps that the runtime supports. */
bool matmul_all_steps(const struct lab_parameters *given);

/* The maximum number of points of a problem. */
size_t matmul_step_count(const struct lab_parameters *given);

/* Floating-point operations of a product, 2 m n k: a multiply-add counts as two. */
double matmul_operations(const struct matmul_problem *problem);

/* The minimum number of bytes moved: A and B read once, C written once. */
double matmul_bytes(const struct matmul_problem *problem);

/* The plan and run of the descriptor (experiment.h). */
bool matmul_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                 size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool matmul_run(struct lab_run *run);

#endif
