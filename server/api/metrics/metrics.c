/* GET /metrics: what the server does and has, for Prometheus. METRICS.md lists the metrics. */
#include "../resources.h"
#include "sources.h"

#include <stdlib.h>

static lab_metrics_source *const sources[] = {lab_metrics_http,   lab_metrics_queue,   lab_metrics_runs,
                                              lab_metrics_store,  lab_metrics_devices, lab_metrics_results,
                                              lab_metrics_process};

void lab_api_get_metrics(const struct lab_request *request, struct lab_response *response)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out != NULL && i < sizeof sources / sizeof sources[0]; i++)
        sources[i](out, lab_api_of(request));
    if (out != NULL && fclose(out) == 0)
        lab_respond_text(response, 200, "text/plain; version=0.0.4; charset=utf-8", text, size);
    else
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
    free(text);
}
