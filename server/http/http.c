/* Starts and stops the server. lab_http_stop ends the threads in an order in which every accepted request still gets
 * its response.
 */
#include "acceptor.h"
#include "callbacks.h"

#include "http/connection/connection.h"
#include "http/output/output.h"
#include "http/work/work.h"

#include "core/clock.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

enum { THREADS_MIN = 2, THREADS_MAX = 4, STACK_BYTES = 512 * 1024, CONNECTIONS_MAX = 512 };

/* The pools of the handlers. Writers mostly wait: the store writes the commands of many of them with one commit. */
static const struct {
    const char *name;
    size_t threads, queue_max;
} pools[LAB_ROUTE_THREADS] = {
    [LAB_ROUTE_READS] = {"http-reader", 4, LAB_REQUESTS_MAX},
    [LAB_ROUTE_WRITES] = {"http-writer", 16, LAB_REQUESTS_MAX},
    [LAB_ROUTE_COMPILES] = {"http-compiler", 1, 16},
};

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
        .stall_s = positive_or(given->stall_s, 20),
        .bytes_per_s = positive_or(given->bytes_per_s, 4096),
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

static struct MHD_OptionItem text_option(enum MHD_OPTION option, const char *text)
{
    return (struct MHD_OptionItem){option, 0, (void *)(uintptr_t)text};
}

/* `tls` NULL: a daemon for connections without TLS. */
static struct MHD_Daemon *start_daemon(struct lab_http *http, const struct lab_tls *tls)
{
    unsigned threads = choose_threads();
    const struct MHD_OptionItem none = {MHD_OPTION_END, 0, NULL};
    struct MHD_OptionItem tls_options[] = {none, none, none, none};
    if (tls != NULL) {
        tls_options[0] = text_option(MHD_OPTION_HTTPS_MEM_CERT, lab_tls_certificate(tls));
        tls_options[1] = text_option(MHD_OPTION_HTTPS_MEM_KEY, lab_tls_key(tls));
        tls_options[2] = text_option(MHD_OPTION_HTTPS_PRIORITIES, lab_tls_priorities);
    }
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG |
            (tls != NULL ? MHD_USE_TLS : 0U),
        0, NULL, NULL, lab_connection_handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LAB_CONNECTION_MEMORY,
        /* The acceptor limits the connections. A thread of libmicrohttpd that reaches its own limit hangs (0.9.75). */
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)INT_MAX, MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_NOTIFY_CONNECTION,
        lab_connection_notify, http, MHD_OPTION_URI_LOG_CALLBACK, lab_connection_begin, http,
        MHD_OPTION_NOTIFY_COMPLETED, lab_connection_end, http, MHD_OPTION_ARRAY, tls_options, MHD_OPTION_END);
}

static bool start_daemons(struct lab_http *http)
{
    http->daemon = start_daemon(http, NULL);
    if (http->tls != NULL)
        http->tls_daemon = start_daemon(http, http->tls);
    return http->daemon != NULL && (http->tls == NULL || http->tls_daemon != NULL);
}

static void stop_daemons(struct lab_http *http)
{
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    if (http->tls_daemon != NULL)
        MHD_stop_daemon(http->tls_daemon);
}

static bool start_pools(struct lab_http *http)
{
    for (size_t i = 0; i < LAB_ROUTE_THREADS; i++) {
        if (pools[i].threads == 0)
            continue;
        http->pools[i] = lab_pool_start(pools[i].name, pools[i].threads, pools[i].queue_max);
        if (http->pools[i] == NULL)
            return false;
    }
    return true;
}

/* False when a handler has not returned after `seconds`. */
static bool stop_pools(struct lab_http *http, double seconds)
{
    bool stopped = true;
    for (size_t i = 0; i < LAB_ROUTE_THREADS; i++)
        stopped = lab_pool_stop(http->pools[i], seconds) && stopped;
    return stopped;
}

