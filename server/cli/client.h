/* HTTP to a lab: the one at a URL, or the one that serves this machine's database, over its Unix socket. By libcurl.
 * Used from one thread.
 */
#ifndef LAB_CLIENT_H
#define LAB_CLIENT_H

#include "sse.h"

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

struct lab_client;

/* `url` NULL: the lab behind `socket_path`. Sends nothing yet. NULL when libcurl cannot be had. */
struct lab_client *lab_client_create(const char *url, const char *socket_path);
void lab_client_free(struct lab_client *client);

/* One request; `body` may be NULL. Returns the HTTP status and in *reply the parsed body, a new reference, NULL when it
 * has none. 0 with *error (code "no-server") when the lab cannot be reached or speaks no HTTP. */
int lab_client_request(struct lab_client *client, const char *method, const char *path, const json_t *body,
                       json_t **reply, struct lab_error *error);

/* Opens the event stream at `path` and returns when the lab has begun it; what comes is fed to `sse`, which must live
 * until the stream is closed. One stream at a time. False with *error. */
bool lab_client_stream(struct lab_client *client, const char *path, struct lab_sse *sse, struct lab_error *error);
/* Closes it; nothing when there is none. */
void lab_client_unstream(struct lab_client *client);

/* Waits for something on the stream, at most a second, or until `descriptor` can be read. False when the stream has
 * ended. */
bool lab_client_wait(struct lab_client *client, int descriptor);

#endif
