/* An HTTP client of one lab, by URL or by Unix socket, on libcurl. Used from one thread. */
#ifndef LAB_CLIENT_H
#define LAB_CLIENT_H

#include "sse.h"

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct lab_client;

/* Creates a client of the lab at `url` or, when `url` is NULL, of the lab that listens on the Unix socket
 * `socket_path`. `token` is sent with each request; NULL for none. Does not connect yet. Returns NULL when out of
 * memory. */
struct lab_client *lab_client_create(const char *url, const char *socket_path, const char *token);
/* Closes the connections. NULL is allowed and does nothing. */
void lab_client_free(struct lab_client *client);

/* A request. Members that are NULL are not sent. */
struct lab_call {
    const char *method, *path; /* path: with the query, percent-encoded */
    const json_t *body;
    const char *if_match;   /* the value of the header If-Match */
    FILE *upload;           /* the body, from here to the end of the file, instead of `body` */
    const char *media_type; /* of `upload` */
    FILE *download;         /* where the body of a response with status 200 is written to, instead of *reply */
};

/* Sends one request. Returns the HTTP status. *reply becomes the parsed body, a new reference, or NULL when the body is
 * not JSON. Returns 0 with *error when there is no complete HTTP response (code "no-server"), or when call->download
 * cannot be written (code "output"). A request with upload or download may take any time as long as bytes arrive. */
int lab_client_request(struct lab_client *client, const struct lab_call *call, json_t **reply, struct lab_error *error);

/* Opens the event stream at `path`, after closing an open one, and waits until the response has begun. `sse` parses the
 * events; it must live until the stream is closed, and a stream that is opened with it again goes on after the last
 * event that it has parsed. A private lab that is ending still answers requests on open connections but takes no new
 * one: then the stream is an event `reset` each second. Returns false with *error set on failure. */
bool lab_client_open_stream(struct lab_client *client, const char *path, struct lab_sse *sse, struct lab_error *error);
/* Closes the event stream. Does nothing when no stream is open. */
void lab_client_close_stream(struct lab_client *client);

/* Waits until data of the event stream arrive or `descriptor` (-1: none) becomes readable, at most one second. Returns
 * false when the stream has ended. */
bool lab_client_wait(struct lab_client *client, int descriptor);

#endif
