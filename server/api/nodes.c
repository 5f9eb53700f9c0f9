/* GET /api/v1/nodes and /nodes/{name}: the machines on which runs are executed. */
#include "resources.h"

#include <string.h>

void lab_api_list_nodes(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_json(response, 200, json_pack("{s:o}", "nodes", lab_jobs_nodes(lab_api_of(request)->jobs)));
}

void lab_api_get_node(const struct lab_request *request, struct lab_response *response)
{
    json_t *nodes = lab_jobs_nodes(lab_api_of(request)->jobs), *node, *found = NULL;
    const char *name = lab_request_part(request, "name");
    size_t index;
    json_array_foreach(nodes, index, node)
    {
        if (strcmp(json_string_value(json_object_get(node, "name")), name) == 0)
            found = node;
    }
    if (found != NULL)
        lab_respond_json(response, 200, json_incref(found));
    else
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, "Node not found; GET /api/v1/nodes lists the names.", NULL);
    json_decref(nodes);
}
