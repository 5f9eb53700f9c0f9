/* Functions that the handlers share: error responses and the tags of the cache. */
#include "resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_api *lab_api_of(const struct lab_request *request)
{
    return lab_request_context(request);
}

const char *lab_requested_by(const struct lab_request *request)
{
    const char *name = lab_request_identity(request)->name;
    return name[0] != '\0' ? name : NULL;
}

bool lab_refuse_of_another(const struct lab_request *request, struct lab_response *response, const char *requested_by)
{
    const char *person = lab_requested_by(request);
    if (lab_request_identity(request)->role >= LAB_ROLE_ADMIN ||
        (person != NULL && requested_by != NULL && strcmp(person, requested_by) == 0))
        return false;
    lab_respond_problem(response, LAB_ERROR_RUN_OF_ANOTHER,
                        "Another person requested it: only that person and admins cancel, change and delete it.", NULL);
    return true;
}

bool lab_refuse_run_of_another(const struct lab_request *request, struct lab_response *response, const char *id)
{
    struct lab_run_row *run = NULL;
    bool refused = lab_request_identity(request)->role < LAB_ROLE_ADMIN &&
                   lab_store_get_run(lab_api_of(request)->store, id, &run) == LAB_STORE_OK &&
                   lab_refuse_of_another(request, response, run->requested_by);
    free(run);
    return refused;
}

const char *lab_only_author(const struct lab_request *request)
{
    const char *person = lab_requested_by(request);
    if (lab_request_identity(request)->role >= LAB_ROLE_ADMIN)
        return NULL;
    return person != NULL ? person : "";
}

int64_t lab_number_of_part(const struct lab_request *request, const char *name)
{
    char *end;
    int64_t number = strtoll(lab_request_part(request, name), &end, 10);
    return *end == '\0' ? number : 0;
}

void lab_reply_invalid(struct lab_response *response, const struct lab_errors *errors)
{
    lab_respond_problem(response, LAB_ERROR_INVALID_REQUEST, "The request is not valid; see errors.", errors);
}

void lab_reply_store_error(const struct lab_request *request, struct lab_response *response,
                           enum lab_store_result result)
{
    if (result == LAB_STORE_NOT_FOUND) {
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Run not found.", NULL);
        return;
    }
    lab_respond_header(response, "Retry-After", "5");
    lab_respond_problem(response, LAB_ERROR_STORE_UNAVAILABLE, lab_store_message(lab_api_of(request)->store), NULL);
}

void lab_reply_list(const struct lab_request *request, struct lab_response *response, const char *name,
                    enum lab_store_result result, json_t *list)
{
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200, json_pack("{s:O}", name, list));
    else
        lab_reply_store_error(request, response, result);
    json_decref(list);
}

void lab_reply_created(const struct lab_request *request, struct lab_response *response, int64_t id, json_t *body)
{
    char location[160];
    snprintf(location, sizeof location, "%s/%" PRId64, lab_request_path(request), id);
    lab_respond_header(response, "Location", location);
    lab_respond_json(response, 201, body);
}

void lab_reply_deleted(const struct lab_request *request, struct lab_response *response, const char *noun,
                       enum lab_store_result result)
{
    char detail[64];
    snprintf(detail, sizeof detail, "%s not found.", noun);
    if (result == LAB_STORE_OK)
        lab_respond_empty(response, 204);
    else if (result == LAB_STORE_NOT_FOUND)
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, detail, NULL);
    else if (result == LAB_STORE_CONFLICT)
        lab_respond_problem(response, LAB_ERROR_RUN_OF_ANOTHER,
                            "Another person added it: only that person and admins delete it.", NULL);
    else
        lab_reply_store_error(request, response, result);
}

void lab_tag_of_state(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE])
{
    const struct lab_api *api = lab_api_of(request);
    snprintf(tag, LAB_CACHE_TAG_SIZE, "%" PRIu64 "-%" PRIu64, lab_store_generation(api->store),
             lab_jobs_generation(api->jobs));
}

void lab_tag_of_store(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE])
{
    snprintf(tag, LAB_CACHE_TAG_SIZE, "%" PRIu64, lab_store_generation(lab_api_of(request)->store));
}

void lab_tag_of_build(const struct lab_request *request, char tag[LAB_CACHE_TAG_SIZE])
{
    (void)request;
    snprintf(tag, LAB_CACHE_TAG_SIZE, "build");
}
