/* Reports the metrics of a point from its samples and from the phase times of its jobs.
 */
#ifndef LAB_SCALING_REPORT_H
#define LAB_SCALING_REPORT_H

#include "job.h"
#include "measure/measure.h"

enum { SCALING_PHASE_JOBS_MAX = 10 };

/* Phase times of several jobs, by job and device. */
struct scaling_phases {
    size_t jobs; /* at most SCALING_PHASE_JOBS_MAX */
    double seconds[SCALING_PHASE_JOBS_MAX][LAB_RUN_DEVICES_MAX][SCALING_PHASES];
    const char *stop_reason; /* why no more jobs were run: "sample-limit" or "budget" */
};

/* Adds the axes of a point. Its measurements and its spans have the same axes. weight: of the kernel pairs; 0 if
 * unknown. */
void scaling_point_axes(struct lab_axes *axes, const struct scaling_point *point, uint32_t weight);

/* The numerator of the speedup, from alone_s = t(1): t(1) in strong scaling, N t(1) in weak scaling. The denominator is
 * t(N). */
double scaling_speedup_base(const struct scaling_point *point, double alone_s);

/* Reports time, speedup and efficiency. *alone_s is the median time on one device: a point on one device sets it, and
 * while it is NAN only the time is reported. Returns false with run->error set on failure. */
bool scaling_report_outcome(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                            const struct lab_outcome *outcome, double *alone_s);

/* Reports the phase times and, on several devices, the imbalance. Returns false with run->error set on failure. */
bool scaling_report_phases(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                           const struct scaling_phases *phases);
void scaling_report_skipped(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                            const char *reason);

#endif
