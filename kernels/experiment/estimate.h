/* Checks of the number of points and of device memory, and the estimated duration, for the plans of all experiments. */
#ifndef LAB_ESTIMATE_H
#define LAB_ESTIMATE_H

#include "experiment/experiment.h"

/* Adds the error of a sweep that has more than LAB_POINTS_MAX points. Always returns false, so that a plan can write
 * `return lab_estimate_add_too_many_points(errors)`. */
bool lab_estimate_add_too_many_points(struct lab_errors *errors);

/* Checks that estimate->device_bytes do not exceed the total memory of any device; a device whose memory is unknown
 * passes. Otherwise adds an error at `pointer` for each device that has less, and returns false. `what` names the
 * buffers, at the beginning of the error's detail: "a source and a destination of max_bytes". */
bool lab_estimate_check_memory(const struct lab_estimate *estimate, const struct lab_device_facts *const *devices,
                               size_t device_count, const char *what, const char *pointer, struct lab_errors *errors);

/* Adds to the estimated duration what a point takes besides points that are already counted: preparing it (`setup_s`,
 * which includes filling, poisoning and checking its buffers), warm-up, calibration, settling if `compute` is set as in
 * struct lab_work, samples, and the repetition that is verified (METHOD.md 5). */
void lab_estimate_add_point(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                            double seconds_per_repetition, double setup_s, bool compute);

/* Limits the sum of all points to what the time budget allows. Call once, after the last point. */
void lab_estimate_finish(struct lab_estimate *estimate, const struct lab_parameters *parameters);

#endif
