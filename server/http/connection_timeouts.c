/* The timeouts: one thread that accepts connections and sees to it that none of them stays longer than it may. It shuts
 * down what missed its deadline (libmicrohttpd's own timeout starts anew with every byte), gives streams their
 * heartbeat, and lets clients whose body was refused finish talking, so that they hear why.
 *
 * Accepting is done here rather than by libmicrohttpd because its workers can meet on the listening socket in a way
 * that ends the process when it is taken from them (MHD_quiesce_daemon under load).
 */
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    LINGER_MS = 2000,
    TICK_MS_MAX = 1000,
    TICK_MS_MIN = 20,
    STACK_BYTES = 256 * 1024,
    WAKE = 0,
    TCP = 1,
    LOCAL = 2,
    FIXED = 3, /* of the descriptors that are polled; the rest lingers */
};

struct lingering {
    int socket;
    int64_t until_ms;
};

struct lab_connection_timeouts {
    struct lab_http *http;
    pthread_t thread;
    int wake;    /* eventfd */
    int tick_ms; /* between two looks at the deadlines */
    bool exhausted;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t closed;
    struct lab_listener *listener;
    bool close_listener, stop;
    struct lingering lingering[LAB_LINGERING_MAX];
    size_t lingering_count;
};

static void accept_some(struct lab_connection_timeouts *timeouts, int listening)
{
    enum { AT_ONCE = 64 };
    struct lab_http *http = timeouts->http;
    for (int i = 0; i < AT_ONCE && atomic_load(&http->connection_count) < LAB_CONNECTIONS_MAX; i++) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        int accepted = accept4(listening, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted < 0) {
            /* Out of descriptors or memory: the next tick tries again, instead of a loop that runs hot. */
            timeouts->exhausted = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            return;
        }
        MHD_add_connection(http->daemon, accepted, (const struct sockaddr *)&address, length); /* closes on failure */
    }
}

/* Whether a connection has been between two requests for a moment, and not just for the blink between two of many. */
static bool is_idle(const struct lab_http *http, const struct lab_connection *connection, int64_t deadline_ms,
                    int64_t now_ms)
{
    enum { MOMENT_MS = 1000 };
    int64_t since_ms = deadline_ms - (int64_t)(http->deadlines.idle_s * 1e3);
    return atomic_load(&connection->idle) && now_ms - since_ms >= MOMENT_MS;
}

/* Shutting a socket down makes libmicrohttpd close it. When all places are taken, the idle ones go. */
static void check_deadlines(struct lab_http *http)
{
    int64_t now_ms = lab_now_ms();
    pthread_mutex_lock(&http->connections_lock);
    bool full = atomic_load(&http->connection_count) >= LAB_CONNECTIONS_MAX;
    for (struct lab_connection *each = http->connections; each != NULL; each = each->next) {
        int64_t deadline_ms = atomic_load(&each->deadline_ms);
        bool missed = deadline_ms != LAB_NO_DEADLINE && deadline_ms <= now_ms;
        if (missed || (full && is_idle(http, each, deadline_ms, now_ms)))
            shutdown(each->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&http->connections_lock);
}

/* Reads away what comes. False when the client is done or its time is up. */
static bool drain(const struct lingering *lingering, int64_t now_ms)
{
    enum { READS = 16 };
    char buffer[16 * 1024];
    for (int i = 0; i < READS; i++) {
        ssize_t got = recv(lingering->socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got < 0)
            break;
    }
    return now_ms < lingering->until_ms;
}

static void drain_all(struct lab_connection_timeouts *timeouts)
{
    int64_t now_ms = lab_now_ms();
    pthread_mutex_lock(&timeouts->lock);
    for (size_t i = 0; i < timeouts->lingering_count;) {
        if (drain(&timeouts->lingering[i], now_ms)) {
            i++;
            continue;
        }
        close(timeouts->lingering[i].socket);
        timeouts->lingering[i] = timeouts->lingering[--timeouts->lingering_count];
    }
    pthread_mutex_unlock(&timeouts->lock);
}

/* What to wait for; false when the timeouts is to stop. */
static bool prepare(struct lab_connection_timeouts *timeouts, struct pollfd *polled, size_t *count)
{
    pthread_mutex_lock(&timeouts->lock);
    if (timeouts->close_listener && timeouts->listener != NULL) {
        lab_listener_close(timeouts->listener);
        timeouts->listener = NULL;
        pthread_cond_broadcast(&timeouts->closed);
    }
    bool accepting = timeouts->listener != NULL && !timeouts->exhausted &&
                     atomic_load(&timeouts->http->connection_count) < LAB_CONNECTIONS_MAX;
    polled[WAKE] = (struct pollfd){.fd = timeouts->wake, .events = POLLIN};
    polled[TCP] = (struct pollfd){.fd = accepting ? lab_listener_tcp(timeouts->listener) : -1, .events = POLLIN};
    polled[LOCAL] = (struct pollfd){.fd = accepting ? lab_listener_local(timeouts->listener) : -1, .events = POLLIN};
    *count = FIXED;
    for (size_t i = 0; i < timeouts->lingering_count; i++)
        polled[(*count)++] = (struct pollfd){.fd = timeouts->lingering[i].socket, .events = POLLIN};
    bool going_on = !timeouts->stop;
    pthread_mutex_unlock(&timeouts->lock);
    return going_on;
}

static void *keep(void *context)
{
    struct lab_connection_timeouts *timeouts = context;
    struct lab_http *http = timeouts->http;
    struct pollfd polled[FIXED + LAB_LINGERING_MAX];
    size_t count;
    int64_t looked_ms = lab_now_ms();
    while (prepare(timeouts, polled, &count)) {
        bool quiet = atomic_load(&http->connection_count) == 0 && count == FIXED && !timeouts->exhausted;
        poll(polled, count, quiet ? -1 : timeouts->tick_ms);
        uint64_t wakes;
        if ((polled[WAKE].revents & POLLIN) != 0 && read(timeouts->wake, &wakes, sizeof wakes) < 0)
            continue;
        for (int i = TCP; i <= LOCAL; i++)
            if ((polled[i].revents & POLLIN) != 0)
                accept_some(timeouts, polled[i].fd);
        if (count > FIXED)
            drain_all(timeouts);
        if (lab_now_ms() - looked_ms < timeouts->tick_ms)
            continue;
        looked_ms = lab_now_ms();
        timeouts->exhausted = false;
        check_deadlines(http);
        lab_streams_tick(http);
    }
    return NULL;
}

/* Often enough for the shortest deadline. */
static int choose_tick(const struct lab_http_deadlines *deadlines)
{
    const double seconds[] = {deadlines->header_s, deadlines->body_s,  deadlines->idle_s,
                              deadlines->answer_s, deadlines->stall_s, deadlines->heartbeat_s};
    int tick_ms = TICK_MS_MAX;
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++)
        if (seconds[i] * 1e3 / 4 < tick_ms)
            tick_ms = (int)(seconds[i] * 1e3 / 4);
    return tick_ms > TICK_MS_MIN ? tick_ms : TICK_MS_MIN;
}

