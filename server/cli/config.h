/* The options that several commands share, and the paths that follow from them. A value comes from its flag, else from
 * its GPULAB_... environment variable, else it is the default; there is no configuration file.
 */
#ifndef LAB_CONFIG_H
#define LAB_CONFIG_H

#include "options.h"

#include "core/errors.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/un.h>

struct lab_config {
    /* The options' values; NULL, 0 or false for an option without value and default. */
    const char *db;
    const char *runtime;
    unsigned host_devices;
    const char *lock_dir;
    const char *programs, *program_user;
    const char *worker, *compiler;

    bool history; /* a private lab only shows the history: it starts no run, and has a Unix socket of its own */

    /* Set by lab_config_complete. */
    char db_path[PATH_MAX];
    char worker_path[PATH_MAX], compiler_path[PATH_MAX];
    /* Set by lab_config_socket. */
    /* "": no socket is possible, because the path is too long */
    char socket_path[sizeof((struct sockaddr_un *)0)->sun_path];
    int socket_folder; /* open descriptor of the folder, if socket_path refers to it; else -1 */
};

/* Tables of options for lab_options_parse; each ends with name NULL and fills a struct lab_config. */
extern const struct lab_option lab_database_options[]; /* --db */
extern const struct lab_option lab_worker_options_table
    []; /* --runtime, --host-devices, --worker, --compiler, --lock-dir, --programs, --program-user */

/* Sets the path of the database ($STATE_DIRECTORY/gpulab.db, else ${XDG_STATE_HOME:-~/.local/state}/gpulab/gpulab.db),
 * of the worker and of the compiler (beside this executable, else in ../libexec/gpulab) where the options do not give
 * them. Returns false with an error when there is no such path. */
bool lab_config_complete(struct lab_config *config, struct lab_errors *errors);

/* Sets the path of the Unix socket on which the lab that serves the database listens: the database's path and ".sock",
 * or ".history.sock" with config->history, so that commands which start runs do not find that lab. The database's
 * folder must exist. False, and the path is "", where it is too long for a socket. lab_config_release closes
 * socket_folder. */
bool lab_config_socket(struct lab_config *config);
void lab_config_release(struct lab_config *config);

#endif
