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

/* As in the list of runs, an unknown experiment gives an empty list. */
void lab_api_list_references(const struct lab_request *request, struct lab_response *response)
{
    char tag[LAB_TAG_SIZE];
    const char *experiment = lab_request_query(request, "experiment");
    build_etag(lab_api_of(request), tag);
    if (!lab_respond_from_cache(request, response, tag))
        lab_respond_cached(response, tag, json_pack("{s:o}", "references", lab_references_to_json(experiment)));
}
