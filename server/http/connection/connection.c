/* What libmicrohttpd holds for a connection, and what is done with its socket. */
#include "connection.h"

#include "auth/auth.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

struct lab_connection *lab_connection_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

gnutls_session_t lab_connection_tls(const struct lab_connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info != NULL ? info->tls_session : NULL;
}

bool lab_connection_has_left(const struct lab_connection *connection)
{
    struct pollfd state = {.fd = connection->socket, .events = POLLRDHUP};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool lab_connection_may_listen(const struct lab_connection *connection)
{
    struct lab_auth *auth = connection->http->auth;
    return auth == NULL || lab_auth_is_valid(auth, &connection->request.identity);
}

void lab_connection_drain(struct lab_connection *connection)
{
    int copy = fcntl(connection->socket, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0 && lab_drain_add(&connection->http->drain, copy))
        lab_http_wake(connection->http);
}

void lab_http_wake(struct lab_http *http)
{
    uint64_t one = 1;
    if (write(http->wake, &one, sizeof one) < 0)
        return; /* the counter is at its maximum: a wake is pending already */
}
