/* Which kind of session it is to be. */
#include "session.h"

#include <string.h>

struct lab_session *lab_session_open(const struct lab_session_wish *wish, enum lab_exit_code *end,
                                     struct lab_error *error)
{
    struct lab_config *config = wish->config;
    struct lab_session *session = NULL;
    *end = LAB_EXIT_ERROR;
    if (config->server != NULL)
        return lab_session_http(config->server, NULL, error);
    if (lab_config_socket(config))
        session = lab_session_http(NULL, config->socket_path, error);
    return session != NULL ? session : lab_session_local(wish, end, error);
}

void lab_session_close(struct lab_session *session)
{
    if (session != NULL)
        session->kind->close(session);
}
