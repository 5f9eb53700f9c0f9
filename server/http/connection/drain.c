#include "drain.h"

#include "core/clock.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DRAIN_MS = 2000 };

void lab_drain_init(struct lab_drain *drain)
{
    pthread_mutex_init(&drain->lock, NULL);
    drain->count = 0;
}

void lab_drain_release(struct lab_drain *drain)
{
    for (size_t i = 0; i < drain->count; i++)
        close(drain->sockets[i].socket);
    pthread_mutex_destroy(&drain->lock);
}

bool lab_drain_add(struct lab_drain *drain, int socket)
{
    pthread_mutex_lock(&drain->lock);
    bool added = drain->count < LAB_DRAINED_MAX;
    if (added) {
        drain->sockets[drain->count].socket = socket;
        drain->sockets[drain->count++].until_ms = lab_clock_coarse_ms() + DRAIN_MS;
    }
    pthread_mutex_unlock(&drain->lock);
    if (!added)
        close(socket);
    return added;
}

size_t lab_drain_poll(struct lab_drain *drain, struct pollfd *polled)
{
    pthread_mutex_lock(&drain->lock);
    size_t count = drain->count;
    for (size_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){.fd = drain->sockets[i].socket, .events = POLLIN};
    pthread_mutex_unlock(&drain->lock);
    return count;
}

/* Discards what has arrived. False when the client has stopped sending or the connection is broken. */
static bool discard(int socket)
{
    enum { READS = 16 };
    char buffer[16 * 1024];
    for (int i = 0; i < READS; i++) {
        ssize_t got = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got < 0)
            break;
    }
    return true;
}

void lab_drain_read(struct lab_drain *drain)
{
    int64_t now_ms = lab_clock_coarse_ms();
    pthread_mutex_lock(&drain->lock);
    for (size_t i = 0; i < drain->count;) {
        if (discard(drain->sockets[i].socket) && now_ms < drain->sockets[i].until_ms) {
            i++;
            continue;
        }
        close(drain->sockets[i].socket);
        drain->sockets[i] = drain->sockets[--drain->count];
    }
    pthread_mutex_unlock(&drain->lock);
}
