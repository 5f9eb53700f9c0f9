/* The queue, runs and measurements as JSON, in the form that server/api/API.md documents. The event stream and the API
 * both use these, so that a run looks the same everywhere. Functions that return JSON return a new reference, NULL when
 * out of memory. Missing values are null. May be called from any thread.
 */
#ifndef LAB_RUN_JSON_H
#define LAB_RUN_JSON_H

#include "jobs.h"

#include <jansson.h>

/* The queue as in GET /api/v1/queue and in the event queue.updated: {length, running, runs, paused, held}. */
json_t *lab_queue_json(const struct lab_queue_state *state);

/* The ids of devices [{id, name, node}], as an array. A new reference. */
json_t *lab_device_ids_json(const json_t *devices);

/* Whether one of the devices [{id, name, node}] is a GPU, not a host device. */
bool lab_devices_have_gpu(const json_t *devices);

/* An own kernel of the store (lab_run_row.kernel), with the version of its expressions: kernels that were stored
 * without one have the first. */
json_t *lab_kernel_json(const char *kernel);

/* Removes from a kernel what its outputs are compared with; NULL and null are allowed. */
void lab_kernel_hide_expected(json_t *kernel);

/* What a run is compared with (lab_run_row.compare_with), with ids as its devices, as in a request. A new reference;
 * NULL when out of memory. */
json_t *lab_compare_with_json(const char *compare_with);

/* A run as in GET /runs/{id}, without `measurements`: the members that run_members.h declares. `live` may be NULL: then
 * those that are live are null. While a submission to a challenge is secret, its kernel is without what its outputs are
 * compared with, whoever reads it. */
json_t *lab_run_json(const struct lab_run_row *run, const struct lab_live_state *live);
/* The document of a run as lists and the event run.updated have it: without LAB_RUN_DETAILS, the sources of own kernels
 * and the texts of programs. */
json_t *lab_run_summary_json(const struct lab_run_row *run, const struct lab_live_state *live);

/* A measurement, without samples. */
json_t *lab_measurement_row_json(const struct lab_measurement_row *row);
/* Adds to a measurement, as a worker sends it, what its answers have besides: `throttled_by` of its conditions, and
 * `cautions`. */
void lab_measurement_add_cautions(json_t *measurement);

#endif
