/* What the plans of all experiments end with: whether what a run takes is there.
 */
#ifndef LAB_ESTIMATE_H
#define LAB_ESTIMATE_H

#include "experiment/experiment.h"

/* Adds the error of a sweep that has more points than LAB_POINTS_MAX. False, to be returned. */
bool lab_estimate_too_many(struct lab_errors *errors);

/* Whether estimate->device_bytes are no more than each device has in total; else adds an error at `pointer` for each that
 * has less. `what` begins its sentence: "a source and a destination of max_bytes". */
bool lab_estimate_fits(const struct lab_estimate *estimate, const struct lab_device_facts *const *devices,
                       size_t device_count, const char *what, const char *pointer, struct lab_errors *errors);

#endif
