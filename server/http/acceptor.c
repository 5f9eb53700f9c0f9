/* The thread that accepts connections and gives them to libmicrohttpd. If libmicrohttpd's own threads accepted,
 * MHD_quiesce_daemon could end the process under load: the threads can still be using the listening socket when it is
 * taken away from them.
 */
#include "acceptor.h"

#include "http/connection/connection.h"
#include "http/output/output.h"
#include "http/work/work.h"

#include "core/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    STACK_BYTES = 256 * 1024,
    /* Indices of the descriptors in the array for poll; the sockets that are drained begin at DRAINED. */
    WAKE = 0,
    TCP = 1,
    UNIX = 2,
    DRAINED = 3,
};
enum { RETRY_MS = 20 };

struct lab_acceptor {
    struct lab_http *http;
    pthread_t thread;
    int tick_ms;                   /* see choose_tick_ms */
    bool exhausted;                /* accept4 ran out of descriptors or memory; it is tried again after RETRY_MS */
    pthread_mutex_t lock;          /* for all members below */
    pthread_cond_t closed;         /* the listener was closed */
    struct lab_listener *listener; /* NULL once it is closed */
    bool close_listener, stop;     /* requests to the thread */
};

/* --- ticks -------------------------------------------------------------------------------------------------------- */

/* The interval in ms at which lab_phases_enforce, lab_streams_tick and lab_pending_tick must be called: a part of the
 * shortest deadline. */
static int choose_tick_ms(const struct lab_http_deadlines *deadlines)
{
    enum { TICK_MS_MIN = 20, TICK_MS_MAX = 1000, TICKS_PER_DEADLINE = 4 };
    const double seconds[] = {deadlines->header_s, deadlines->body_s, deadlines->idle_s, deadlines->stall_s,
                              deadlines->heartbeat_s};
    int tick_ms = TICK_MS_MAX;
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++)
        if (seconds[i] * 1e3 / TICKS_PER_DEADLINE < tick_ms)
            tick_ms = (int)(seconds[i] * 1e3 / TICKS_PER_DEADLINE);
    return tick_ms > TICK_MS_MIN ? tick_ms : TICK_MS_MIN;
}

/* --- accepting ---------------------------------------------------------------------------------------------------- */

/* A connection that was shut down for a new one is counted until libmicrohttpd has closed it, so for a moment there are
 * more than connections_max. */
static bool has_room(const struct lab_http *http)
{
    return atomic_load(&http->connection_count) < http->connections_max + LAB_CLOSING_MAX;
}

/* Accepts connections for one of libmicrohttpd's daemons. */
static void accept_some(struct lab_acceptor *acceptor, int listening, struct MHD_Daemon *daemon)
{
    enum { PER_CALL = 16 };
    struct lab_http *http = acceptor->http;
    for (int i = 0; i < PER_CALL && has_room(http); i++) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        int accepted = accept4(listening, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted < 0) {
            acceptor->exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (acceptor->exhausted)
                lab_phases_close_one(http);
            return;
        }
        if (lab_phases_make_room(http, (const struct sockaddr *)&address))
            MHD_add_connection(daemon, accepted, (const struct sockaddr *)&address,
                               length); /* closes the socket on failure */
        else
            close(accepted);
    }
}

/* Closes the listener if that was requested, and fills the array for poll. False when the thread is to end. */
static bool prepare(struct lab_acceptor *acceptor, struct pollfd *polled, size_t *count)
{
    pthread_mutex_lock(&acceptor->lock);
    if (acceptor->close_listener && acceptor->listener != NULL) {
        lab_listener_close(acceptor->listener);
        acceptor->listener = NULL;
        pthread_cond_broadcast(&acceptor->closed);
    }
    if (!has_room(acceptor->http)) /* libmicrohttpd counts connections some time after they were accepted */
        lab_phases_close_one(acceptor->http);
    bool accepting = acceptor->listener != NULL && !acceptor->exhausted && has_room(acceptor->http);
    polled[WAKE] = (struct pollfd){.fd = acceptor->http->wake, .events = POLLIN};
    polled[TCP] = (struct pollfd){.fd = accepting ? lab_listener_tcp(acceptor->listener) : -1, .events = POLLIN};
    polled[UNIX] = (struct pollfd){.fd = accepting ? lab_listener_unix(acceptor->listener) : -1, .events = POLLIN};
    bool stop = acceptor->stop;
    pthread_mutex_unlock(&acceptor->lock);
    *count = DRAINED + lab_drain_poll(&acceptor->http->drain, polled + DRAINED);
    return !stop;
}

