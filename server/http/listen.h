/* The listening sockets: one for TCP, and a Unix socket that only the user who runs the server can connect to. */
#ifndef LAB_HTTP_LISTEN_H
#define LAB_HTTP_LISTEN_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>

struct lab_listener;

/* Checks "ADDRESS:PORT". Sets *loopback: whether it is reachable from this machine only, because each address that it
 * stands for is 127.0.0.0/8 or ::1. False with *error, malformed-address or unknown-host. */
bool lab_listen_check(const char *address, bool *loopback, struct lab_error *error);

/* `address` is "ADDRESS:PORT"; NULL for no TCP socket. `socket_path` is NULL for no Unix socket. NULL with *error when
 * it cannot listen. */
struct lab_listener *lab_listener_open(const char *address, const char *socket_path, struct lab_error *error);
/* The TCP socket; -1 when there is none. */
int lab_listener_tcp(const struct lab_listener *listener);
/* The Unix socket; -1 when there is none. */
int lab_listener_unix(const struct lab_listener *listener);
/* Writes "SCHEME://ADDRESS:PORT" of the TCP socket, "" when there is none. False when the address cannot be read or
 * does not fit. */
bool lab_listener_address(const struct lab_listener *listener, const char *scheme, char *text, size_t size);
/* Closes both sockets and removes the Unix socket's file if it is still the one that lab_listener_open made. NULL is
 * allowed and does nothing. */
void lab_listener_close(struct lab_listener *listener);

#endif
