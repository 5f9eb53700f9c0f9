/* struct lab_http, the state of a server, for the files of server/http.
 *
 * Threads: the acceptor's thread accepts connections and enforces deadlines; libmicrohttpd's few threads run all
 * callbacks of a connection; the threads of three pools run the handlers that may wait (struct lab_route); any thread
 * may wake an event stream.
 */
#ifndef LAB_HTTP_SERVER_H
#define LAB_HTTP_SERVER_H

#include "counters.h"
#include "drain.h"
#include "peer.h"

#include "auth/auth.h"
#include "http/http.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

typedef enum MHD_Result lab_queue_function(struct MHD_Connection *mhd, unsigned status, struct MHD_Response *response);

struct lab_http {
    struct MHD_Daemon *daemon;          /* libmicrohttpd's handle, for the Unix socket and for TCP without TLS */
    struct MHD_Daemon *tls_daemon;      /* the same for TCP with TLS; NULL without TLS */
    struct lab_tls *tls;                /* NULL without TLS */
    lab_queue_function *queue_response; /* libmicrohttpd's MHD_queue_response; see output/refuse.c */
    const struct lab_route *routes;
    const struct lab_page *pages;                         /* NULL: none */
    const char *const *allow_hosts, *const *cors_origins; /* NULL: none */
    const char *base_path;                                /* "" for none */
    struct lab_auth *auth;                                /* NULL: whoever connects is an admin */
    const struct lab_http_guard *guard;                   /* NULL: none */
    struct lab_http_logs logs;
    struct lab_users users;
    uint32_t epoch; /* a random number of this server, in the ids of requests */
    size_t max_body_bytes;
    const char *spool_folder;
    void *context;
    struct lab_http_deadlines deadlines;
    char address[128]; /* "http://ADDRESS:PORT"; "" without a TCP socket */
    struct lab_acceptor *acceptor;
    int wake; /* an eventfd that ends the wait of the acceptor's thread */
    struct lab_drain drain;
    struct lab_pool *pools[LAB_ROUTE_THREADS]; /* by the `thread` of a route; NULL for LAB_ROUTE_INLINE */
    struct lab_cache *cache;
    struct lab_static_file *files; /* all files of static/ (output/static_file.c) */

    size_t connections_max;
    pthread_mutex_t connections_lock; /* for the list and the clients; the counts may be read without it */
    LIST_HEAD(, lab_connection) connections;
    struct lab_clients *clients;
    size_t held,
        held_most; /* bytes of responses that wait for their clients (phase.h): now, and most since that was 0 */
    atomic_size_t connection_count;

    pthread_mutex_t streams_lock;
    LIST_HEAD(, lab_event_stream) streams;
    LIST_HEAD(, lab_pending) pending; /* requests that are answered later */
    atomic_size_t stream_count, pending_count;

    atomic_bool stopping;
    pthread_mutex_t active_lock;
    pthread_cond_t active_none; /* `active` has become 0 while the server is stopping */
    atomic_size_t active;       /* requests in progress, event streams included */

    atomic_uint_least64_t requests, bytes_sent; /* since the start; see lab_http_counts */
    struct lab_http_counters *counters;
};

#endif
