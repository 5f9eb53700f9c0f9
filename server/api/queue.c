/* GET and PUT /api/v1/queue: {"length", "running", "paused", "held"}; PUT pauses or resumes the queue. */
#include "openapi/schemas.h"
#include "resources.h"
#include "visibility.h"

#include "jobs/run_json.h"

#include <math.h>

static void respond_queue(const struct lab_request *request, struct lab_response *response)
{
    struct lab_queue_state state;
    lab_queue_seen(request, &state);
    lab_respond_json(response, 200, lab_queue_json(&state));
}

void lab_api_get_queue(const struct lab_request *request, struct lab_response *response)
{
    respond_queue(request, response);
}

void lab_api_put_queue(const struct lab_request *request, struct lab_response *response)
{
    bool paused = json_is_true(json_object_get(lab_request_json(request), "paused"));
    if (lab_jobs_pause(lab_api_of(request)->jobs, paused))
        respond_queue(request, response);
    else
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema queue_members[] = {
    {LAB_GIVEN(INTEGER, "length"), .maximum = INFINITY, .text = "The number of queued runs."},
    {LAB_GIVEN(STRING, "running"), .nullable = true, .text = "The first of runs."},
    {LAB_GIVEN(STRING, "runs"), .count = LAB_LIST,
     .text = "The ids of the runs in progress, at most one on each node; [] for a participant."},
    {LAB_GIVEN(BOOLEAN, "paused")},
    {LAB_GIVEN(STRING, "held"), .nullable = true, .text = "Why no node starts a run although the queue is not paused."},
    {0},
};

const struct lab_schema lab_queue_documents[] = {
    {.name = "Queue", .type = LAB_TYPE_OBJECT, .members = queue_members},
    {0},
};
