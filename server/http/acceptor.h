/* The acceptor: a thread that accepts connections. At intervals it also enforces deadlines, sends the heartbeats of
 * event streams and drains sockets that are being closed.
 */
#ifndef LAB_HTTP_ACCEPTOR_H
#define LAB_HTTP_ACCEPTOR_H

#include "listen.h"

enum { LAB_CLOSING_MAX = 64 }; /* connections beside connections_max that are being closed */

struct lab_acceptor;
struct lab_http;

/* Sets http->acceptor and starts its thread; takes over the listener when it succeeds. False when out of memory. */
bool lab_acceptor_start(struct lab_http *http, struct lab_listener *listener);
/* Closes the listener; no connection is accepted after it returns. */
void lab_acceptor_close_listener(struct lab_acceptor *acceptor);
/* Ends the thread. */
void lab_acceptor_stop(struct lab_acceptor *acceptor);
/* NULL is allowed and does nothing. */
void lab_acceptor_free(struct lab_acceptor *acceptor);

#endif
