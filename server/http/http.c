/* Starts and stops the server. lab_http_stop ends the threads in an order in which every accepted request still gets its
 * response.
 */
#include "acceptor.h"
#include "cache.h"
#include "connection.h"
#include "server.h"
#include "static_file.h"
#include "stream.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MIN = 2, THREADS_MAX = 4, STACK_BYTES = 512 * 1024 };

static double positive_or(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

static struct lab_http_deadlines with_defaults(const struct lab_http_deadlines *given)
{
    return (struct lab_http_deadlines){
        .header_s = positive_or(given->header_s, 10),
        .body_s = positive_or(given->body_s, 30),
        .idle_s = positive_or(given->idle_s, 60),
        .answer_s = positive_or(given->answer_s, 600),
        .stall_s = positive_or(given->stall_s, 20),
        .heartbeat_s = positive_or(given->heartbeat_s, 15),
    };
}

/* Drops the messages of libmicrohttpd. They report only errors of clients, and the responses contain those. */
static void ignore_log(void *context, const char *format, va_list arguments)
{
    (void)context;
    (void)format;
    (void)arguments;
}

static unsigned choose_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < THREADS_MIN ? THREADS_MIN : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;
}

static struct MHD_Daemon *start_daemon(struct lab_http *http)
{
    unsigned threads = choose_threads();
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, lab_connection_handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LAB_CONNECTION_MEMORY,
        /* libmicrohttpd divides its limit among its threads; the acceptor limits the connections of all together. */
        MHD_OPTION_CONNECTION_LIMIT, threads * LAB_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, 0U,
        MHD_OPTION_NOTIFY_CONNECTION, lab_connection_notify, http, MHD_OPTION_URI_LOG_CALLBACK, lab_connection_begin,
        http, MHD_OPTION_NOTIFY_COMPLETED, lab_connection_end, http, MHD_OPTION_END);
}

static void free_http(struct lab_http *http)
{
    lab_acceptor_free(http->acceptor);
    lab_cache_free(http->cache);
    lab_static_files_free(http->files);
    pthread_mutex_destroy(&http->connections_lock);
    pthread_mutex_destroy(&http->streams_lock);
    pthread_mutex_destroy(&http->active_lock);
    pthread_cond_destroy(&http->active_none);
    free(http);
}

static struct lab_http *make_http(const struct lab_http_options *options)
{
    struct lab_http *http = calloc(1, sizeof *http);
    if (http == NULL)
        return NULL;
    http->routes = options->routes;
    http->allow_hosts = options->allow_hosts;
    http->max_body_bytes = options->max_body_bytes;
    http->context = options->context;
    http->deadlines = with_defaults(&options->deadlines);
    pthread_mutex_init(&http->connections_lock, NULL);
    pthread_mutex_init(&http->streams_lock, NULL);
    pthread_mutex_init(&http->active_lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&http->active_none, &monotonic);
    pthread_condattr_destroy(&monotonic);
    http->cache = lab_cache_create();
    http->files = lab_static_files_create();
    if (http->cache != NULL && http->files != NULL)
        return http;
    free_http(http);
    return NULL;
}

/* Starts libmicrohttpd's threads and the acceptor's. All signals are blocked in them: the caller's thread handles
 * signals. */
static bool start_threads(struct lab_http *http, struct lab_listener *listener)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    http->daemon = start_daemon(http);
    bool started = http->daemon != NULL && lab_acceptor_start(http, listener);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started && http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    return started;
}

struct lab_http *lab_http_start(const struct lab_http_options *options, struct lab_error *error)
{
    struct lab_listener *listener = lab_listener_open(options->listen, options->socket_path, error);
    if (listener == NULL)
        return NULL;
    struct lab_http *http = make_http(options);
    if (http != NULL && lab_listener_address(listener, http->address, sizeof http->address) &&
        start_threads(http, listener))
        return http;
    lab_error_set(error, "cannot-listen", "",
                  "Cannot start the HTTP server: out of memory, or no more threads are allowed.");
    lab_listener_close(listener);
    if (http != NULL)
        free_http(http);
    return NULL;
}

const char *lab_http_address(const struct lab_http *http)
{
    return http->address;
}

/* Waits until no request is in progress, at most `seconds`. False when there still is one. */
static bool wait_for_requests(struct lab_http *http, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    int result = 0;
    pthread_mutex_lock(&http->active_lock);
    while (atomic_load(&http->active) > 0 && result == 0)
        result = pthread_cond_timedwait(&http->active_none, &http->active_lock, &until);
    pthread_mutex_unlock(&http->active_lock);
    return result == 0;
}

static void shut_down_all(struct lab_http *http)
{
    struct lab_connection *each;
    pthread_mutex_lock(&http->connections_lock);
    LIST_FOREACH (each, &http->connections, link)
        shutdown(each->socket, SHUT_RDWR);
    pthread_mutex_unlock(&http->connections_lock);
}

/* `stopping` is set before the streams are woken, so that no stream suspends its connection again: MHD_stop_daemon ends
 * the process when a connection is suspended. */
void lab_http_stop(struct lab_http *http, double grace_s)
{
    if (http == NULL)
        return;
    lab_acceptor_close_listener(http->acceptor);
    atomic_store(&http->stopping, true);
    lab_streams_end(http);
    if (!wait_for_requests(http, grace_s))
        shut_down_all(http);
    lab_acceptor_stop(http->acceptor);
    MHD_stop_daemon(http->daemon);
    free_http(http);
}

void lab_http_counts(const struct lab_http *http, struct lab_http_counts *counts)
{
    *counts = (struct lab_http_counts){
        .requests = atomic_load(&http->requests),
        .bytes_sent = atomic_load(&http->bytes_sent),
        .event_streams = atomic_load(&http->stream_count),
        .connections = atomic_load(&http->connection_count),
    };
}

size_t lab_http_clients(struct lab_http *http)
{
    struct lab_connection *each;
    size_t count = 0;
    pthread_mutex_lock(&http->connections_lock);
    LIST_FOREACH (each, &http->connections, link) {
        struct pollfd client = {.fd = each->socket, .events = POLLRDHUP};
        count += poll(&client, 1, 0) == 0;
    }
    pthread_mutex_unlock(&http->connections_lock);
    return count;
}
