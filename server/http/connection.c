/* What libmicrohttpd holds for a connection. */
#include "connection.h"

struct lab_connection *lab_connection_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

gnutls_session_t lab_connection_tls(const struct lab_connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info != NULL ? info->tls_session : NULL;
}
