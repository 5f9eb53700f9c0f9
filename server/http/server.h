/* The server as the files of this folder see it.
 *
 * Threads: the acceptor's thread accepts connections and enforces deadlines; libmicrohttpd's few threads run all
 * callbacks of a connection, and so the handlers; any thread may wake an event stream.
 */
#ifndef LAB_HTTP_SERVER_H
#define LAB_HTTP_SERVER_H

#include "http/http.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

struct lab_http {
    struct MHD_Daemon *daemon;
    const struct lab_route *routes;
    const char *const *allow_hosts;
    size_t max_body_bytes;
    void *context;
    struct lab_http_deadlines deadlines;
    char address[128];
    struct lab_acceptor *acceptor;
    struct lab_cache *cache;
    struct lab_static_file *files;

    pthread_mutex_t connections_lock;
    struct lab_connection *connections;
    atomic_size_t connection_count;

    pthread_mutex_t streams_lock;
    struct lab_stream *streams;
    atomic_size_t stream_count;

    atomic_bool stopping;
    pthread_mutex_t active_lock;
    pthread_cond_t active_none;
    atomic_size_t active; /* requests in progress, event streams included */

    atomic_uint_least64_t requests, bytes_sent;
};

#endif
