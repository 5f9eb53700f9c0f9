/* Bodies that are produced while they are sent. */
#ifndef LAB_HTTP_BODY_STREAM_H
#define LAB_HTTP_BODY_STREAM_H

#include "http/connection/response.h"

struct lab_connection;

/* libmicrohttpd's response with the body that the producer makes. It takes over the producer's context. NULL when out
 * of memory; the context is then still the caller's. */
struct MHD_Response *lab_body_stream_create(struct lab_connection *connection, const struct lab_producer *producer);

#endif
