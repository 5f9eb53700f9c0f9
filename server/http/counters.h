/* What the server counts of its work, for GET /metrics. Threads add to the counters while others read them; none is
 * locked. */
#ifndef LAB_HTTP_COUNTERS_H
#define LAB_HTTP_COUNTERS_H

#include "core/histogram.h"
#include "http/http.h"

enum { LAB_STATUS_CLASSES = 6 }; /* index: status / 100 */

/* Of the requests that a row of the routes answers. */
struct lab_route_counters {
    const char *route, *method; /* the row's pattern and method; "GET" includes HEAD */
    atomic_uint_least64_t responses[LAB_STATUS_CLASSES];
    struct lab_histogram duration; /* from the first line of a request to the beginning of its response */
};

/* Why the server closed a connection, or did not accept it. */
enum lab_close_reason {
    LAB_CLOSE_HEADER,   /* the client did not send a request line and headers in time */
    LAB_CLOSE_BODY,     /* it did not send the body in time */
    LAB_CLOSE_SENDING,  /* it did not accept the response, or the events, fast enough */
    LAB_CLOSE_IDLE,     /* it sent no further request in time */
    LAB_CLOSE_REPLACED, /* all places or all memory for responses was taken, and another connection needed it */
    LAB_CLOSE_REFUSED,  /* all places were taken by connections whose requests were being handled */
    LAB_CLOSE_REASONS,
};

struct lab_http_counters {
    atomic_uint_least64_t closed[LAB_CLOSE_REASONS];
    size_t
        route_count; /* the rows in their order, then "(file)", the page's files, and "(none)", requests without a route */
    struct lab_route_counters routes[];
};

/* Valid as long as the server. */
const struct lab_http_counters *lab_http_counters(const struct lab_http *http);

/* A pool of threads for handlers. */
struct lab_pool_state {
    size_t threads, running, queued;  /* running: threads with a job; queued: jobs that wait for a thread */
    const struct lab_histogram *wait; /* how long jobs have waited for a thread; valid as long as the server */
};
/* `pool` is not LAB_ROUTE_INLINE. */
void lab_http_pool(const struct lab_http *http, enum lab_route_thread pool, struct lab_pool_state *state);

#endif
