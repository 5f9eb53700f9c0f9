/* A connection. */
#ifndef LAB_HTTP_CONNECTION_H
#define LAB_HTTP_CONNECTION_H

#include "clients.h"
#include "peer.h"
#include "phase.h"
#include "request.h"
#include "tls.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/queue.h>

enum {
    LAB_CONNECTION_MEMORY = 16 * 1024, /* bytes for the request line and the headers together */
};

struct lab_connection {
    struct lab_http *http;
    struct MHD_Connection *mhd;
    int socket;
    struct lab_peer peer;
    struct lab_tls_pair *tls_pair; /* NULL without TLS */
    bool refused;                  /* lab_connection_refuse was called */
    struct lab_request request;

    /* The following are guarded by http->connections_lock. */
    LIST_ENTRY(lab_connection) link; /* in http->connections */
    struct lab_address *client;      /* its address */
    struct lab_wait wait;
};

/* The connection of libmicrohttpd's handle; NULL when memory ran out for it. */
struct lab_connection *lab_connection_of(struct MHD_Connection *mhd);

/* The TLS session of the connection; NULL without TLS. */
gnutls_session_t lab_connection_tls(const struct lab_connection *connection);

/* The following are in refuse.c. */

/* Writes a problem document to the socket, and lets the acceptor drain it. No response has been sent; the caller makes
 * libmicrohttpd close the connection. Later calls for a connection do nothing. */
void lab_connection_refuse(struct lab_connection *connection, enum lab_error_code code, const char *detail);
/* Lets the acceptor read and discard what the client still sends (drain.h). The acceptor gets a duplicate of the
 * socket's descriptor, because libmicrohttpd closes its own. */
void lab_connection_drain(struct lab_connection *connection);

#endif
