/* Work: the body of a request, and its handler, on libmicrohttpd's thread or on one of a pool. */
#ifndef LAB_HTTP_WORK_H
#define LAB_HTTP_WORK_H

#include "http/connection/connection.h"

struct lab_pending;

/* Makes the response and sends it. The request is complete or rejected. When the handler runs on a thread of a pool,
 * suspends the connection; libmicrohttpd calls again when the response is there. */
enum MHD_Result lab_request_handle(struct lab_request *request);
/* Checks the request against its route's fields. False when it is wrong, and then the response has all errors. */
bool lab_request_check(struct lab_request *request, struct lab_response *response);

/* --- body.c ------------------------------------------------------------------------------------------------------- */

/* Takes the next bytes from libmicrohttpd, sets *size to 0 unless the connection is suspended first. */
enum MHD_Result lab_body_take(struct lab_request *request, const char *bytes, size_t *size);
/* Makes the body ready for the handler, on the handler's thread. False when it rejected the request. */
bool lab_body_finish(struct lab_request *request);
void lab_body_release(struct lab_body *body);

/* --- pending.c ---------------------------------------------------------------------------------------------------- */

/* Requests that are answered later: their handler is called again when an event has happened, or their time is over.
 * lab_request_await and lab_respond_later (http.h) make one of a request. */

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
