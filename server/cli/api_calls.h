/* The calls of the HTTP API that commands make.
 */
#ifndef LAB_API_CALLS_H
#define LAB_API_CALLS_H

#include "client.h"
#include "command.h"

#include "store.h"

/* GET of a path that answers with JSON; a new reference. NULL with *error. */
json_t *lab_get(struct lab_client *client, const char *path, struct lab_error *error);

/* The run with its measurements; a new reference. NULL with *error. */
json_t *lab_get_run(struct lab_client *client, const char *id, struct lab_error *error);

/* Submits `request`, the body of a POST /runs. LAB_EXIT_OK and the run's id, or an exit code with errors. */
enum lab_exit_code lab_submit_run(struct lab_client *client, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                  struct lab_errors *errors);

/* Both return false with *error. */
bool lab_cancel_run(struct lab_client *client, const char *id, struct lab_error *error);
bool lab_delete_run(struct lab_client *client, const char *id, struct lab_error *error);

#endif
