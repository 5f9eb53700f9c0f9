/* GET /api/v1/nodes and /nodes/{name}: the machines on which runs are executed. */
#include "openapi/schemas.h"
#include "resources.h"

#include <string.h>

#include "descriptor/results.h"

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

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema nodes_members[] = {
    {LAB_GIVEN(OBJECT, "nodes"), .count = LAB_LIST, .component = "Node"},
    {0},
};

static const struct lab_schema node_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(CHOICE, "transport"), .choices = LAB_TEXTS("local", "ssh", "slurm"),
     .text = "How workers are started there."},
    {LAB_GIVEN(STRING, "target"), .text = "The host or the partition; empty for this machine."},
    {LAB_GIVEN(CHOICE, "state"), .choices = LAB_TEXTS("starting", "idle", "running", "held", "paused"),
     .text = "held: no worker answers, and one is tried again after a pause."},
    {LAB_GIVEN(STRING, "state_reason"), .nullable = true, .text = "Why no run is started."},
    {LAB_GIVEN(STRING, "running"), .nullable = true, .text = "The id of the run in progress."},
    {LAB_GIVEN(INTEGER, "queued"), .maximum = INFINITY, .text = "The number of its queued runs."},
    {LAB_GIVEN(OBJECT, "machine"), .nullable = true, .component = "Machine"},
    {LAB_GIVEN(STRING, "devices"), .count = LAB_LIST, .text = "The ids of its devices."},
    {0},
};

const struct lab_schema lab_nodes_documents[] = {
    {.name = "Nodes", .type = LAB_TYPE_OBJECT, .members = nodes_members},
    {.name = "Node",
     .type = LAB_TYPE_OBJECT,
     .members = node_members,
     .text = "A machine on which runs are executed, one at a time."},
    {0},
};
