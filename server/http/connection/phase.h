/* What a connection is doing now, how long it may, and which connection is closed for a new one.
 *
 * Deadlines are enforced here because libmicrohttpd's timeout restarts with every byte. All members of struct lab_wait
 * are guarded by http->connections_lock. */
#ifndef LAB_HTTP_PHASE_H
#define LAB_HTTP_PHASE_H

#include "clients.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

struct lab_connection;
struct lab_http;

enum lab_phase {
    LAB_PHASE_HEADER,  /* the client sends a request line and headers */
    LAB_PHASE_BODY,    /* the client sends a body */
    LAB_PHASE_HANDLER, /* a thread of a pool makes the response, or its next piece; the connection is suspended */
    LAB_PHASE_SENDING, /* the client receives a response, or events */
    LAB_PHASE_STREAM, /* an event stream has nothing to send, or a request is answered later (work/pending.c); the same */
    LAB_PHASE_IDLE,   /* the client may send another request */
};

struct lab_wait {
    enum lab_phase phase;
    int64_t began_ms, progress_ms;       /* the phase began, and the client last sent or accepted bytes (clock.h) */
    size_t received;                     /* bytes of the body in this phase */
    uint64_t accepted, accepted_at_tick; /* what the client has acknowledged: now, and when that was first read */
    bool is_counted;                     /* `accepted` was read in this phase */
    bool has_left;   /* at the last tick the client had closed its side, and nothing was left to read */
    bool is_closing; /* the connection was shut down */
    bool is_waiting; /* in client->waiting */
    size_t held;     /* bytes of the response that are in memory until the client has accepted them */
    TAILQ_ENTRY(lab_connection) link; /* in client->waiting: when the client has to do something */
};

/* Bytes of all responses that wait for their clients, but for those that are no larger than LAB_CONNECTION_MEMORY. A
 * larger one is sent while there is no other. */
enum { LAB_HELD_MAX = 64 << 20 };

/* Begins a phase. Must be called before the connection is suspended, or resumed. */
void lab_phase_enter(struct lab_connection *connection, enum lab_phase phase);
/* Begins LAB_PHASE_SENDING with a response of `bytes` bytes in memory. When all of them would have more than
 * LAB_HELD_MAX, shuts down the connections whose clients have accepted nothing for longest; false when that is not
 * enough. */
bool lab_phase_send(struct lab_connection *connection, size_t bytes);
/* The client has sent `bytes` more bytes of a body. */
void lab_phase_received(struct lab_connection *connection, size_t bytes);
/* The connection leaves its phase, because it is being freed. The caller holds http->connections_lock. */
void lab_phase_leave(struct lab_connection *connection);

/* Shuts down connections that have exceeded the time of their phase; libmicrohttpd then closes them. The acceptor's
 * thread calls it at each tick. */
void lab_phases_enforce(struct lab_http *http);
/* Frees a place for a new connection of the address: when all places are taken, or those of the address, shuts down the
 * connection that has waited for its client for longest. False when there is none. */
bool lab_phases_make_room(struct lab_http *http, const struct sockaddr *address);
/* Shuts down the connection that has waited for its client for longest, because a new one cannot be accepted without;
 * does nothing while one is closing. */
void lab_phases_close_one(struct lab_http *http);

/* Takes one of what the client's address may have (clients.h); false when there is no more. */
bool lab_connection_take(struct lab_connection *connection, enum lab_share share);
void lab_connection_give_back(struct lab_connection *connection, enum lab_share share);

#endif
