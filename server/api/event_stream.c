/* GET /api/v1/events: server-sent events about everything, or with `?run=` about one run. */
#include "resources.h"
#include "visibility.h"

#include "../events.h"

#include <stdlib.h>

/* False for a run that does not exist, or that `viewer` may not see. */
static bool is_known(struct lab_store *store, const struct lab_identity *viewer, const char *id)
{
    struct lab_run_row *run = NULL;
    enum lab_store_result result = lab_store_get_run(store, id, &run);
    bool known = result != LAB_STORE_NOT_FOUND && (run == NULL || lab_may_see(viewer, run));
    free(run);
    return known;
}

void lab_api_stream_events(const struct lab_request *request, struct lab_response *response)
{
    struct lab_api *api = lab_api_of(request);
    struct lab_errors errors = {0};
    const char *run = lab_request_query(request, "run");
    const struct lab_identity *viewer = lab_request_identity(request);
    /* An unknown run is an error, because its stream would never have an event. */
    if (run != NULL && !is_known(api->store, viewer, run))
        lab_errors_add(&errors, LAB_ERROR_UNKNOWN_RUN, "/query/run",
                       "Run not found. Omit 'run' for the events of all runs.");
    if (errors.count > 0) {
        lab_reply_invalid(response, &errors);
        return;
    }
    lab_jobs_watch_devices(api->jobs);
    const struct lab_event_filter filter = {
        .run = run, .person = lab_sees_only(viewer), .viewer = lab_sees_secrets_of(viewer)};
    lab_respond_events(request, response, api->events, &filter);
}
