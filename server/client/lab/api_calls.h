/* The calls of the HTTP API that commands make. */
#ifndef LAB_API_CALLS_H
#define LAB_API_CALLS_H

#include "client.h"
#include "url.h"

#include "cli/command.h"
#include "core/run_status.h"

/* Sends a request. Returns LAB_EXIT_OK if the lab did what was asked (status 2xx), with the JSON body in *reply, a new
 * reference or NULL. Otherwise *reply is NULL, the problem document becomes sentences in `errors`, and the result is
 * LAB_EXIT_USAGE where the request was wrong, else LAB_EXIT_ERROR. `reply` may be NULL; *status too, which gets the
 * HTTP status, 0 where there was no response. */
enum lab_exit_code lab_api_call(struct lab_client *client, const struct lab_call *call, json_t **reply, int *status,
                                struct lab_errors *errors);

/* Sends GET `path` and returns the JSON reply, a new reference. Returns NULL with *error set on failure. */
json_t *lab_get(struct lab_client *client, const char *path, struct lab_error *error);

/* Returns the run with that id and its measurements, a new reference. Returns NULL with *error set on failure. */
json_t *lab_run_get(struct lab_client *client, const char *id, struct lab_error *error);

/* Returns all about the experiment with that name, which is one of the lab's, a new reference. Returns NULL with *error
 * set on failure. */
json_t *lab_experiment_get(struct lab_client *client, const char *name, struct lab_error *error);

/* Finds a run by its id, by 8 or more characters at the beginning of its id or 6 or more at its end that no other run
 * has, or by the word "latest". Returns LAB_EXIT_OK with `id` set, or another exit code with errors. */
enum lab_exit_code lab_run_search(struct lab_client *client, const char *word, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors);

/* Lists runs, newest first: the first `limit` of GET `url`, which has path and filters, as often as it takes. Returns
 * LAB_EXIT_OK with a list in *runs and the cursor of the next page (or null) in *next, new references; or another exit
 * code with errors. */
enum lab_exit_code lab_runs_list(struct lab_client *client, const struct lab_url *url, size_t limit, json_t **runs,
                                 json_t **next, struct lab_errors *errors);

/* Sends `request` as the body of POST /runs. Returns LAB_EXIT_OK with the run's id in `id`, or another exit code with
 * errors. */
enum lab_exit_code lab_run_submit(struct lab_client *client, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors);

/* Cancel or delete the run with that id. Return LAB_EXIT_OK, or another exit code with errors. */
enum lab_exit_code lab_cancel_run(struct lab_client *client, const char *id, struct lab_errors *errors);
enum lab_exit_code lab_run_delete(struct lab_client *client, const char *id, struct lab_errors *errors);

/* Changes tags, note or `pinned` of a run (PATCH). `change` gets the run as it is and returns the body of the request,
 * a new reference, or NULL when there is nothing to change. If the run is changed by others meanwhile, it is called
 * again. Returns LAB_EXIT_OK with the run as it is now in *changed, a new reference, or another exit code with
 * errors. */
enum lab_exit_code lab_change_run(struct lab_client *client, const char *id,
                                  json_t *(*change)(const json_t *run, void *context), void *context, json_t **changed,
                                  struct lab_errors *errors);

#endif
