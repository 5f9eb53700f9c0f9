/* GET and PUT /api/v1/queue: {"length", "running", "paused"}; PUT pauses or resumes the queue. */
#include "resources.h"

#include "core/text.h"

#include <string.h>

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
    if (lab_check_no_query(request, response))
        respond_queue(request, response);
}

static void check_body(json_t *body, struct lab_errors *errors)
{
    const char *name;
    json_t *value;
    json_object_foreach(body, name, value)
    {
        char pointer[LAB_POINTER_MAX] = "";
        if (strcmp(name, "paused") == 0)
            continue;
        lab_pointer_append(pointer, sizeof pointer, name, strlen(name));
        lab_errors_add(errors, "unknown-field", pointer, "Unknown field; the only field is 'paused'.");
    }
    value = json_object_get(body, "paused");
    if (value == NULL)
        lab_errors_add(errors, "missing", "/paused", "'paused' is missing; it must be true or false.");
    else if (!json_is_boolean(value))
        lab_errors_add(errors, "wrong-type", "/paused", "'paused' must be true or false.");
}

void lab_api_put_queue(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    if (!lab_check_no_query(request, response))
        return;
    json_t *body = lab_request_json(request, response, false);
    if (body == NULL)
        return;
    check_body(body, &errors);
    if (errors.count > 0)
        lab_reply_invalid(response, &errors);
    else if (lab_jobs_pause(lab_api_of(request)->jobs, json_is_true(json_object_get(body, "paused"))))
        respond_queue(request, response);
    else
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
    json_decref(body);
}
