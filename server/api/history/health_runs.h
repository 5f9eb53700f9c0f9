/* The runs of the experiment that checks devices that are judged together, and their values. */
#ifndef LAB_HEALTH_RUNS_H
#define LAB_HEALTH_RUNS_H

#include "resources.h"

#include "analysis/health.h"

/* The run, as lab_run_load returns it, and then the earlier runs with which it is compared, the latest first: those
 * that succeeded with the same parameters on a device model of the run. A new reference; NULL with *result. */
json_t *lab_health_read_runs(const struct lab_api *api, json_t *run, enum lab_store_result *result);

/* What GET /runs/{id}/health answers, a new reference (machine_health.c); NULL: there is no such run of the experiment
 * that checks devices, or a failure. */
json_t *lab_machine_health(const struct lab_api *api, const char *id);

/* The values of these runs, whose texts belong to `runs`; from malloc. NULL when out of memory. */
struct lab_health_value *lab_health_values_of(const json_t *runs, size_t *count);

#endif
