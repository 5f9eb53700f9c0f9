/* A connection: who is at its other end, its request, what it waits for. */
#ifndef LAB_HTTP_CONNECTION_H
#define LAB_HTTP_CONNECTION_H

#include "clients.h"
#include "peer.h"
#include "phase.h"
#include "request.h"
#include "server.h"
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

/* Whether the client has closed its side. libmicrohttpd does not watch a suspended connection. A client that closed
 * only its sending side counts as having left, because the two cannot be told apart. */
bool lab_connection_has_left(const struct lab_connection *connection);
/* Whether the client may still read what it asked for: its token may have been revoked since. */
bool lab_connection_may_listen(const struct lab_connection *connection);
/* Lets the acceptor's thread read and discard what the client still sends (drain.h). It gets a duplicate of the
 * socket's descriptor, because libmicrohttpd closes its own. */
void lab_connection_drain(struct lab_connection *connection);

/* Makes the acceptor's thread check everything immediately. Any thread. */
void lab_http_wake(struct lab_http *http);

#endif
