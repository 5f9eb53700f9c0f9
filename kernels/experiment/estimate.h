/* Checks that the plans of all experiments make at their end: number of points and device memory. */
#ifndef LAB_ESTIMATE_H
#define LAB_ESTIMATE_H

#include "experiment/experiment.h"

/* Adds the error of a sweep that has more than LAB_POINTS_MAX points. Always returns false, so that a plan can return
 * it. */
bool lab_estimate_add_too_many_points(struct lab_errors *errors);

/* Checks that estimate->device_bytes do not exceed the total memory of any device; a device whose memory is unknown
 * passes. Adds an error at `pointer` for each device that has less and returns false then. `what` begins the sentence
 * of the error: "a source and a destination of max_bytes". */
bool lab_estimate_check_memory(const struct lab_estimate *estimate, const struct lab_device_facts *const *devices,
                               size_t device_count, const char *what, const char *pointer, struct lab_errors *errors);

#endif
