/* GET and PUT /api/v1/queue: {"length", "running", "paused"}; PUT pauses or resumes the queue. */
#include "resources.h"

static void respond_queue(const struct lab_request *request, struct lab_response *response)
{
    struct lab_queue_state state;
    lab_jobs_queue(lab_api_of(request)->jobs, &state);
    lab_respond_json(response, 200,
                     json_pack("{s:I, s:s?, s:b}", "length", (json_int_t)state.length, "running",
                               state.running[0] != '\0' ? state.running : NULL, "paused", state.paused));
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
