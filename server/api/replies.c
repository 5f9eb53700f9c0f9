/* Functions that the handlers share: error responses and the entity tag. */
#include "resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

bool lab_api_open(struct lab_api *api, struct lab_error *error)
{
    uint64_t epoch = 0;
    if (getrandom(&epoch, sizeof epoch, 0) != (ssize_t)sizeof epoch)
        return lab_error_set(error, "no-randomness", "", "getrandom failed: %m.");
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

void lab_reply_store_error(const struct lab_request *request, struct lab_response *response,
                           enum lab_store_result result)
{
    if (result == LAB_STORE_NOT_FOUND) {
        lab_respond_problem(response, 404, "not-found", "Run not found.", NULL);
        return;
    }
    lab_respond_header(response, "Retry-After", "5");
    lab_respond_problem(response, 503, "store-unavailable", lab_store_message(lab_api_of(request)->store), NULL);
}

bool lab_reply_run(const struct lab_request *request, struct lab_response *response, int status, const char *id)
{
    enum lab_store_result result;
    json_t *run = lab_read_run(lab_api_of(request), id, &result);
    if (run != NULL)
        lab_respond_json(response, status, run);
    else
        lab_reply_store_error(request, response, result);
    return run != NULL;
}

void lab_state_etag(const struct lab_api *api, char tag[LAB_TAG_SIZE])
{
    snprintf(tag, LAB_TAG_SIZE, "%s-%" PRIu64 "-%" PRIu64, api->epoch, lab_store_generation(api->store),
             lab_jobs_generation(api->jobs));
}
