/* The handlers behind the routes, each in the file of its resource, and the few things that they share.
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

/* 422 with all that is wrong. */
void lab_reply_invalid(struct lab_response *response, const struct lab_errors *errors);
/* What a store's result other than OK means to a client; `what` is "run" and the like. */
void lab_reply_store(const struct lab_request *request, struct lab_response *response, enum lab_store_result result,
                     const char *what);
/* 503 with Retry-After: the store could not be written or read; the client may try again. */
void lab_reply_store_trouble(const struct lab_request *request, struct lab_response *response);
/* False, and the answer is given, when the query has parameters that `allowed` (ends with NULL) does not name. */
bool lab_check_query(const struct lab_request *request, struct lab_response *response, const char *const *allowed);
/* `?samples=true|false`, the only parameter of a request; false when the answer is given. */
bool lab_read_samples(const struct lab_request *request, struct lab_response *response, bool *samples);

/* The strong ETag of everything that store and queue hold at this moment. To be made before they are read, so that a
 * body is never older than its tag. */
enum { LAB_TAG_SIZE = 80 };
void lab_tag_now(const struct lab_api *api, char tag[LAB_TAG_SIZE]);

/* The run as GET /runs/{id} shows it; NULL with *result. */
json_t *lab_api_read_run(struct lab_api *api, const char *id, enum lab_store_result *result);

#endif