static bool start_thread(struct lab_connection_timeouts *timeouts)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool started = pthread_create(&timeouts->thread, &attributes, keep, timeouts) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_setname_np(timeouts->thread, "http-timeouts");
    return started;
}

bool lab_timeouts_start(struct lab_http *http, struct lab_listener *listener)
{
    struct lab_connection_timeouts *timeouts = calloc(1, sizeof *timeouts);
    if (timeouts == NULL)
        return false;
    timeouts->http = http;
    timeouts->listener = listener;
    timeouts->tick_ms = choose_tick(&http->deadlines);
    pthread_mutex_init(&timeouts->lock, NULL);
    pthread_cond_init(&timeouts->closed, NULL);
    timeouts->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    http->timeouts = timeouts; /* before the first connection can ask for it */
    if (timeouts->wake >= 0 && start_thread(timeouts))
        return true;
    if (timeouts->wake >= 0)
        close(timeouts->wake);
    free(timeouts);
    http->timeouts = NULL;
    return false;
}

void lab_timeouts_wake(struct lab_connection_timeouts *timeouts)
{
    uint64_t one = 1;
    if (write(timeouts->wake, &one, sizeof one) < 0)
        return; /* the counter is full: it has been woken often enough */
}

void lab_timeouts_linger(struct lab_connection_timeouts *timeouts, int socket)
{
    pthread_mutex_lock(&timeouts->lock);
    bool room = timeouts->lingering_count < LAB_LINGERING_MAX;
    if (room)
        timeouts->lingering[timeouts->lingering_count++] = (struct lingering){socket, lab_now_ms() + LINGER_MS};
    pthread_mutex_unlock(&timeouts->lock);
    if (room)
        lab_timeouts_wake(timeouts);
    else
        close(socket);
}

void lab_timeouts_close_listener(struct lab_connection_timeouts *timeouts)
{
    pthread_mutex_lock(&timeouts->lock);
    timeouts->close_listener = true;
    lab_timeouts_wake(timeouts);
    while (timeouts->listener != NULL)
        pthread_cond_wait(&timeouts->closed, &timeouts->lock);
    pthread_mutex_unlock(&timeouts->lock);
}

void lab_timeouts_stop(struct lab_connection_timeouts *timeouts)
{
    pthread_mutex_lock(&timeouts->lock);
    timeouts->stop = true;
    pthread_mutex_unlock(&timeouts->lock);
    lab_timeouts_wake(timeouts);
    pthread_join(timeouts->thread, NULL);
}

void lab_timeouts_free(struct lab_connection_timeouts *timeouts)
{
    if (timeouts == NULL)
        return;
    for (size_t i = 0; i < timeouts->lingering_count; i++)
        close(timeouts->lingering[i].socket);
    pthread_mutex_destroy(&timeouts->lock);
    pthread_cond_destroy(&timeouts->closed);
    close(timeouts->wake);
    free(timeouts);
}
