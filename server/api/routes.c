/* Every route of the server except the files of static/. API.md documents each. */
#include "resources.h"

const struct lab_route lab_api_routes[] = {
    {"GET", "/api/v1/devices", lab_api_list_devices},
    {"GET", "/api/v1/devices/{id}", lab_api_get_device},
    {"GET", "/api/v1/experiments", lab_api_list_experiments},
    {"GET", "/api/v1/experiments/{name}", lab_api_get_experiment},
    {"GET", "/api/v1/experiments/{name}/sources/{step}", lab_api_get_source},
    {"POST", "/api/v1/runs", lab_api_create_run},
    {"GET", "/api/v1/runs", lab_api_list_runs},
    {"GET", "/api/v1/runs/{id}", lab_api_get_run},
    {"DELETE", "/api/v1/runs/{id}", lab_api_delete_run},
    {"POST", "/api/v1/runs/{id}/cancel", lab_api_cancel_run},
    {"GET", "/api/v1/runs/{id}/measurements", lab_api_get_measurements},
    {"GET", "/api/v1/runs/{id}/measurements.csv", lab_api_get_measurements_csv},
    {"GET", "/api/v1/runs/{id}/timeline", lab_api_get_timeline},
    {"GET", "/api/v1/runs/{id}/timeline.trace.json", lab_api_get_timeline_trace},
    {"GET", "/api/v1/references", lab_api_list_references},
    {"GET", "/api/v1/queue", lab_api_get_queue},
    {"PUT", "/api/v1/queue", lab_api_put_queue},
    {"GET", "/api/v1/events", lab_api_stream_events},
    {"GET", "/api/v1/version", lab_api_get_version},
    {"GET", "/healthz", lab_api_healthz},
    {"GET", "/readyz", lab_api_readyz},
    {"GET", "/metrics", lab_api_get_metrics},
    {0},
};
