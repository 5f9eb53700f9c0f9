/* Requests that are answered later: their handler is called again when an event has happened, or their time is over.
 * lab_request_await and lab_respond_later (http.h) make one of a request. */
#ifndef LAB_HTTP_PENDING_H
#define LAB_HTTP_PENDING_H

#include <stdbool.h>

struct lab_http;
struct lab_pending;
struct lab_request;

/* Whether the request asks to be answered later: its query has `wait`, and not 0. */
bool lab_request_waits(const struct lab_request *request);
/* Whether the handler has put its response off, since the last call of lab_pending_suspend. */
bool lab_pending_is_postponed(const struct lab_pending *pending);
/* Leaves the connection suspended and returns true; `again` is then called with the request on a thread of its route's
 * pool, and the caller must no longer use the request. False when an event has happened since the handler was called,
 * which the caller must call again. */
bool lab_pending_suspend(struct lab_pending *pending, void (*again)(struct lab_request *request));
/* NULL is allowed and does nothing. */
void lab_pending_free(struct lab_pending *pending);

/* Calls the handlers of the requests whose time is over, or whose client has left or lost its token. The acceptor's
 * thread calls it at each tick. */
void lab_pending_tick(struct lab_http *http);
/* Has all of them rejected, because http->stopping is set. */
void lab_pending_end(struct lab_http *http);

#endif
