/* Times of the single phases of a job (copy in, kernel, copy out of one chunk), and the kernel weight at which kernel
 * and copy take equally long.
 */
#ifndef LAB_OVERLAP_CALIBRATION_H
#define LAB_OVERLAP_CALIBRATION_H

#include "job.h"

#include "measure/measure.h"

/* Seconds for one whole chunk: the fastest sample, because the bound computed from them must not exceed what is
 * possible, and medians would on a noisy machine. NAN if a phase could not be measured. */
struct overlap_phases {
    double up, kernel, down;             /* alone */
    double up_contended, down_contended; /* while copies run in the other direction */
};

enum { OVERLAP_PHASE_POINTS = 5 }; /* calls of lab_measure by overlap_measure_phases */

/* Measures and reports the phases of the prepared point. Returns false with run->error set on failure. */
bool overlap_measure_phases(struct overlap_job *job, struct lab_measurer *measurer, struct overlap_phases *phases);

/* Sets job->weight so that the kernel takes as long as the copy in of the whole array. Prepares the sequential point.
 * Returns false with run->error set on failure. */
bool overlap_balance_weight(struct overlap_job *job, struct lab_measurer *measurer);

#endif
