/* A connection, and libmicrohttpd's callbacks. */
#ifndef LAB_HTTP_CONNECTION_H
#define LAB_HTTP_CONNECTION_H

#include "request.h"

#include <microhttpd.h>
#include <stdatomic.h>

enum {
    LAB_CONNECTIONS_MAX = 512,         /* with everything else, fits into the usual limit of 1024 descriptors */
    LAB_CONNECTION_MEMORY = 16 * 1024, /* request line and headers must fit into it */
};

struct lab_connection {
    struct lab_http *http;
    struct MHD_Connection *mhd;
    struct lab_connection *previous, *next; /* under http->connections_lock */
    int socket;
    atomic_int_least64_t deadline_ms; /* when it is shut down; LAB_NO_DEADLINE */
    atomic_bool idle;                 /* between two requests */
    struct lab_request request;
};

/* In all of them, `context` is the server (struct lab_http). */

/* A connection was opened or closed. */
void lab_connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                           enum MHD_ConnectionNotificationCode code);
/* The request line was read. Returns the request. */
void *lab_connection_begin(void *context, const char *target, struct MHD_Connection *mhd);
/* Called when the headers are complete, then for each piece of the body, then once the body is complete. */
enum MHD_Result lab_connection_handle(void *context, struct MHD_Connection *mhd, const char *url, const char *method,
                                      const char *version, const char *upload, size_t *upload_size,
                                      void **request_context);
/* The response was sent, or the connection was lost. */
void lab_connection_end(void *context, struct MHD_Connection *mhd, void **request_context,
                        enum MHD_RequestTerminationCode code);

#endif
