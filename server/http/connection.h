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
/* Lets the acceptor read and discard what the client still sends (drain.h). The acceptor gets a duplicate of the socket's
 * descriptor, because libmicrohttpd closes its own. */
void lab_connection_drain(struct lab_connection *connection);

/* libmicrohttpd's callbacks. In all of them, `context` is the server (struct lab_http). */

/* Called when a connection was opened or closed. */
void lab_connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                           enum MHD_ConnectionNotificationCode code);
/* Called when the request line was read. Returns the request. */
void *lab_connection_begin(void *context, const char *target, struct MHD_Connection *mhd);
/* Called when the headers are complete, then for each piece of the body, then once the body is complete. */
enum MHD_Result lab_connection_handle(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                                      const char *version, const char *upload, size_t *upload_size,
                                      void **request_context);
/* Called when the response was sent, or the connection was lost. */
void lab_connection_end(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code);

#endif
