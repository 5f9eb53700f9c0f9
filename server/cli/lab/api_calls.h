/* The calls of the HTTP API that commands make. */
#ifndef LAB_API_CALLS_H
#define LAB_API_CALLS_H

#include "client.h"
#include "command.h"

#include "store.h"

/* Sends GET `path` and returns the JSON reply, a new reference. Returns NULL with *error set on failure. */
json_t *lab_get(struct lab_client *client, const char *path, struct lab_error *error);

/* Returns the run with that id and its measurements, a new reference. Returns NULL with *error set on failure. */
json_t *lab_get_run(struct lab_client *client, const char *id, struct lab_error *error);

/* Sends `request` as the body of POST /runs. Returns LAB_EXIT_OK with the run's id in `id`, or another exit code with
 * errors. */
enum lab_exit_code lab_submit_run(struct lab_client *client, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors);

/* Cancels or deletes the run with that id. Both return false with *error set on failure. */
bool lab_cancel_run(struct lab_client *client, const char *id, struct lab_error *error);
bool lab_delete_run(struct lab_client *client, const char *id, struct lab_error *error);

#endif
