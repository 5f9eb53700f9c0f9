/* GET /api/v1/events: server-sent events about everything, or with `?run=` about one run. */
#include "resources.h"

void lab_api_stream_events(const struct lab_request *request, struct lab_response *response)
{
    struct lab_api *api = lab_api_of(request);
    struct lab_errors errors = {0};
    const char *run = lab_request_query(request, "run");
    /* An unknown run is an error, because its stream would never have an event. */
    if (run != NULL && lab_store_get_run(api->store, run, NULL) == LAB_STORE_NOT_FOUND)
        lab_errors_add(&errors, LAB_ERROR_UNKNOWN_RUN, "/query/run",
                       "Run not found. Omit 'run' for the events of all runs.");
    if (errors.count > 0) {
        lab_reply_invalid(response, &errors);
        return;
    }
    lab_jobs_watch_devices(api->jobs);
    lab_respond_events(request, response, api->events, run);
}
