/* Where the lab's things are and how it runs: what `gpulab`'s commands have in common. Comes from flags, and from the
 * GPULAB_… environment where a flag is absent; there is no configuration file.
 */
#ifndef LAB_CONFIG_H
#define LAB_CONFIG_H

#include "cli/options.h"

#include "core/errors.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/un.h>

struct lab_config {
    /* As given; NULL, 0 or false where neither flag nor environment said anything and there is no fallback. */
    const char *db;
    const char *runtime;
    unsigned host_devices;
    const char *lock_dir;
    const char *worker;
    const char *listen;
    double worker_idle_s;
    struct lab_texts allow_hosts;
    bool insecure;
    const char *server;

    /* Worked out by lab_config_complete. */
    char db_path[PATH_MAX];
    char worker_path[PATH_MAX];
    /* Worked out by lab_config_socket. */
    char socket_path[sizeof((struct sockaddr_un *)0)->sun_path]; /* "" where there can be none */
    int socket_folder;                                           /* held open while socket_path leads through it; -1 */
};

/* Options by what they are about; each table ends with name NULL and fills a struct lab_config. */
extern const struct lab_option lab_store_options[];        /* --db */
extern const struct lab_option lab_worker_options_table[]; /* --runtime, --host-devices, --worker */
extern const struct lab_option lab_serve_options[];        /* --listen, --worker-idle, --allow-host, --insecure */
extern const struct lab_option lab_client_options[];       /* --server */

/* Fills in the paths: the database ($STATE_DIRECTORY/gpulab.db, else
 * ${XDG_STATE_HOME:-~/.local/state}/gpulab/gpulab.db) and the worker (beside this executable, else in ../libexec).
 * False with *error when a path cannot be made. */
bool lab_config_complete(struct lab_config *config, struct lab_error *error);

/* Fills in the path of the Unix socket on which the server of the database is found: `DB.sock`. The database's folder
 * must be there already. False, and the path is "", where there can be no such socket. lab_config_release closes what
 * it opened. */
bool lab_config_socket(struct lab_config *config);
void lab_config_release(struct lab_config *config);

/* Whether "ADDR:PORT" names only this machine: 127.0.0.0/8, [::1] or localhost. */
bool lab_listen_is_loopback(const char *listen);

#endif
