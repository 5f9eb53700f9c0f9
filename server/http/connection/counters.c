#include "counters.h"

#include "connection.h"
#include "pool.h"

#include <stdlib.h>

static const double duration_bounds_s[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 0};

enum { OTHERS = 2 }; /* after the rows */

static void init_route(struct lab_route_counters *counters, const char *route, const char *method)
{
    counters->route = route;
    counters->method = method;
    counters->duration.bounds = duration_bounds_s;
}

struct lab_http_counters *lab_counters_create(const struct lab_route *routes)
{
    size_t rows = 0;
    while (routes[rows].method != NULL)
        rows++;
    struct lab_http_counters *counters = calloc(1, sizeof *counters + (rows + OTHERS) * sizeof counters->routes[0]);
    if (counters == NULL)
        return NULL;
    counters->route_count = rows + OTHERS;
    for (size_t i = 0; i < rows; i++)
        init_route(&counters->routes[i], routes[i].pattern, routes[i].method);
    init_route(&counters->routes[rows], "(file)", "GET");
    init_route(&counters->routes[rows + 1], "(none)", "any");
    return counters;
}

static struct lab_route_counters *counters_of(const struct lab_request *request)
{
    const struct lab_http *http = request->connection->http;
    struct lab_http_counters *counters = http->counters;
    if (request->route != NULL)
        return &counters->routes[request->route - http->routes];
    return &counters->routes[counters->route_count - (request->file != NULL ? OTHERS : OTHERS - 1)];
}

void lab_counters_add_response(const struct lab_request *request, int status, double duration_s)
{
    struct lab_route_counters *counters = counters_of(request);
    atomic_fetch_add_explicit(&counters->responses[status / 100 % LAB_STATUS_CLASSES], 1, memory_order_relaxed);
    lab_histogram_add(&counters->duration, duration_s);
}

void lab_counters_add_close(struct lab_http *http, enum lab_close_reason reason)
{
    atomic_fetch_add_explicit(&http->counters->closed[reason], 1, memory_order_relaxed);
}

const struct lab_http_counters *lab_http_counters(const struct lab_http *http)
{
    return http->counters;
}

void lab_http_pool(const struct lab_http *http, enum lab_route_thread pool, struct lab_pool_state *state)
{
    lab_pool_read(http->pools[pool], state);
}
