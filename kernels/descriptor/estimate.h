/* Checks of the number of points and of device memory, and the estimated duration, for the plans of all experiments. */
#ifndef LAB_ESTIMATE_H
#define LAB_ESTIMATE_H

#include "descriptor/points.h"

/* Checks that estimate->device_bytes do not exceed the total memory of any device; a device whose memory is unknown
 * passes. Otherwise adds an error at `pointer` for each device that has less, and returns false. `what` names the
 * buffers, at the beginning of the error's detail: "a source and a destination of max_bytes". */
bool lab_estimate_check_memory(const struct lab_estimate *estimate, const struct lab_device_facts *const *devices,
                               size_t device_count, const char *what, const char *pointer, struct lab_errors *errors);

/* Raises the estimated memory to what a point needs. */
void lab_estimate_raise_memory(struct lab_estimate *estimate, uint64_t device_bytes, uint64_t host_bytes);

/* Adds to the estimated duration what a point takes besides points that are already counted: preparing it (`setup_s`,
 * which includes filling, poisoning and checking its buffers), warm-up, calibration, settling if `compute` is set as in
 * struct lab_work, samples, and the repetition that is verified (METHOD.md 5). It is the mean over the loads of the
 * request, because as many points have one as the other. */
void lab_estimate_add_point(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                            double seconds_per_repetition, double setup_s, bool compute);

/* Adds the time in which the energy of a point of arithmetic work is measured (measure/energy.c), if the experiment has
 * such a metric and the device may report it. */
void lab_estimate_add_energy(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                             const struct lab_device_facts *device, double seconds_per_repetition);

/* Adds the time in which the hardware counters of a point are read (measure/counting.c), if the request asks for them
 * and the device may have them. It is not part of the time budget. */
void lab_estimate_add_counters(struct lab_estimate *estimate, const struct lab_parameters *parameters,
                               const struct lab_device_facts *device, double seconds_per_repetition);

/* Estimates all points of a request: counts them, calls `add` for each, which adds what the point takes, and calls
 * lab_estimate_finish. Returns false with an error added, as lab_points_init does. */
bool lab_estimate_points(const struct lab_points_request *request,
                         void (*add)(const struct lab_points_request *request, const struct lab_point *point,
                                     struct lab_estimate *estimate),
                         struct lab_estimate *estimate, struct lab_errors *errors);

/* Seconds that a run can take at most, with the time by which it may exceed its budget (METHOD.md 5). */
double lab_estimate_longest_s(const struct lab_parameters *parameters);

/* Limits the sum of all points to what the time budget allows, and adds the time of the hardware counters. Call once,
 * after the last point. */
void lab_estimate_finish(struct lab_estimate *estimate, const struct lab_parameters *parameters);
/* Takes the time of the hardware counters out of the seconds of a finished estimate, for an estimate of both sides of a
 * comparison, which lab_estimate_finish finishes again. */
void lab_estimate_leave_out_counters(struct lab_estimate *estimate);

#endif
