/* Requests by route, connections, and the pools of threads that run handlers. */
#include "sources.h"

#include "http/counters.h"

static double load(const atomic_uint_least64_t *counter)
{
    return (double)atomic_load_explicit(counter, memory_order_relaxed);
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

static const char *const status_classes[LAB_STATUS_CLASSES] = {[2] = "2xx", [3] = "3xx", [4] = "4xx", [5] = "5xx"};

static void write_requests(FILE *out, const struct lab_http_counters *counters)
{
    static const struct lab_family family = {"gpulab_http_requests_total", LAB_COUNTER,
                                             "Requests that were answered, by route and class of the status."};
    lab_family_begin(out, &family);
    for (size_t i = 0; i < counters->route_count; i++) {
        const struct lab_route_counters *route = &counters->routes[i];
        for (size_t class = 0; class < LAB_STATUS_CLASSES; class ++)
            if (status_classes[class] != NULL)
                lab_family_sample(
                    out, &family,
                    LAB_LABELS({"route", route->route}, {"method", route->method}, {"status", status_classes[class]}),
                    load(&route->responses[class]));
    }
}

static bool was_requested(const struct lab_route_counters *route)
{
    bool requested = false;
    for (size_t class = 0; class < LAB_STATUS_CLASSES; class ++)
        requested = requested || load(&route->responses[class]) > 0;
    return requested;
}

static void write_durations(FILE *out, const struct lab_http_counters *counters)
{
    static const struct lab_family family = {
        "gpulab_http_request_duration_seconds", LAB_HISTOGRAM,
        "Time from the first line of a request to the beginning of its response, for routes that were requested."};
    lab_family_begin(out, &family);
    for (size_t i = 0; i < counters->route_count; i++) {
        const struct lab_route_counters *route = &counters->routes[i];
        if (was_requested(route))
            lab_family_histogram(out, &family, LAB_LABELS({"route", route->route}, {"method", route->method}),
                                 &route->duration);
    }
}

/* --- connections -------------------------------------------------------------------------------------------------- */

static const char *const close_reasons[LAB_CLOSE_REASONS] = {
    [LAB_CLOSE_HEADER] = "slow_header", [LAB_CLOSE_BODY] = "slow_body",    [LAB_CLOSE_SENDING] = "slow_receiver",
    [LAB_CLOSE_IDLE] = "idle",          [LAB_CLOSE_REPLACED] = "replaced", [LAB_CLOSE_REFUSED] = "refused",
};

static void write_connections(FILE *out, const struct lab_http *http)
{
    static const struct lab_family closed = {"gpulab_http_closed_connections_total", LAB_COUNTER,
                                             "Connections that the server closed or refused, by reason."};
    struct lab_http_counts counts;
    lab_http_counts(http, &counts);
    const struct lab_family_value values[] = {
        {{"gpulab_http_sent_bytes_total", LAB_COUNTER, "Bytes sent in response bodies and events."},
         (double)counts.bytes_sent},
        {{"gpulab_http_connections", LAB_GAUGE, "Open connections."}, (double)counts.connections},
        {{"gpulab_http_max_connections", LAB_GAUGE, "Places for connections."}, (double)counts.connections_max},
        {{"gpulab_event_streams", LAB_GAUGE, "Open event streams."}, (double)counts.event_streams},
        {{"gpulab_waiting_requests", LAB_GAUGE, "Requests that wait for the end of a run or a sweep."},
         (double)counts.waiting},
    };
    lab_family_values(out, values, sizeof values / sizeof values[0]);
    lab_family_begin(out, &closed);
    for (size_t i = 0; i < LAB_CLOSE_REASONS; i++)
        lab_family_sample(out, &closed, LAB_LABELS({"reason", close_reasons[i]}),
                          load(&lab_http_counters(http)->closed[i]));
}

/* --- pools -------------------------------------------------------------------------------------------------------- */

static const struct {
    enum lab_route_thread thread;
    const char *name;
} pools[] = {{LAB_ROUTE_READS, "reads"}, {LAB_ROUTE_WRITES, "writes"}, {LAB_ROUTE_COMPILES, "compiles"}};
enum { POOLS = sizeof pools / sizeof pools[0] };

static double threads_of(const struct lab_pool_state *state)
{
    return (double)state->threads;
}

static double running_of(const struct lab_pool_state *state)
{
    return (double)state->running;
}

static double queued_of(const struct lab_pool_state *state)
{
    return (double)state->queued;
}

static const struct {
    struct lab_family family;
    double (*value)(const struct lab_pool_state *state);
} pool_gauges[] = {
    {{"gpulab_http_pool_threads", LAB_GAUGE, "Threads of a pool for handlers."}, threads_of},
    {{"gpulab_http_pool_busy_threads", LAB_GAUGE, "Threads of a pool that run a handler."}, running_of},
    {{"gpulab_http_pool_queue_length", LAB_GAUGE, "Requests that wait for a thread of a pool."}, queued_of},
};

static void write_pools(FILE *out, const struct lab_http *http)
{
    static const struct lab_family wait = {"gpulab_http_pool_wait_seconds", LAB_HISTOGRAM,
                                           "Time that requests waited for a thread of a pool."};
    struct lab_pool_state states[POOLS];
    for (size_t i = 0; i < POOLS; i++)
        lab_http_pool(http, pools[i].thread, &states[i]);
    for (size_t gauge = 0; gauge < sizeof pool_gauges / sizeof pool_gauges[0]; gauge++) {
        lab_family_begin(out, &pool_gauges[gauge].family);
        for (size_t i = 0; i < POOLS; i++)
            lab_family_sample(out, &pool_gauges[gauge].family, LAB_LABELS({"pool", pools[i].name}),
                              pool_gauges[gauge].value(&states[i]));
    }
    lab_family_begin(out, &wait);
    for (size_t i = 0; i < POOLS; i++)
        lab_family_histogram(out, &wait, LAB_LABELS({"pool", pools[i].name}), states[i].wait);
}

void lab_metrics_http(FILE *out, const struct lab_api *api)
{
    struct lab_http *http = api->http;
    if (http == NULL)
        return;
    write_requests(out, lab_http_counters(http));
    write_durations(out, lab_http_counters(http));
    write_connections(out, http);
    write_pools(out, http);
}