static void *acceptor_run(void *context)
{
    struct lab_acceptor *acceptor = context;
    struct lab_http *http = acceptor->http;
    struct pollfd polled[DRAINED + LAB_DRAINED_MAX];
    size_t count;
    int64_t ticked_ms = lab_clock_coarse_ms();
    while (prepare(acceptor, polled, &count)) {
        bool nothing_due = atomic_load(&http->connection_count) == 0 && count == DRAINED && !acceptor->exhausted;
        poll(polled, count, nothing_due ? -1 : acceptor->exhausted ? RETRY_MS : acceptor->tick_ms);
        acceptor->exhausted = false;
        uint64_t wakes;
        if ((polled[WAKE].revents & POLLIN) != 0 && read(http->wake, &wakes, sizeof wakes) < 0)
            continue;
        if ((polled[TCP].revents & POLLIN) != 0)
            accept_some(acceptor, polled[TCP].fd, http->tls_daemon != NULL ? http->tls_daemon : http->daemon);
        if ((polled[UNIX].revents & POLLIN) != 0)
            accept_some(acceptor, polled[UNIX].fd, http->daemon);
        if (count > DRAINED)
            lab_drain_read(&http->drain);
        if (lab_clock_coarse_ms() - ticked_ms < acceptor->tick_ms)
            continue;
        ticked_ms = lab_clock_coarse_ms();
        lab_phases_enforce(http);
        lab_streams_tick(http);
        lab_pending_tick(http);
    }
    return NULL;
}

static bool start_thread(struct lab_acceptor *acceptor)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool started = pthread_create(&acceptor->thread, &attributes, acceptor_run, acceptor) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_setname_np(acceptor->thread, "http-acceptor");
    return started;
}

bool lab_acceptor_start(struct lab_http *http, struct lab_listener *listener)
{
    struct lab_acceptor *acceptor = calloc(1, sizeof *acceptor);
    if (acceptor == NULL)
        return false;
    acceptor->http = http;
    acceptor->listener = listener;
    acceptor->tick_ms = choose_tick_ms(&http->deadlines);
    pthread_mutex_init(&acceptor->lock, NULL);
    pthread_cond_init(&acceptor->closed, NULL);
    if (start_thread(acceptor)) {
        http->acceptor = acceptor;
        return true;
    }
    lab_acceptor_free(acceptor);
    return false;
}

void lab_acceptor_close_listener(struct lab_acceptor *acceptor)
{
    pthread_mutex_lock(&acceptor->lock);
    acceptor->close_listener = true;
    lab_http_wake(acceptor->http);
    while (acceptor->listener != NULL)
        pthread_cond_wait(&acceptor->closed, &acceptor->lock);
    pthread_mutex_unlock(&acceptor->lock);
}

void lab_acceptor_stop(struct lab_acceptor *acceptor)
{
    pthread_mutex_lock(&acceptor->lock);
    acceptor->stop = true;
    pthread_mutex_unlock(&acceptor->lock);
    lab_http_wake(acceptor->http);
    pthread_join(acceptor->thread, NULL);
}

void lab_acceptor_free(struct lab_acceptor *acceptor)
{
    if (acceptor == NULL)
        return;
    pthread_mutex_destroy(&acceptor->lock);
    pthread_cond_destroy(&acceptor->closed);
    free(acceptor);
}
