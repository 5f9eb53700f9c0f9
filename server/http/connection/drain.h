/* Sockets whose connection has ended although the client is still sending a body that the server will not read. Closing
 * such a socket immediately would make the kernel reset the connection, and the client could lose the response that
 * says why. The sockets are therefore read, and the bytes discarded, until the client stops sending or 2 s have passed.
 */
#ifndef LAB_HTTP_DRAIN_H
#define LAB_HTTP_DRAIN_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_DRAINED_MAX = 32 };

struct lab_drain {
    pthread_mutex_t lock; /* for all members below */
    struct {
        int socket;
        int64_t until_ms; /* when the socket is closed at the latest (clock.h) */
    } sockets[LAB_DRAINED_MAX];
    size_t count;
};

void lab_drain_init(struct lab_drain *drain);
/* Closes all sockets. */
void lab_drain_release(struct lab_drain *drain);
/* Takes over the socket. When the list is full, closes it immediately and returns false. Any thread. */
bool lab_drain_add(struct lab_drain *drain, int socket);
/* Fills an array for poll with the sockets, at most LAB_DRAINED_MAX; returns their number. */
size_t lab_drain_poll(struct lab_drain *drain, struct pollfd *polled);
/* Reads from all sockets, without waiting, and closes those whose client has stopped sending or whose time is over. */
void lab_drain_read(struct lab_drain *drain);

#endif
