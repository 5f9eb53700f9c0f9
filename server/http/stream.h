/* The open event streams. lab_respond_events (http.h) opens one. */
#ifndef LAB_HTTP_STREAM_H
#define LAB_HTTP_STREAM_H

#include <stdbool.h>

struct lab_connection;
struct lab_http;
struct lab_response;

/* Wakes the streams whose client has left or whose heartbeat is due. The acceptor's thread calls it at each tick. */
void lab_streams_tick(struct lab_http *http);
/* Wakes all streams, so that they end when http->stopping is set. */
void lab_streams_end(struct lab_http *http);

/* The following are also for the requests that are answered later (pending.h), which share the places of the
 * streams. */

/* Responds that no place is left (LAB_SHARE_STREAMS). */
void lab_stream_refuse(struct lab_response *response);
/* libmicrohttpd does not watch a suspended connection, so a client that left is detected here. A client that closed
 * only its sending side counts as having left, because the two cannot be told apart. */
bool lab_client_has_left(const struct lab_connection *connection);
/* Whether the client may still read what it asked for: its token may have been revoked since. */
bool lab_client_may_listen(const struct lab_connection *connection);

#endif
