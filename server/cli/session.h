/* Where a command's runs are run: in a lab that serves, over HTTP, or right here by a worker of our own. Both kinds
 * offer the same few things, so that a command does not ask which it has. Used from one thread.
 */
#ifndef LAB_SESSION_H
#define LAB_SESSION_H

#include "command.h"
#include "config.h"
#include "sse.h"

#include "core/errors.h"
#include "store.h"

#include <jansson.h>
#include <stdbool.h>

struct lab_session; /* each kind embeds it as its first member */

struct lab_session_kind {
    /* {"devices":[…]} and {"experiments":[…]} as the API shows them; new references, NULL with *error. */
    json_t *(*devices)(struct lab_session *session, struct lab_error *error);
    json_t *(*experiments)(struct lab_session *session, struct lab_error *error);

    /* Takes the body of a POST /runs; LAB_EXIT_OK and the run's id, or why not with errors. */
    enum lab_exit_code (*submit)(struct lab_session *session, const json_t *request, char id[LAB_RUN_ID_SIZE],
                                 struct lab_errors *errors);
    /* The run with its measurements; a new reference, NULL with *error. */
    json_t *(*read)(struct lab_session *session, const char *id, struct lab_error *error);
    /* Both false with *error. */
    bool (*cancel)(struct lab_session *session, const char *id, struct lab_error *error);
    bool (*remove)(struct lab_session *session, const char *id, struct lab_error *error);

    /* From now on the run's events are fed to `sse`, one run at a time, during `wait`; NULL ends that. */
    bool (*watch)(struct lab_session *session, const char *id, struct lab_sse *sse, struct lab_error *error);
    /* Waits until there was something, a second at most, or until `descriptor` can be read. False when nothing can come
     * any more. */
    bool (*wait)(struct lab_session *session, int descriptor);

    void (*close)(struct lab_session *session);
};

struct lab_session {
    const struct lab_session_kind *kind;
    bool saves; /* its runs stay in a store after it is closed */
};

/* What a session is opened for. */
struct lab_session_wish {
    struct lab_config *config; /* completed */
    bool save;                 /* runs that are run here are kept in the database */
    bool run;                  /* false: only to look at devices and experiments */
};

/* The lab at config->server; else the one that serves this database; else one of our own. NULL with *end and *error. */
struct lab_session *lab_session_open(const struct lab_session_wish *wish, enum lab_exit_code *end,
                                     struct lab_error *error);
/* NULL is nothing. */
void lab_session_close(struct lab_session *session);

/* The two kinds (session_http.c, session_local.c); NULL as above. *error's code is "no-server" when nobody answers. */
struct lab_session *lab_session_http(const char *url, const char *socket_path, struct lab_error *error);
struct lab_session *lab_session_local(const struct lab_session_wish *wish, enum lab_exit_code *end,
                                      struct lab_error *error);

#endif
