/* The part of a lab that says who may use it: the tokens of its database, made active (server/auth), and the logs of
 * requests. A thread stores every minute when tokens were last used, so that no request waits for that.
 */
#ifndef LAB_AUTH_SERVICE_H
#define LAB_AUTH_SERVICE_H

#include "periodic.h"
#include "serving.h"

#include "auth/auth.h"
#include "cli/command.h"
#include "http/http.h"

struct lab_auth_service {
    struct lab_auth *auth; /* NULL: not started */
    struct lab_http_logs logs;
    struct lab_store *store;
    struct lab_periodic saving;
};

/* `service` starts as {0}. Refuses to serve other machines without any token: LAB_EXIT_USAGE with *error, code
 * "no-token". The caller calls both functions below in any case. */
enum lab_exit_code lab_auth_service_start(struct lab_auth_service *service, struct lab_store *store,
                                          const struct lab_serving *serving, struct lab_error *error);
/* Opens the logs again. */
void lab_auth_service_reload(struct lab_auth_service *service);
/* Stores when tokens were last used, and writes and closes the logs. HTTP has been stopped; the store is still open. */
void lab_auth_service_stop(struct lab_auth_service *service);

#endif
