/* A lower bound of the job's time, from a simulated schedule of its operations.
 */
#ifndef LAB_OVERLAP_BOUND_H
#define LAB_OVERLAP_BOUND_H

#include "calibration.h"

/* Seconds until the last operation of the prepared point ends, on a device with `copy_engines` copy engines and the
 * hardware queues of this device. Negative when out of memory. */
double overlap_bound(struct overlap_job *job, const struct overlap_phases *phases, size_t copy_engines);

#endif
