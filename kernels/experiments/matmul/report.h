/* Reports the metrics of a point and the ceilings.
 */
#ifndef LAB_MATMUL_REPORT_H
#define LAB_MATMUL_REPORT_H

#include "matmul.h"
#include "measure/measure.h"

/* Reports all metrics of a point. reference_s: median time of the reference; NAN if there is none or the point is the
 * reference itself. Returns false with run->error set on failure. */
bool matmul_report_outcome(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step,
                           const struct lab_outcome *outcome, double reference_s);

void matmul_report_skipped(struct lab_run *run, const struct matmul_problem *problem, enum lab_gemm_step step,
                           const char *reason);

/* Report a measured ceiling. `operations`: floating-point operations of one repetition; `bytes`: bytes copied by one
 * repetition. Both return false with run->error set when out of memory. */
bool matmul_report_compute_ceiling(struct lab_run *run, enum lab_gemm_type type, const struct lab_outcome *outcome,
                                   double operations);
bool matmul_report_memory_ceiling(struct lab_run *run, const struct lab_outcome *outcome, double bytes);

/* Reports a ceiling that could not be measured. type: the element type of a compute ceiling; NULL for the memory
 * ceiling. */
void matmul_report_no_ceiling(struct lab_run *run, const char *metric, const char *type, const char *reason);

#endif
