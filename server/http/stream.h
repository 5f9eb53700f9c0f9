/* The open event streams. lab_respond_events (http.h) opens one. */
#ifndef LAB_HTTP_STREAM_H
#define LAB_HTTP_STREAM_H

struct lab_http;

/* Wakes the streams whose client has left or whose heartbeat is due. The acceptor's thread calls it at each tick. */
void lab_streams_tick(struct lab_http *http);
/* Wakes all streams, so that they end when http->stopping is set. */
void lab_streams_end(struct lab_http *http);

#endif
