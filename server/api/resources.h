/* The handlers of all routes, each in the file of its resource, and what they share.
 */
#ifndef LAB_RESOURCES_H
#define LAB_RESOURCES_H

#include "api.h"

typedef void lab_handler(const struct lab_request *request, struct lab_response *response);

lab_handler lab_api_list_devices, lab_api_get_device;                /* devices.c */
lab_handler lab_api_list_experiments, lab_api_get_experiment;        /* experiments.c */
lab_handler lab_api_get_source;                                      /* experiments.c */
lab_handler lab_api_list_runs;                                       /* run_list.c */
lab_handler lab_api_create_run;                                      /* run_create.c */
lab_handler lab_api_get_run, lab_api_delete_run, lab_api_cancel_run; /* runs.c */
lab_handler lab_api_get_measurements;                                /* measurements.c */
lab_handler lab_api_get_measurements_csv;                            /* measurements_csv.c */
lab_handler lab_api_get_timeline, lab_api_get_timeline_trace;        /* timeline.c */
lab_handler lab_api_list_references;                                 /* references.c */
lab_handler lab_api_get_queue, lab_api_put_queue;                    /* queue.c */
lab_handler lab_api_stream_events;                                   /* event_stream.c */
lab_handler lab_api_get_version, lab_api_healthz, lab_api_readyz;    /* health.c */
lab_handler lab_api_get_metrics;                                     /* metrics.c */

/* --- replies.c ------------------------------------------------------------------------------------------------------
 */

struct lab_api *lab_api_of(const struct lab_request *request);

/* 422 with all errors. */
void lab_reply_invalid(struct lab_response *response, const struct lab_errors *errors);
/* The response when reading or deleting a run failed with `result`: 404 for LAB_STORE_NOT_FOUND, else 503. */
void lab_reply_store_error(const struct lab_request *request, struct lab_response *response,
                           enum lab_store_result result);
/* 503 with Retry-After: the store could not be read or written. */
void lab_reply_store_unavailable(const struct lab_request *request, struct lab_response *response);
/* False when the query has a parameter that is not in `allowed` (ends with NULL) or is repeated; the response is then
 * set. */
bool lab_check_query(const struct lab_request *request, struct lab_response *response, const char *const *allowed);
/* Reads `?samples=true|false`, the only parameter that is allowed. False on an error; the response is then set. */
bool lab_read_samples(const struct lab_request *request, struct lab_response *response, bool *samples);

/* A strong entity tag of the whole state of store, queue and devices. Call it before reading them: a change in between
 * then makes the tag older than the body, and the client only reads it once more. */
enum { LAB_TAG_SIZE = 80 };
void lab_state_etag(const struct lab_api *api, char tag[LAB_TAG_SIZE]);

/* The run as GET /runs/{id} returns it, a new reference; NULL with *result. */
json_t *lab_api_read_run(struct lab_api *api, const char *id, enum lab_store_result *result);

#endif
