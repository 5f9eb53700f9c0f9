/* The parts of the job by themselves: what a chunk's copy up, kernel and copy down take alone, and the copies while the
 * other direction runs; the kernel's weight that balances them; and the bound that a simulated schedule makes of them.
 */
#ifndef LAB_OVERLAP_CALIBRATION_H
#define LAB_OVERLAP_CALIBRATION_H

#include "job.h"

#include "measure/measure.h"

/* Seconds for one whole chunk, the fastest of the samples: a median would be no bound on a machine with noise. */
struct overlap_phases {
    double up, kernel, down;
    double up_contended, down_contended;
};

enum { OVERLAP_PHASE_POINTS = 5 }; /* calls of lab_measure that overlap_measure_phases makes */

/* Measures and reports the phases of the point that is laid out. False with run->error set. */
bool overlap_measure_phases(struct overlap_job *job, struct lab_measurer *measurer, struct overlap_phases *phases);

/* Sets the weight at which the kernel takes as long as one copy up of the whole array. Lays out the sequential point. False
 * with run->error set. */
bool overlap_balance_weight(struct overlap_job *job, struct lab_measurer *measurer);

/* When the last operation of the point that is laid out would end at the earliest on a device with so many copy engines
 * and the queues of this one, in seconds; negative when out of memory. */
double overlap_bound(struct overlap_job *job, const struct overlap_phases *phases, size_t copy_engines);

/* The axes that all measurements of a case share: bytes, memory, kernel, weight. */
void overlap_workload_axes(struct lab_axes *axes, const struct overlap_job *job);

#endif
