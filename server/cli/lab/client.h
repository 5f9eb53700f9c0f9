/* An HTTP client of one lab, by URL or by Unix socket, on libcurl. Used from one thread. */
#ifndef LAB_CLIENT_H
#define LAB_CLIENT_H

#include "sse.h"

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

struct lab_client;

/* Creates a client of the lab at `url` or, when `url` is NULL, of the lab that listens on the Unix socket
 * `socket_path`. Does not connect yet. Returns NULL when out of memory. */
struct lab_client *lab_client_create(const char *url, const char *socket_path);
/* Closes the connections. NULL is allowed and does nothing. */
void lab_client_free(struct lab_client *client);

/* Sends one request; `body` may be NULL. Returns the HTTP status. *reply becomes the parsed body, a new reference, or
 * NULL when the body is not JSON. Returns 0 with *error (code "no-server") when there is no HTTP response. */
int lab_client_request(struct lab_client *client, const char *method, const char *path, const json_t *body,
                       json_t **reply, struct lab_error *error);

/* Opens the event stream at `path`, after closing an open one, and waits until the response has begun. `sse` parses the
 * events; it must live until the stream is closed. Returns false with *error set on failure. */
bool lab_client_open_stream(struct lab_client *client, const char *path, struct lab_sse *sse, struct lab_error *error);
/* Closes the event stream. Does nothing when no stream is open. */
void lab_client_close_stream(struct lab_client *client);

/* Waits until data of the event stream arrive or `descriptor` (-1: none) becomes readable, at most one second. Returns
 * false when the stream has ended. */
bool lab_client_wait(struct lab_client *client, int descriptor);

#endif
