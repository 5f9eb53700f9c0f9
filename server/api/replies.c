/* What handlers share: error responses, common query parameters and the entity tag. */
#include "resources.h"
#include "run_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static const char retry_after_s[] = "5";

bool lab_api_open(struct lab_api *api, struct lab_error *error)
{
    uint64_t epoch = 0;
    if (getrandom(&epoch, sizeof epoch, 0) != (ssize_t)sizeof epoch)
        return lab_error_set(error, "no-randomness", "", "getrandom failed: the system has no random numbers.");
    snprintf(api->epoch, sizeof api->epoch, "%016" PRIx64, epoch);
    return true;
}

struct lab_api *lab_api_of(const struct lab_request *request)
{
    return lab_request_context(request);
}

void lab_reply_invalid(struct lab_response *response, const struct lab_errors *errors)
{
    lab_respond_problem(response, 422, "invalid-request", "The request is not valid; see errors.", errors);
}

void lab_reply_store_unavailable(const struct lab_request *request, struct lab_response *response)
{
    const char *message = lab_store_message(lab_api_of(request)->store);
    lab_respond_header(response, "Retry-After", retry_after_s);
    lab_respond_problem(response, 503, "store-unavailable", message, NULL);
}

void lab_reply_store_error(const struct lab_request *request, struct lab_response *response,
                           enum lab_store_result result)
{
    if (result == LAB_STORE_NOT_FOUND)
        lab_respond_problem(response, 404, "not-found", "Run not found.", NULL);
    else
        lab_reply_store_unavailable(request, response);
}

bool lab_check_query(const struct lab_request *request, struct lab_response *response, const char *const *allowed)
{
    struct lab_errors errors = {0};
    lab_request_check_query(request, allowed, &errors);
    if (errors.count == 0)
        return true;
    lab_reply_invalid(response, &errors);
    return false;
}

bool lab_read_samples(const struct lab_request *request, struct lab_response *response, bool *samples)
{
    static const char *const allowed[] = {"samples", NULL};
    struct lab_errors errors = {0};
    lab_request_check_query(request, allowed, &errors);
    const char *text = lab_request_query(request, "samples");
    *samples = text != NULL && strcmp(text, "true") == 0;
    if (text != NULL && !*samples && strcmp(text, "false") != 0)
        lab_errors_add(&errors, "wrong-type", "/query/samples", "'samples' must be true or false.");
    if (errors.count == 0)
        return true;
    lab_reply_invalid(response, &errors);
    return false;
}

void lab_state_etag(const struct lab_api *api, char tag[LAB_TAG_SIZE])
{
    snprintf(tag, LAB_TAG_SIZE, "%s-%" PRIu64 "-%" PRIu64, api->epoch, lab_store_generation(api->store),
             lab_jobs_generation(api->jobs));
}

json_t *lab_api_read_run(struct lab_api *api, const char *id, enum lab_store_result *result)
{
    struct lab_live_state live;
    lab_jobs_live_state(api->jobs, id, &live);
    return lab_read_run(api->store, &live, id, result);
}
