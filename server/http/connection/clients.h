/* The addresses that clients connect from (struct lab_address), and their shares of what all clients share:
 * connections, event streams and the requests that wait for a thread. One address may have a quarter of it. An IPv6
 * network of 64 bits counts as one address, because one client usually has all of it. A loopback address and the Unix
 * socket may have seven eighths, because all clients of a proxy on this machine come from there.
 *
 * The caller holds http->connections_lock in all functions.
 */
#ifndef LAB_HTTP_CLIENTS_H
#define LAB_HTTP_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/socket.h>

struct lab_connection;
struct lab_clients;

enum { LAB_REQUESTS_MAX = 256 };

enum lab_share {
    LAB_SHARE_CONNECTIONS,
    LAB_SHARE_STREAMS,  /* event streams */
    LAB_SHARE_REQUESTS, /* that wait for a thread of a pool, or run on one: at most LAB_REQUESTS_MAX */
    LAB_SHARES,
};

/* An address with at least one connection. */
struct lab_address {
    LIST_ENTRY(lab_address) in_bucket, of_count;
    unsigned char key[16]; /* an IPv6 address; IPv4 addresses are mapped, the Unix socket is all zero */
    bool is_local;
    size_t used[LAB_SHARES];
    size_t closing; /* connections of `used` that were shut down and that libmicrohttpd has yet to close */
    TAILQ_HEAD(, lab_connection) waiting; /* for their client, the one that has waited longest first (phase.h) */
};

/* `connections` is the number of places for connections. NULL when out of memory. */
struct lab_clients *lab_clients_create(size_t connections);
/* NULL is allowed and does nothing. */
void lab_clients_free(struct lab_clients *clients);

/* The client with this address; NULL when it has no connection. */
struct lab_address *lab_clients_find(const struct lab_clients *clients, const struct sockaddr *address);
/* Adds a connection of this address. NULL when out of memory. */
struct lab_address *lab_clients_join(struct lab_clients *clients, const struct sockaddr *address);
/* Removes a connection of the client, which was closing or not; the client is freed with its last one. */
void lab_clients_leave(struct lab_clients *clients, struct lab_address *client, bool was_closing);
/* Notes that a connection of the client is closing: its place is free. */
void lab_clients_note_closing(struct lab_clients *clients, struct lab_address *client);
/* How many connections are. */
size_t lab_clients_closing(const struct lab_clients *clients);

/* Whether the client, or all clients together, have as much as they may. `client` may be NULL: a new one. */
bool lab_clients_is_full(const struct lab_clients *clients, const struct lab_address *client, enum lab_share share);
/* Takes one of the client's share; false when there is no more. Not for connections. */
bool lab_clients_take(struct lab_clients *clients, struct lab_address *client, enum lab_share share);
void lab_clients_give_back(struct lab_clients *clients, struct lab_address *client, enum lab_share share);

/* The connection that has waited for its client for longest: of `client`, or, when it is NULL, of the client with the
 * most connections. NULL when none waits. */
struct lab_connection *lab_clients_longest_waiting(const struct lab_clients *clients, const struct lab_address *client);

#endif
