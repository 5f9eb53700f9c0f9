/* matmul's figures, from the samples of a point.
 */
#ifndef LAB_MATMUL_REPORT_H
#define LAB_MATMUL_REPORT_H

#include "matmul.h"
#include "measure/measure.h"

/* The measurements of one point. reference_s: the reference's median, NAN where there is none or the point is the
 * reference itself. False with run->error set. */
bool matmul_report_outcome(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step,
                           const struct lab_outcome *outcome, double reference_s);

void matmul_report_skipped(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step,
                           const char *reason);

/* The roofs: what the arithmetic of a type reached, and what the memory did. */
bool matmul_report_compute_ceiling(struct lab_run *run, enum lab_gemm_type type, const struct lab_outcome *outcome,
                                   double operations);
bool matmul_report_memory_ceiling(struct lab_run *run, const struct lab_outcome *outcome, double bytes);

/* A ceiling that could not be measured: which of the two, and of which type (NULL: the memory's). */
void matmul_report_no_ceiling(struct lab_run *run, const char *metric, const char *type, const char *reason);

#endif
