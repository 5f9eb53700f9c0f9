/* The handlers of all routes, each in the file of its resource, and what they share. */
#ifndef LAB_RESOURCES_H
#define LAB_RESOURCES_H

#include "api.h"

typedef void lab_handler(const struct lab_request *request, struct lab_response *response);

lab_handler lab_api_list_devices, lab_api_get_device;                              /* devices.c */
lab_handler lab_api_list_recorded_devices;                                         /* devices.c */
lab_handler lab_api_get_card;                                                      /* card/card.c */
lab_handler lab_api_list_nodes, lab_api_get_node, lab_api_list_commands;           /* nodes.c */
lab_handler lab_api_get_doctor;                                                    /* doctor.c */
lab_handler lab_api_compile, lab_api_get_compiler;                                 /* compile.c */
lab_handler lab_api_list_experiments, lab_api_get_experiment;                      /* experiments.c */
lab_handler lab_api_get_run_experiment, lab_api_get_source;                        /* experiments.c */
lab_handler lab_api_list_runs;                                                     /* runs/list.c */
lab_handler lab_api_create_run, lab_api_repeat_run;                                /* runs/create.c */
lab_handler lab_api_get_run, lab_api_cancel_run;                                   /* runs/read.c, cancel.c */
lab_handler lab_api_change_run, lab_api_delete_run;                                /* runs/change.c */
lab_handler lab_api_create_sweep, lab_api_get_sweep, lab_api_cancel_sweep;         /* runs/sweeps.c */
lab_handler lab_api_list_challenges, lab_api_get_challenge;                        /* challenges/challenges.c */
lab_handler lab_api_list_ready_challenges, lab_api_get_ranking;                    /* challenges/ */
lab_handler lab_api_publish_challenge, lab_api_change_challenge;                   /* challenges/publish.c */
lab_handler lab_api_delete_challenge, lab_api_submit;                              /* challenges/publish.c, submit.c */
extern const struct lab_schema lab_challenge_body[];                               /* challenges/publish.c */
lab_handler lab_api_get_measurements, lab_api_get_measurements_csv;                /* results/measurements.c */
lab_handler lab_api_get_bencher, lab_api_get_google_benchmark;                     /* results/foreign.c */
lab_handler lab_api_get_explanation;                                               /* results/explanation.c */
lab_handler lab_api_get_chart;                                                     /* results/chart.c */
lab_handler lab_api_get_points_csv;                                                /* results/foreign.c */
lab_handler lab_api_get_timeline, lab_api_get_timeline_trace;                      /* results/timeline.c */
lab_handler lab_api_get_timeline_columns;                                          /* results/timeline_columns.c */
lab_handler lab_api_get_fields, lab_api_get_field;                                 /* results/fields.c */
lab_handler lab_api_get_guide;                                                     /* guide.c */
lab_handler lab_api_list_programs;                                                 /* programs.c */
lab_handler lab_api_list_references;                                               /* references.c */
lab_handler lab_api_get_queue, lab_api_put_queue;                                  /* queue.c */
lab_handler lab_api_stream_events;                                                 /* event_stream.c */
lab_handler lab_api_get_version, lab_api_healthz, lab_api_readyz;                  /* health.c */
lab_handler lab_api_get_metrics;                                                   /* metrics/metrics.c */
lab_handler lab_api_get_openapi;                                                   /* openapi/document.c */
lab_handler lab_api_list_tokens, lab_api_create_token, lab_api_delete_token;       /* tokens.c */
lab_handler lab_api_get_session, lab_api_create_session, lab_api_delete_session;   /* sessions.c */
lab_handler lab_api_list_comments, lab_api_add_comment, lab_api_delete_comment;    /* comments.c */
lab_handler lab_api_list_marks;                                                    /* comments.c */
lab_handler lab_api_list_channels, lab_api_create_channel, lab_api_delete_channel; /* watching/channels.c */
lab_handler lab_api_test_channel, lab_api_list_notices;                            /* watching/channels.c */
lab_handler lab_api_list_watches, lab_api_create_watch, lab_api_delete_watch;      /* watching/channels.c */
extern const struct lab_schema lab_channel_body[], lab_watch_body[];               /* watching/channels.c */
lab_handler lab_api_compare;                                                       /* history/compare.c */
lab_handler lab_api_get_series, lab_api_list_series_points;                        /* history/series.c */
lab_handler lab_api_get_normal;                                                    /* history/normal.c */
lab_handler lab_api_list_measured;                                                 /* history/measured.c */
lab_handler lab_api_get_health;                                                    /* history/machine_health.c */
lab_handler lab_api_export, lab_api_import, lab_api_get_backup;                    /* exchange/ */

