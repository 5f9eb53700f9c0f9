/* The quick health check of devices that a whole program has left with errors, before the next run uses them. */
#ifndef LAB_DEVICE_CHECK_H
#define LAB_DEVICE_CHECK_H

#include "run_attempt.h"

/* Whether the run's devices can be used: those that are suspect (lab_devices_set_suspect) are checked by the experiment
 * health, with the worker that lab_warm_ensure has prepared. `note` gets a sentence about a check that was passed,
 * which also ends the suspicion; "": there was none. False with *error set where a device fails, or where the check was
 * stopped. A run of health is its own check. */
bool lab_device_check(struct lab_node *node, const struct lab_run_request *request, char note[LAB_DETAIL_MAX],
                      struct lab_error *error);

/* To be called when the run has ended: notes that its devices are suspect, if it had a program and `lost` says that one
 * of them does not answer as it should, or that no longer, if it was a run of health that succeeded. */
void lab_device_check_learn(struct lab_node *node, const struct lab_run_request *request, bool lost, bool succeeded);

#endif
