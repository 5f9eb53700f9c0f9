/* server/http with trivial handlers, to measure the cost of HTTP itself:
 *   /fixed          13 bytes, not cached
 *   /api/v1/runs    a list of 20 runs from the cache
 *   /api/v1/events  events, one every PERIOD_MS (0: none)
 * Usage: gpulab-bench-http ADDRESS:PORT [PERIOD_MS]; prints the address, ends on SIGTERM or SIGINT.
 */
#include "events.h"
#include "http/http.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fixed(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_text(response, 200, "text/plain", "Hello, world!", 13);
}

static json_t *make_runs(void)
{
    enum { RUNS = 20 };
    json_t *runs = json_array();
    for (int i = 0; i < RUNS; i++)
        json_array_append_new(
            runs, json_pack("{s:s, s:s, s:s, s:[s], s:{s:i, s:i, s:[s,s], s:[s,s]}, s:[s], s:n, s:s, s:s, s:s, s:o}",
                            "id", "01890a5d-ac96-774b-bcce-b302099a8057", "experiment", "transfer", "status",
                            "succeeded", "devices", "GPU-3f2c9f2e-1d55-4c7e-8a6a-0f6c2a1b9d11", "parameters",
                            "min_bytes", 1024, "max_bytes", 268435456, "direction", "h2d", "d2h", "memory", "pageable",
                            "pinned", "tags", "nightly", "note", "created_at", "2025-01-02T03:04:05.678Z", "started_at",
                            "2025-01-02T03:04:06.001Z", "finished_at", "2025-01-02T03:04:17.250Z", "contended",
                            json_false()));
    return json_pack("{s:o, s:n}", "runs", runs, "next");
}

static void list_runs(const struct lab_request *request, struct lab_response *response)
{
    (void)request;
    lab_respond_json(response, 200, make_runs());
}

static void tag_runs(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE])
{
    (void)request;
    snprintf(tag, LAB_CACHE_TAG_SIZE, "bench-1");
}

static void stream(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_event_filter filter = {.run = lab_request_query(request, "run")};
    lab_respond_events(request, response, lab_request_context(request), &filter);
}

static const struct lab_route routes[] = {
    {.method = "GET", .pattern = "/fixed", .handle = fixed},
    {.method = "GET", .pattern = "/api/v1/runs", .thread = LAB_ROUTE_READS, .handle = list_runs, .cache_tag = tag_runs},
    {.method = "GET", .pattern = "/api/v1/events", .query = lab_any_members, .handle = stream},
    {0},
};

int main(int count, char **arguments)
{
    enum { RING = 1024 };
    long period_ms = count > 2 ? atol(arguments[2]) : 0;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    struct lab_events *events = lab_events_create(RING);
    struct lab_error error = {0};
    const struct lab_http_options options = {.listen = count > 1 ? arguments[1] : "127.0.0.1:0",
                                             .routes = routes,
                                             .max_body_bytes = 1 << 20,
                                             .context = events};
    struct lab_http *http = events != NULL ? lab_http_start(&options, &error) : NULL;
    if (http == NULL) {
        fprintf(stderr, "gpulab-bench-http: %s\n", error.detail);
        return EXIT_FAILURE;
    }
    printf("%s\n", lab_http_address(http));
    fflush(stdout);
    const struct timespec period = {period_ms / 1000, period_ms % 1000 * 1000000};
    if (period_ms == 0)
        sigwaitinfo(&ends, NULL);
    else
        while (sigtimedwait(&ends, NULL, &period) < 0)
            lab_events_publish(events, "run.progress", &(struct lab_event_subject){.run = "a"},
                               json_pack("{s:s, s:i}", "id", "a", "done", 1));
    lab_http_stop(http, 3.0);
    lab_events_free(events);
    return EXIT_SUCCESS;
}
