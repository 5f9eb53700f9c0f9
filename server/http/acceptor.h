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
/* Makes the thread check everything immediately. Called when the first connection was opened, and when one was
 * closed while all places were taken. */
void lab_acceptor_wake(struct lab_acceptor *acceptor);
/* Takes over a socket whose client is still sending a body that no handler will read (drain.h). */
void lab_acceptor_drain(struct lab_acceptor *acceptor, int socket);
/* Closes the listener; no connection is accepted after it returns. */
void lab_acceptor_close_listener(struct lab_acceptor *acceptor);
/* Ends the thread. lab_acceptor_wake and lab_acceptor_drain may still be called until the acceptor is freed. */
void lab_acceptor_stop(struct lab_acceptor *acceptor);
/* NULL is allowed and does nothing. */
void lab_acceptor_free(struct lab_acceptor *acceptor);

#endif
