/* scaling's figures, from the samples of a point and the phases of its jobs.
 */
#ifndef LAB_SCALING_REPORT_H
#define LAB_SCALING_REPORT_H

#include "job.h"
#include "measure/measure.h"

enum { SCALING_PHASE_JOBS_MAX = 10 };

/* The phases of some jobs, by job and device. */
struct scaling_phases {
    size_t jobs;
    double seconds[SCALING_PHASE_JOBS_MAX][LAB_RUN_DEVICES_MAX][SCALING_PHASES];
    const char *stop_reason;
};

/* The axes of a point's measurements, by which its spans are told apart too. weight: 0 where it is not known. */
void scaling_point_axes(struct lab_axes *axes, const struct scaling_point *point, uint32_t weight);

/* What a speedup has above its line, over t(N): t(1), or where N devices do N times the work N t(1). */
double scaling_speedup_base(const struct scaling_point *point, double alone_s);

/* Time, and speedup and efficiency where the median on one device, *alone_s, is known and no NAN. A point on one device
 * is its own base, and tells it in *alone_s. False with run->error set. */
bool scaling_report_outcome(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                            const struct lab_outcome *outcome, double *alone_s);
bool scaling_report_phases(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                           const struct scaling_phases *phases);
void scaling_report_skipped(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                            const char *reason);

#endif
