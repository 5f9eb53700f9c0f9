/* POST /api/v1/runs: checks, stores and queues a run. The 202 is sent after the run was written to the disk. */
#include "resources.h"

#include <stdio.h>

static void respond_run(const struct lab_request *request, struct lab_response *response, const char *id)
{
    char location[64];
    snprintf(location, sizeof location, "/api/v1/runs/%s", id);
    if (lab_reply_run(request, response, 202, id))
        lab_respond_header(response, "Location", location);
}

/* The devices are not known, so that a request cannot be checked. */
static void respond_not_ready(const struct lab_request *request, struct lab_response *response)
{
    struct lab_queue_state queue;
    lab_jobs_queue(lab_api_of(request)->jobs, &queue);
    lab_respond_header(response, "Retry-After", "5");
    lab_respond_problem(response, 503, "not-ready", queue.held[0] != '\0' ? queue.held : NULL, NULL);
}

static void respond_not_created(const struct lab_request *request, struct lab_response *response,
                                enum lab_submit_result result, const struct lab_errors *errors)
{
    switch (result) {
    case LAB_SUBMIT_KEY_REUSED:
        lab_respond_problem(response, 422, "idempotency-key-reused",
                            "This Idempotency-Key was already used with another body; use a new key for each run.",
                            errors);
        return;
    case LAB_SUBMIT_FULL:
        lab_respond_header(response, "Retry-After", "30");
        lab_respond_problem(response, 429, "queue-full", "The queue is full; try again later.", errors);
        return;
    case LAB_SUBMIT_NOT_READY:
        respond_not_ready(request, response);
        return;
    case LAB_SUBMIT_STORE:
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
        return;
    default:
        lab_reply_invalid(response, errors);
        return;
    }
}

void lab_api_create_run(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    const struct lab_submit_options options = {.key = lab_request_header(request, "Idempotency-Key")};
    enum lab_submit_result result =
        lab_jobs_submit(lab_api_of(request)->jobs, lab_request_json(request), &options, id, &errors);
    if (result == LAB_SUBMIT_OK || result == LAB_SUBMIT_SAME)
        respond_run(request, response, id);
    else
        respond_not_created(request, response, result, &errors);
}

void lab_api_add_run_errors(const struct lab_request *request, const json_t *body, struct lab_errors *errors)
{
    struct lab_estimate estimate;
    lab_jobs_plan(lab_api_of(request)->jobs, body, &estimate, errors);
}
