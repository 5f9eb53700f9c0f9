/* The listening sockets: one for TCP and, if asked for, a Unix socket for the user that the server runs as. */
#ifndef LAB_HTTP_LISTEN_H
#define LAB_HTTP_LISTEN_H

#include "core/errors.h"

#include <stdbool.h>
#include <stddef.h>

struct lab_listener;

/* `address` is "127.0.0.1:8080" or the like; one of `address` and `socket_path` may be NULL. NULL with *error. */
struct lab_listener *lab_listener_open(const char *address, const char *socket_path, struct lab_error *error);
/* The TCP socket; -1 when there is none. */
int lab_listener_tcp(const struct lab_listener *listener);
/* The Unix socket; -1 when there is none. */
int lab_listener_unix(const struct lab_listener *listener);
/* Writes "http://ADDRESS:PORT" of the TCP socket, "" when there is none; false when that fails or does not fit. */
bool lab_listener_address(const struct lab_listener *listener, char *text, size_t size);
/* Closes both sockets and removes the Unix socket's file if it is still the one that lab_listener_open made. NULL is
 * allowed and does nothing. */
void lab_listener_close(struct lab_listener *listener);

#endif
