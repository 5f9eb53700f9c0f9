/* Measures the phases of a job (copy in, kernel, copy out of one chunk), computes the bound from them, and finds the kernel
 * weight at which kernel and copy take equally long.
 */
#ifndef LAB_OVERLAP_CALIBRATION_H
#define LAB_OVERLAP_CALIBRATION_H

#include "job.h"

/* Seconds of each phase for one full-size chunk; NAN if it could not be measured. Each is the fastest sample: the bound
 * computed from them must not be longer than the fastest possible job, as it could be with medians on a noisy
 * machine. */
struct overlap_phases {
    double up, kernel, down;             /* copy in, kernel, copy out, each measured alone */
    double up_contended, down_contended; /* copy in and copy out, while copies run in the other direction */
};

/* Measures and reports the phases of the chunks of a prepared point, with OVERLAP_PHASE_POINTS calls of lab_measure. Returns false with run->error set on failure. */
bool overlap_measure_phases(const struct overlap_job *job, const struct lab_point *point, struct lab_measurer *measurer,
                            struct overlap_phases *phases);

/* The shortest time in seconds in which the job can run on 0, 1 or 2 copy engines; a negative value when out of
 * memory. */
double overlap_bound(const struct overlap_job *job, const struct overlap_phases *phases, size_t copy_engines);

/* Sets the workload's weight so that the kernel takes as long as the copy in of the whole array. Returns false with
 * run->error set on failure. */
bool overlap_balance_weight(struct overlap_workload *workload, struct lab_measurer *measurer);

#endif