static void free_http(struct lab_http *http)
{
    for (size_t i = 0; i < LAB_ROUTE_THREADS; i++)
        lab_pool_free(http->pools[i]);
    lab_acceptor_free(http->acceptor);
    lab_drain_release(&http->drain);
    if (http->wake >= 0)
        close(http->wake);
    lab_output_close(http);
    lab_clients_free(http->clients);
    lab_tls_free(http->tls);
    free(http->counters);
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
    http->pages = options->pages;
    http->allow_hosts = options->allow_hosts;
    http->cors_origins = options->cors_origins;
    http->base_path = options->base_path != NULL ? options->base_path : "";
    http->auth = options->auth;
    http->guard = options->guard;
    http->logs = options->logs;
    lab_users_read(&http->users);
    if (getrandom(&http->epoch, sizeof http->epoch, 0) != (ssize_t)sizeof http->epoch)
        http->epoch = 0; /* ids are then unique until a restart */
    http->max_body_bytes = options->max_body_bytes;
    http->spool_folder = options->spool_folder;
    http->context = options->context;
    http->deadlines = with_defaults(&options->deadlines);
    pthread_mutex_init(&http->connections_lock, NULL);
    pthread_mutex_init(&http->streams_lock, NULL);
    pthread_mutex_init(&http->active_lock, NULL);
    lab_condition_init(&http->active_none);
    http->connections_max = options->connections_max > 0 ? options->connections_max : CONNECTIONS_MAX;
    http->clients = lab_clients_create(http->connections_max);
    http->counters = lab_counters_create(http->routes);
    http->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    lab_drain_init(&http->drain);
    bool opened = lab_output_open(http, options);
    if (opened && http->wake >= 0 && http->clients != NULL && http->counters != NULL)
        return http;
    free_http(http);
    return NULL;
}

/* Starts the pools, libmicrohttpd's threads and the acceptor's. All signals are blocked in them: the caller's thread
 * handles signals. */
static bool start_threads(struct lab_http *http, struct lab_listener *listener)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = start_pools(http) && start_daemons(http) && lab_acceptor_start(http, listener);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) {
        stop_daemons(http);
        stop_pools(http, 0);
    }
    return started;
}

static bool open_tls(struct lab_http *http, const struct lab_http_options *options, struct lab_error *error)
{
    if (options->tls_certificate == NULL)
        return true;
    http->tls = lab_tls_create(options->tls_certificate, options->tls_key, error);
    return http->tls != NULL;
}

struct lab_http *lab_http_start(const struct lab_http_options *options, struct lab_error *error)
{
    struct lab_listener *listener = lab_listener_open(options->listen, options->socket_path, error);
    if (listener == NULL)
        return NULL;
    struct lab_http *http = make_http(options);
    const char *scheme = options->tls_certificate != NULL ? "https" : "http";
    lab_error_set(error, LAB_ERROR_CANNOT_LISTEN, "",
                  "Cannot start the HTTP server: memory, threads or file descriptors are used up.");
    if (http != NULL && open_tls(http, options, error) &&
        lab_listener_address(listener, scheme, http->address, sizeof http->address) && start_threads(http, listener))
        return http;
    lab_listener_close(listener);
    if (http != NULL)
        free_http(http);
    return NULL;
}

bool lab_http_reload(struct lab_http *http, struct lab_error *error)
{
    return http->tls == NULL || lab_tls_reload(http->tls, error);
}

const char *lab_http_address(const struct lab_http *http)
{
    return http->address;
}

/* Waits until no request is in progress, at most `seconds`. False when there still is one. */
static bool wait_for_requests(struct lab_http *http, double seconds)
{
    struct timespec until = lab_clock_moment(lab_clock_now() + seconds);
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

void lab_http_close_listener(struct lab_http *http)
{
    lab_acceptor_close_listener(http->acceptor);
}

/* MHD_stop_daemon ends the process when a connection is suspended. So `stopping` is set before the streams and the
 * pending requests are woken, and none suspends its connection again; and the pools are stopped first, because each of
 * their jobs has one suspended. */
bool lab_http_stop(struct lab_http *http, double grace_s)
{
    const double returning_s = 0.1; /* for handlers that were about to return when the grace ended */
    if (http == NULL)
        return true;
    if (!atomic_exchange(&http->stopping, true)) {
        lab_acceptor_close_listener(http->acceptor);
        lab_streams_end(http);
        lab_pending_end(http);
        if (!wait_for_requests(http, grace_s))
            shut_down_all(http);
        lab_acceptor_stop(http->acceptor);
    }
    if (!stop_pools(http, returning_s))
        return false;
    stop_daemons(http);
    free_http(http);
    return true;
}

void lab_http_counts(const struct lab_http *http, struct lab_http_counts *counts)
{
    *counts = (struct lab_http_counts){
        .requests = atomic_load(&http->requests),
        .bytes_sent = atomic_load(&http->bytes_sent),
        .event_streams = atomic_load(&http->stream_count),
        .waiting = atomic_load(&http->pending_count),
        .connections = atomic_load(&http->connection_count),
        .connections_max = http->connections_max,
    };
}

size_t lab_http_clients(struct lab_http *http)
{
    struct lab_connection *each;
    size_t count = 0;
    pthread_mutex_lock(&http->connections_lock);
    LIST_FOREACH (each, &http->connections, link)
        count += !lab_connection_has_left(each);
    pthread_mutex_unlock(&http->connections_lock);
    return count;
}
