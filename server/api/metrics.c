/* GET /metrics: metrics of the server itself for Prometheus (text format 0.0.4). */
#include "resources.h"

#include "core/build.h"

#include <stdio.h>
#include <stdlib.h>

struct metric {
    const char *name, *type, *help;
    double value;
};

static void write_metrics(FILE *out, const struct metric *metrics, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", metrics[i].name, metrics[i].help, metrics[i].name,
                metrics[i].type, metrics[i].name, metrics[i].value);
}

static void write_all(FILE *out, struct lab_api *api)
{
    struct lab_http_counts counts = {0};
    struct lab_queue_state queue;
    struct lab_http *http = api->http;
    if (http != NULL)
        lab_http_counts(http, &counts);
    lab_jobs_queue(api->jobs, &queue);
    const struct metric metrics[] = {
        {"gpulab_http_requests_total", "counter", "Requests received.", (double)counts.requests},
        {"gpulab_http_sent_bytes_total", "counter", "Bytes sent in response bodies and events.",
         (double)counts.bytes_sent},
        {"gpulab_http_connections", "gauge", "Open connections.", (double)counts.connections},
        {"gpulab_event_streams", "gauge", "Open event streams.", (double)counts.event_streams},
        {"gpulab_queue_length", "gauge", "Queued runs.", (double)queue.length},
        {"gpulab_queue_paused", "gauge", "1 while the queue is paused.", queue.paused},
        {"gpulab_running", "gauge", "Runs in progress: 0 or 1.", queue.running[0] != '\0'},
        {"gpulab_store_healthy", "gauge", "1 when the last write to the database succeeded.",
         lab_store_healthy(api->store, NULL, 0)},
    };
    write_metrics(out, metrics, sizeof metrics / sizeof *metrics);
    fprintf(out, "# HELP gpulab_build_info Version and commit of the server.\n# TYPE gpulab_build_info gauge\n");
    fprintf(out, "gpulab_build_info{version=\"%s\",commit=\"%s\"} 1\n", lab_build.version, lab_build.commit);
}

void lab_api_get_metrics(const struct lab_request *request, struct lab_response *response)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL)
        write_all(out, lab_api_of(request));
    if (out != NULL && fclose(out) == 0)
        lab_respond_text(response, 200, "text/plain; version=0.0.4; charset=utf-8", text, size);
    else
        lab_respond_problem(response, 500, "out-of-memory", NULL, NULL);
    free(text);
}
