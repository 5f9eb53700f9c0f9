/* gpulab nodes [NAME]: lists the machines on which runs are executed, or prints one. */
#include "commands.h"
#include "lab/api_json.h"
#include "listing.h"
#include "output/table.h"

#include "cli/command.h"
#include "core/format.h"
#include "core/json_members.h"

#include <stdio.h>

static const char usage[] =
    "Usage: gpulab nodes [NAME] [OPTIONS]\n\n"
    "Lists the machines on which the lab executes runs, or prints one of them. 'gpulab serve --nodes FILE' names them.\n";

static json_t *nodes_find(const json_t *document, const char *word)
{
    return lab_list_find(json_object_get(document, "nodes"), word);
}

/* How workers are started on the node, for example "ssh gpu1". */
static void add_transport(struct lab_table *table, const json_t *node)
{
    const char *target = lab_text_of(node, "target");
    lab_table_cell(table, "%s%s%s", lab_text_of(node, "transport"), target[0] != '\0' ? " " : "", target);
}

static void print_all(const json_t *document)
{
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *node;
    lab_table_column(table, "name", LAB_COLUMN_LEFT);
    lab_table_column(table, "reached by", LAB_COLUMN_LEFT);
    lab_table_column(table, "devices", LAB_COLUMN_RIGHT);
    lab_table_column(table, "state", LAB_COLUMN_LEFT);
    lab_table_column(table, "queued", LAB_COLUMN_RIGHT);
    lab_table_column(table, "reason", LAB_COLUMN_LEFT);
    json_array_foreach(json_object_get(document, "nodes"), index, node)
    {
        lab_table_cell(table, "%s", lab_text_of(node, "name"));
        add_transport(table, node);
        lab_table_cell(table, "%zu", json_array_size(json_object_get(node, "devices")));
        lab_table_cell(table, "%s", lab_text_of(node, "state"));
        lab_table_cell(table, "%.0f", lab_number_of(node, "queued"));
        lab_table_cell(table, "%s", lab_text_of(node, "state_reason"));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static void add_row(struct lab_table *table, const char *name, const char *value)
{
    if (value[0] == '\0')
        return;
    lab_table_cell(table, "%s", name);
    lab_table_cell(table, "%s", value);
}

static void print_one(const json_t *node)
{
    struct lab_table *table = lab_table_create();
    const json_t *machine = json_object_get(node, "machine");
    size_t index;
    json_t *device;
    char memory[LAB_FORMAT_SIZE];
    lab_table_column(table, lab_text_of(node, "name"), LAB_COLUMN_LEFT);
    lab_table_column(table, lab_text_of(node, "state"), LAB_COLUMN_LEFT);
    add_row(table, "reason", lab_text_of(node, "state_reason"));
    lab_table_cell(table, "reached by");
    add_transport(table, node);
    add_row(table, "running", lab_text_of(node, "running"));
    add_row(table, "machine", lab_text_of(machine, "name"));
    add_row(table, "processor", lab_text_of(machine, "cpu"));
    if (json_is_object(machine))
        add_row(table, "memory", lab_format_bytes(lab_number_of(machine, "memory_bytes"), memory));
    json_array_foreach(json_object_get(node, "devices"), index, device)
    {
        add_row(table, "device", json_string_value(device));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

int lab_command_nodes(const struct lab_invocation *invocation)
{
    static const struct lab_listing listing = {
        .usage = usage,
        .item = "node",
        .key = "name",
        .path = "/api/v1/nodes",
        .missing = LAB_EXIT_NO_DEVICE,
        .find = nodes_find,
        .print_all = print_all,
        .print_one = print_one,
    };
    return lab_listing_main(&listing, invocation);
}
