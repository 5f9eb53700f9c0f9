/* The rooms behind HTTP and behind a run without a server: store, event stream and queue, opened in this order and
 * closed in the other.
 */
#ifndef LAB_ROOMS_H
#define LAB_ROOMS_H

#include "command.h"
#include "config.h"

#include "events.h"
#include "jobs/jobs.h"
#include "store.h"

struct lab_rooms {
    struct lab_store *store; /* what is NULL is not open */
    struct lab_events *events;
    struct lab_jobs *jobs;
    char host[256];
};

/* Opens all over the database at `db_path`. LAB_EXIT_OK, or why not with *error; what has been opened by then is closed
 * by lab_rooms_close all the same. `rooms` starts as {0}. */
enum lab_exit_code lab_rooms_open(struct lab_rooms *rooms, const struct lab_config *config, const char *db_path,
                                  struct lab_error *error);
/* A run under way becomes `interrupted`, within `grace_s`. */
void lab_rooms_close(struct lab_rooms *rooms, double grace_s);

#endif
