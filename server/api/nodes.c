/* GET /api/v1/nodes, /nodes/{name} and /nodes/{name}/commands: the machines on which runs are executed. */
#include "openapi/schemas.h"
#include "resources.h"

#include <string.h>

#include "descriptor/results.h"

static const char not_found[] = "Node not found; GET /api/v1/nodes lists the names.";

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
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, not_found, NULL);
    json_decref(nodes);
}

void lab_api_list_commands(const struct lab_request *request, struct lab_response *response)
{
    json_t *commands = lab_jobs_node_commands(lab_api_of(request)->jobs, lab_request_part(request, "name"));
    if (commands != NULL)
        lab_respond_json(response, 200, commands);
    else
        lab_respond_problem(response, LAB_ERROR_NOT_FOUND, not_found, NULL);
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
    {LAB_GIVEN(STRING, "state_reason"), .nullable = true,
     .text = "Why no run is started, or how far the worker has been copied."},
    {LAB_GIVEN(STRING, "running"), .nullable = true, .text = "The id of the run in progress."},
    {LAB_GIVEN(INTEGER, "queued"), .maximum = INFINITY, .text = "The number of its queued runs."},
    {LAB_GIVEN(OBJECT, "machine"), .nullable = true, .component = "Machine"},
    {LAB_GIVEN(STRING, "devices"), .count = LAB_LIST, .text = "The ids of its devices."},
    {0},
};

static const struct lab_schema commands_members[] = {
    {LAB_GIVEN(OBJECT, "commands"), .count = LAB_LIST, .component = "Command"},
    {LAB_GIVEN(STRING, "reason"), .nullable = true, .text = "Why there are none, or why one is left out."},
    {0},
};

static const struct lab_schema command_members[] = {
    {LAB_GIVEN(STRING, "name"), .text = "As the field `program.command` of a request."},
    {LAB_GIVEN(STRING, "text"), .nullable = true, .text = "What the command does."},
    {LAB_GIVEN(STRING, "arguments"), .count = LAB_LIST,
     .text = "Extended regular expressions, of which each argument matches one as a whole; without them there are no "
             "arguments."},
    {LAB_GIVEN(STRING, "format"), .nullable = true,
     .text = "The format of the results that the command prints; null: only results by gpulab.h."},
    {LAB_GIVEN(NUMBER, "limit_s"), .nullable = true,
     .text = "An execution that takes longer is ended; null: the parameter."},
    {0},
};

const struct lab_schema lab_nodes_documents[] = {
    {.name = "Nodes", .type = LAB_TYPE_OBJECT, .members = nodes_members},
    {.name = "Node",
     .type = LAB_TYPE_OBJECT,
     .members = node_members,
     .text = "A machine on which runs are executed, one at a time."},
    {.name = "Commands", .type = LAB_TYPE_OBJECT, .members = commands_members},
    {.name = "Command",
     .type = LAB_TYPE_OBJECT,
     .members = command_members,
     .text = "A program that is installed on a node, and that runs execute by its name."},
    {0},
};