#define LAB_IMPORT_MAX ((size_t)16 << 30) /* bytes of an import, compressed and not */

/* Adds what the fields of a new run cannot say: see struct lab_route (runs/create.c). */
void lab_api_add_run_errors(const struct lab_request *request, const json_t *body, struct lab_errors *errors);

/* The device with this id in {"devices":[…]}, as a new reference; NULL when there is none (devices.c). */
json_t *lab_device_find(const json_t *document, const char *id);

/* A run that a request asks for. */
struct lab_new_run {
    const json_t *body;     /* with the fields of lab_new_run_fields */
    const json_t *key_body; /* that of struct lab_submit_options */
    const char *challenge;  /* the same; pointers of errors are then to members of the kernel */
};
/* Stores and queues a run, and responds with it (runs/create.c). */
void lab_submit_run(const struct lab_request *request, struct lab_response *response,
                    const struct lab_new_run *new_run);

/* Responds to a request for a run or a sweep that was not accepted; `result` is neither LAB_SUBMIT_OK nor
 * LAB_SUBMIT_SAME (runs/create.c). */
void lab_reply_not_submitted(const struct lab_request *request, struct lab_response *response,
                             enum lab_submit_result result, const struct lab_errors *errors);

/* --- responses (replies.c) ---------------------------------------------------------------------------------------- */

/* The context that lab_http_start was given. */
struct lab_api *lab_api_of(const struct lab_request *request);

/* The name of the person who sends the request, for `requested_by`; NULL when it is unknown. */
const char *lab_requested_by(const struct lab_request *request);
/* Runs and sweeps that others requested are for admins to cancel, to change and to delete. True where the person who
 * sends the request may not: it has been responded to. What cannot be read is left to the caller, which says why. */
bool lab_refuse_run_of_another(const struct lab_request *request, struct lab_response *response, const char *id);
bool lab_refuse_of_another(const struct lab_request *request, struct lab_response *response, const char *requested_by);
/* The author of what a DELETE may remove: NULL for admins, who remove what anyone added; "" if the person is
 * unknown. */
const char *lab_only_author(const struct lab_request *request);
/* The number that a part of the path is; 0 if it is none. */
int64_t lab_number_of_part(const struct lab_request *request, const char *name);
/* Responds with 422 and all errors. */
void lab_reply_invalid(struct lab_response *response, const struct lab_errors *errors);
/* Responds to a call of the store that failed with `result`: 404 for LAB_STORE_NOT_FOUND, else 503 with Retry-After. */
void lab_reply_store_error(const struct lab_request *request, struct lab_response *response,
                           enum lab_store_result result);
/* Responds with {name: list}, where the call of the store that made the list succeeded. Releases the list. */
void lab_reply_list(const struct lab_request *request, struct lab_response *response, const char *name,
                    enum lab_store_result result, json_t *list);
/* Responds with 201, the body and where it is from now on: its id below the path of the request. */
void lab_reply_created(const struct lab_request *request, struct lab_response *response, int64_t id, json_t *body);
/* Responds to the deletion of something that is called `noun`, with a capital, and that only its author and admins
 * delete. */
void lab_reply_deleted(const struct lab_request *request, struct lab_response *response, const char *noun,
                       enum lab_store_result result);
/* Responds with `status` and the run as GET /runs/{id} returns it. False when the run could not be read; the response
 * is then that of lab_reply_store_error. */
bool lab_reply_run(const struct lab_request *request, struct lab_response *response, int status, const char *id);
/* As lab_reply_run, for a run that was just written: the row given is the answer. */
void lab_reply_run_row(const struct lab_request *request, struct lab_response *response, int status,
                       const struct lab_run_row *row);

/* Tags for the cache (struct lab_route): of the state of store, queue and devices together; of the store alone; of what
 * is compiled in, which never changes. */
void lab_tag_of_state(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE]);
void lab_tag_of_store(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE]);
void lab_tag_of_build(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE]);

/* --- reading runs (runs/read.c) ----------------------------------------------------------------------------------- */

/* The run as GET /runs/{id} returns it: with its measurements, but not their samples. A new reference; NULL with the
 * reason in *result, which is LAB_STORE_FAILED when out of memory. */
json_t *lab_run_load(const struct lab_api *api, const char *id, enum lab_store_result *result);
/* As lab_run_load, for a run whose row was read. */
json_t *lab_run_document(const struct lab_api *api, const struct lab_run_row *row, enum lab_store_result *result);

#endif
