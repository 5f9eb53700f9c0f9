/* The parts of a lab that serves: store, event stream, tokens and logs, queue, HTTP. They start in this order and stop
 * so that nothing uses a part that is closed.
 */
#ifndef LAB_SERVICE_H
#define LAB_SERVICE_H

#include "auth_service.h"
#include "node_service.h"
#include "retention.h"
#include "serving.h"

#include "api/api.h"
#include "cli/command.h"
#include "cli/config.h"
#include "http/http.h"
#include "notices/notices.h"

#include <limits.h>
#include <pthread.h>

struct lab_service {
    struct lab_store *store; /* NULL: not started; likewise events, jobs, compiler and http */
    struct lab_events *events;
    struct lab_node_service nodes;
    struct lab_jobs *jobs;
    struct lab_compiler *compiler;
    struct lab_auth_service auth;
    struct lab_retention retention;
    struct lab_notices *notices; /* NULL: not started; likewise watcher */
    struct lab_watcher *watcher;
    struct lab_http *http;
    struct lab_api api;    /* the parts above, for the HTTP handlers */
    char folder[PATH_MAX]; /* of the database, for temporary files */
    /* for lab_service_stop */
    pthread_mutex_t stop_lock; /* for `stopped` */
    pthread_cond_t part_stopped;
    size_t stopped; /* how many parts have stopped */
};

/* Starts all parts but HTTP, on the database config->db_path. `service` starts as {0}, `config` and `serving` must
 * outlive it. Returns LAB_EXIT_OK, or another exit code with *error set: code "store-in-use" when another process has
 * the database open, "nodes" for a list of nodes that cannot be used, "no-token" when other machines could reach it
 * without any token. The caller calls lab_service_stop in any case. */
enum lab_exit_code lab_service_start(struct lab_service *service, const struct lab_config *config,
                                     const struct lab_serving *serving, struct lab_error *error);
/* Serves HTTP on serving->listen, unless it is NULL, and on the Unix socket of the database; config->socket_path is ""
 * afterwards where there can be no socket. Returns false with *error set. */
bool lab_service_listen(struct lab_service *service, struct lab_config *config, const struct lab_serving *serving,
                        struct lab_error *error);
/* Reads again what may have been replaced: opens the logs again, and uses a new TLS certificate for new
 * connections; when it is not valid, stderr says so, and the old one stays in use. */
void lab_service_reload(struct lab_service *service);
/* Stops the parts that were started, within 5 s. A run in progress becomes `interrupted`. False when a part hangs (a
 * request, a disk, a driver), which stderr names: its thread still uses the parts, which therefore stay, and the
 * process must end with _exit. The next start marks the run as interrupted then. */
bool lab_service_stop(struct lab_service *service);

#endif
