/* Reports the metrics of a point.
 */
#ifndef LAB_OVERLAP_REPORT_H
#define LAB_OVERLAP_REPORT_H

#include "calibration.h"

/* Adds the axes that all measurements of a workload share: bytes, memory, kernel, and weight for the kernel waves. */
void overlap_workload_axes(struct lab_axes *axes, const struct overlap_job *job);

/* Adds the axes of a point. Its measurements and its spans have the same axes. */
void overlap_point_axes(struct lab_axes *axes, const struct overlap_job *job, const struct overlap_point *point);

void overlap_report_skipped(struct overlap_job *job, const struct overlap_point *point, const char *reason);

/* Reports `count` values of a metric that is not computed from the point's time samples, such as cpu_time. Returns
 * false with run->error set when out of memory. */
bool overlap_report_values(struct overlap_job *job, const struct overlap_point *point, const char *metric,
                           const char *unit, const double *values, size_t count);

/* Reports the time of a point and, if its variant is not sequential, also its speedup and, for pinned memory, its
 * bounds and efficiency. *sequential_s is the median of the workload's sequential point, NAN if unknown; a sequential
 * point sets it. `phases` are those of the point's number of chunks. Returns false with run->error set when out of
 * memory. */
bool overlap_report_outcome(struct overlap_job *job, const struct overlap_point *point,
                            const struct lab_outcome *outcome, const struct overlap_phases *phases,
                            double *sequential_s);

#endif
