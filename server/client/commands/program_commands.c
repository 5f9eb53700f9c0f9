#include "program_commands.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/table.h"

#include "core/format.h"
#include "core/json_members.h"

#include <stdio.h>

/* The answer about a node, with its name: a new reference. NULL with *error set on failure. */
static json_t *get_commands(struct lab_client *client, const char *node, struct lab_error *error)
{
    struct lab_url url;
    lab_url_begin(&url, "/api/v1/nodes");
    lab_url_segment(&url, node);
    lab_url_segment(&url, "commands");
    json_t *answer = lab_get(client, url.text, error);
    if (answer != NULL)
        json_object_set_new(answer, "name", json_string(node));
    return answer;
}

/* Appends the answer about a node. False with *error set on failure. */
static bool append(json_t *list, struct lab_client *client, const char *node, struct lab_error *error)
{
    json_t *answer = get_commands(client, node, error);
    return answer != NULL && json_array_append_new(list, answer) == 0;
}

/* The answers about the nodes, a new reference; NULL with *error set on failure. */
static json_t *read_nodes(struct lab_client *client, const struct lab_texts *nodes, struct lab_error *error)
{
    json_t *list = json_array(), *node, *all = nodes->count == 0 ? lab_get(client, "/api/v1/nodes", error) : NULL;
    bool good = nodes->count > 0 || all != NULL;
    size_t index;
    for (size_t i = 0; good && i < nodes->count; i++)
        good = append(list, client, nodes->items[i], error);
    json_array_foreach(json_object_get(all, "nodes"), index, node)
    {
        good = good && append(list, client, lab_text_of(node, "name"), error);
    }
    json_decref(all);
    if (good)
        return list;
    json_decref(list);
    return NULL;
}

static void add_patterns(struct lab_table *table, const json_t *patterns)
{
    char text[512] = "none";
    size_t index, used = 0;
    json_t *pattern;
    json_array_foreach(patterns, index, pattern)
    {
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", index > 0 ? "  " : "",
                                     json_string_value(pattern));
    }
    lab_table_cell(table, "%s", text);
}

static void add_command(struct lab_table *table, const json_t *command)
{
    char limit[LAB_FORMAT_SIZE];
    double limit_s = json_number_value(json_object_get(command, "limit_s"));
    lab_table_cell(table, "%s", lab_text_of(command, "name"));
    add_patterns(table, json_object_get(command, "arguments"));
    lab_table_cell(table, "%s", lab_text_of(command, "format"));
    lab_table_cell(table, "%s", limit_s > 0 ? lab_format_seconds(limit_s, limit) : "");
    lab_table_cell(table, "%s", lab_text_of(command, "text"));
}

static void print_node(const json_t *node, bool named)
{
    const json_t *commands = json_object_get(node, "commands");
    const char *reason = lab_optional_text_of(node, "reason");
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *command;
    if (named)
        printf("%s:\n", lab_text_of(node, "name"));
    lab_table_column(table, "command", LAB_COLUMN_LEFT);
    lab_table_column(table, "arguments that match", LAB_COLUMN_CUT);
    lab_table_column(table, "format", LAB_COLUMN_LEFT);
    lab_table_column(table, "limit", LAB_COLUMN_RIGHT);
    lab_table_column(table, "what it does", LAB_COLUMN_CUT);
    json_array_foreach(commands, index, command)
    {
        add_command(table, command);
    }
    lab_table_fit(table, lab_terminal_width(stdout));
    if (json_array_size(commands) > 0)
        lab_table_print(table, stdout);
    lab_table_free(table);
    if (reason != NULL)
        printf("%s\n", reason);
}

enum lab_exit_code lab_program_commands(struct lab_context *context, const struct lab_texts *nodes)
{
    struct lab_error error = {0};
    size_t index;
    json_t *node, *list = read_nodes(context->session.client, nodes, &error);
    if (list == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    json_t *document = json_pack("{s:o}", "nodes", list);
    if (context->json)
        lab_print_json(document);
    json_array_foreach(list, index, node)
    {
        if (!context->json)
            print_node(node, json_array_size(list) > 1);
    }
    json_decref(document);
    return LAB_EXIT_OK;
}
