/* matmul: one product of matrices, computed in ever better ways. Between its files: what a point is, which points a
 * request has, and what is told about each step.
 */
#ifndef LAB_MATMUL_H
#define LAB_MATMUL_H

#include "measure/run.h"

/* The choices of the parameter `step`: those of enum lab_gemm_step, and behind them "all". */
enum { MATMUL_ALL_STEPS = LAB_GEMM_STEPS };

/* In the order of the enums; each ends with NULL. */
extern const char *const matmul_steps[];
extern const char *const matmul_types[];
extern const char *const matmul_layouts[];

/* The explanation and the text of each step; ends with step NULL. */
extern const struct lab_source matmul_sources[];

/* What is multiplied: all steps of a group compute the same and are held against the same reference. */
struct matmul_problem {
    enum lab_gemm_type type;
    enum lab_gemm_layout layout;
    size_t m, n, k;
};

/* Calls `visit` for each group of the request: sizes first, from the smallest, then types, then layouts. Ends early,
 * and returns false, when `visit` does. */
bool matmul_each_problem(const struct lab_parameters *given,
                         bool (*visit)(void *context, const struct matmul_problem *problem), void *context);

/* Whether all steps are asked for that the runtime has, and not some by name. */
bool matmul_all_steps(const struct lab_parameters *given);

/* How many points a group has at most. */
size_t matmul_step_count(const struct lab_parameters *given);

/* Floating-point operations of a product, a multiply-add counting as two: 2 m n k. */
double matmul_operations(const struct matmul_problem *problem);

/* Bytes that must move at least: A and B read once, C written once. */
double matmul_bytes(const struct matmul_problem *problem);

bool matmul_run(struct lab_run *run);

#endif
