/* GET /api/v1/references: published results of all experiments, or with `?experiment=` of one. They are compiled in. */
#include "resources.h"

#include "core/build.h"
#include "experiment/references.h"

#include <stdio.h>
#include <string.h>

/* The entity tag of this build. A build without a commit of its own (a changed or unknown source tree) uses the process's
 * epoch instead. */
static void build_etag(const struct lab_api *api, char tag[LAB_TAG_SIZE])
{
    bool has_commit = strstr(lab_build.commit, "-dirty") == NULL && strcmp(lab_build.commit, "unknown") != 0;
    snprintf(tag, LAB_TAG_SIZE, "references-%.20s-%.40s", lab_build.version,
             has_commit ? lab_build.commit : api->epoch);
}

/* As in the list of runs, an unknown experiment gives an empty list, and an empty name is an error. */
static bool check_query(const struct lab_request *request, struct lab_response *response)
{
    static const char *const allowed[] = {"experiment", NULL};
    struct lab_errors errors = {0};
    const char *experiment = lab_request_query(request, "experiment");
    lab_request_check_query(request, allowed, &errors);
    if (experiment != NULL && experiment[0] == '\0')
        lab_errors_add(&errors, "empty", "/query/experiment", "Must not be empty; omit it to list all.");
    if (errors.count == 0)
        return true;
    lab_reply_invalid(response, &errors);
    return false;
}

void lab_api_list_references(const struct lab_request *request, struct lab_response *response)
{
    char tag[LAB_TAG_SIZE];
    if (!check_query(request, response))
        return;
    build_etag(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(
            request, response, tag,
            json_pack("{s:o}", "references", lab_references_to_json(lab_request_query(request, "experiment"))));
}
