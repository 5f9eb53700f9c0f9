/* The run that stands for an experiment on a device. */
#ifndef LAB_RUN_LIST_H
#define LAB_RUN_LIST_H

#include "resources.h"

#include "descriptor/experiment.h"

/* The summary of the run that GET /runs?latest=result lists for the experiment, the device with this id, and runs that
 * succeeded: a new reference, NULL where there is none, and with *result on a failure. */
json_t *lab_run_standing_for(const struct lab_request *request, const struct lab_experiment *experiment,
                             const char *device, enum lab_store_result *result);

#endif
