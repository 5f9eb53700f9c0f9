/* GET /api/v1/references: published results, those of one experiment with `?experiment=`. Nothing of them changes while a
 * build lasts. */
#include "resources.h"

#include "core/build.h"
#include "experiment/references.h"

#include <stdio.h>
#include <string.h>

/* A build from a changed tree has no name of its own: its tag holds for this process. */
static void tag_of_build(const struct lab_api *api, char tag[LAB_TAG_SIZE])
{
    bool named = strstr(lab_build.commit, "-dirty") == NULL && strcmp(lab_build.commit, "unknown") != 0;
    snprintf(tag, LAB_TAG_SIZE, "references-%.20s-%.40s", lab_build.version, named ? lab_build.commit : api->epoch);
}

/* As in the list of runs, an experiment that there is not has none; an empty name is a mistake. */
static bool check_query(const struct lab_request *request, struct lab_response *response)
{
    static const char *const allowed[] = {"experiment", NULL};
    struct lab_errors errors = {0};
    const char *experiment = lab_request_query(request, "experiment");
    lab_request_check_query(request, allowed, &errors);
    if (experiment != NULL && experiment[0] == '\0')
        lab_errors_add(&errors, "empty", "/query/experiment", "Must not be empty; leave it away to list all.");
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
    tag_of_build(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(
            request, response, tag,
            json_pack("{s:o}", "references", lab_references_to_json(lab_request_query(request, "experiment"))));
}
