/* GET /api/v1/references: published results of all experiments, or with `?experiment=` of one. They are compiled in. */
#include "resources.h"

#include "experiment/references.h"

/* As in the list of runs, an unknown experiment gives an empty list. */
void lab_api_list_references(const struct lab_request *request, struct lab_response *response)
{
    const char *experiment = lab_request_query(request, "experiment");
    lab_respond_json(response, 200, json_pack("{s:o}", "references", lab_references_to_json(experiment)));
}
