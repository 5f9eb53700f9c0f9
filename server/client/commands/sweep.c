/* gpulab sweep EXPERIMENT: runs an experiment with every combination of the values of its parameters. */
#include "commands.h"
#include "follow_sweep.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/document.h"
#include "output/report.h"
#include "output/run_line.h"
#include "run_request.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: gpulab sweep EXPERIMENT --set KEY=VALUE,VALUE... [OPTIONS]\n\n"
    "Queues a run for each combination of the values that --set and --device give, at most 1000, follows them, and prints\n"
    "a table. With several --node, there is a run on each of these machines. With several --device, each run uses one of them; 'ID+ID' names devices that a run uses together. A list in\n"
    "a preset stays the list of one run. Ctrl-C cancels the sweep; a second Ctrl-C ends the command at once.\n";

struct sweep_options {
    struct lab_request_options request;
    const char *format;
};

static const struct lab_option sweep_options[] = {LAB_DOCUMENT_OPTION(struct sweep_options), {0}};

static bool sweep_check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    struct sweep_options *options = values;
    lab_document_check(context->json, options->format, errors);
    return lab_request_options_complete(&options->request, errors) && errors->count == 0;
}

/* The devices of the runs, a list of lists of ids: each --device is an id or an index, or several joined by '+'. */
static json_t *devices_of(const struct lab_request_options *options, const json_t *devices)
{
    json_t *lists = json_array();
    for (size_t i = 0; i < options->devices.count; i++) {
        char *words = strdup(options->devices.items[i]), *rest = words;
        json_t *list = json_array();
        for (char *word; rest != NULL && (word = strsep(&rest, "+")) != NULL;)
            json_array_append_new(list, json_string(lab_request_device(devices, word)));
        json_array_append_new(lists, list);
        free(words);
    }
    return lists;
}

/* Makes the body of POST /sweeps, a new reference; NULL with errors on failure. */
static json_t *make_request(const struct lab_request_options *options, const json_t *experiment, const json_t *devices,
                            struct lab_errors *errors)
{
    json_t *request = lab_request_create(options, experiment, devices, errors);
    if (request == NULL)
        return NULL;
    if (options->devices.count > 0)
        json_object_set_new(request, "devices", devices_of(options, devices));
    return request;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

/* Adds a parameter's value; a list of one value as that value. */
static void add_value(struct lab_table *table, const json_t *value)
{
    if (json_array_size(value) == 1)
        value = json_array_get(value, 0);
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *shown = text != NULL ? text : json_string_value(value);
    lab_table_cell(table, "%s", shown != NULL ? shown : "-");
    free(text);
}

/* Adds the ids of devices, which differ where names do not, in the notation of --device: "GPU-1+GPU-2". */
static void add_devices(struct lab_table *table, const json_t *devices)
{
    char *text = NULL;
    size_t size = 0, index;
    json_t *device;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        json_array_foreach(devices, index, device)
        {
            fprintf(out, "%s%s", index > 0 ? "+" : "", lab_text_of(device, "id"));
        }
        fclose(out);
    }
    lab_table_take(table, text);
}

/* A row for each run, oldest first, with the parameters of which the request has several values. */
static struct lab_table *table_of(const json_t *runs, const json_t *request)
{
    struct lab_table *table = lab_table_create();
    json_t *parameters = json_object_get(request, "parameters"), *value;
    bool several_devices = json_array_size(json_object_get(request, "devices")) > 1;
    bool several_nodes = json_array_size(json_object_get(request, "nodes")) > 1;
    const char *name;
    size_t shortened = lab_shown_id_length(runs);
    lab_table_column(table, "id", LAB_COLUMN_LEFT);
    if (several_nodes)
        lab_table_column(table, "machine", LAB_COLUMN_LEFT);
    json_object_foreach(parameters, name, value)
    {
        if (json_array_size(value) > 1)
            lab_table_column(table, name, LAB_COLUMN_CUT);
    }
    if (several_devices)
        lab_table_column(table, "device", LAB_COLUMN_CUT);
    lab_table_column(table, "status", LAB_COLUMN_LEFT);
    lab_table_column(table, "result", LAB_COLUMN_CUT);
    for (size_t i = json_array_size(runs); i-- > 0;) {
        const json_t *run = json_array_get(runs, i);
        lab_table_cell(table, "%.*s", (int)shortened, lab_text_of(run, "id"));
        if (several_nodes)
            lab_table_cell(table, "%s", lab_text_of(run, "host"));
        json_object_foreach(parameters, name, value)
        {
            if (json_array_size(value) > 1)
                add_value(table, json_object_get(json_object_get(run, "parameters"), name));
        }
        if (several_devices)
            add_devices(table, json_object_get(run, "devices"));
        lab_table_cell(table, "%s", lab_text_of(run, "status"));
        lab_table_style(table, lab_status_style(lab_text_of(run, "status")));
        lab_table_take(table, lab_run_result(run));
    }
    return table;
}

/* What tells a run of the sweep from the others, and is the same in the next sweep: "seed 2, memory pinned, node7:
 * GPU-1". The caller frees it; NULL when out of memory. */
static char *case_name(const json_t *run, const json_t *request)
{
    const char *name;
    char *text = NULL;
    size_t size, index;
    json_t *value, *device;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    json_object_foreach(json_object_get(request, "parameters"), name, value)
    {
        char *given = json_dumps(json_object_get(json_object_get(run, "parameters"), name), JSON_ENCODE_ANY);
        if (json_array_size(value) > 1 && given != NULL)
            fprintf(out, "%s %s, ", name, given);
        free(given);
    }
    fprintf(out, "%s:", lab_text_of(run, "host"));
    json_array_foreach(json_object_get(run, "devices"), index, device)
    {
        fprintf(out, " %s", lab_text_of(device, "id"));
    }
    fclose(out);
    return text;
}

/* Writes the runs as a document, with a case for each. */
static void write_document(const char *title, struct lab_table *table, const json_t *runs, const json_t *request,
                           const char *form)
{
    struct lab_document *document = lab_document_create("sweep", title);
    lab_document_table(document, NULL, table);
    for (size_t i = json_array_size(runs); i-- > 0;) {
        const json_t *run = json_array_get(runs, i);
        bool is_good = lab_report_exit_code(run) == LAB_EXIT_OK;
        char *result = lab_run_result(run), *name = case_name(run, request);
        lab_document_case(document, name != NULL ? name : lab_text_of(run, "id"),
                          is_good ? LAB_CASE_PASSED : LAB_CASE_FAILED, result != NULL ? result : "");
        free(result);
        free(name);
    }
    lab_document_write(document, form, stdout);
    lab_document_free(document);
}

/* Prints the runs in the form of a document; NULL: as a table. */
static void print_runs(const char *id, const json_t *runs, const json_t *request, const char *form)
{
    struct lab_table *table = table_of(runs, request);
    char title[64];
    snprintf(title, sizeof title, "sweep %.40s: %zu runs", id, json_array_size(runs));
    if (form != NULL) {
        write_document(title, table, runs, request, form);
    } else {
        lab_table_fit(table, lab_terminal_width(stdout));
        lab_table_print(table, stdout);
        printf("\n%s\n", title);
    }
    lab_table_free(table);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

/* The exit code for the runs, of which the last is the oldest. */
static enum lab_exit_code exit_code_of(const json_t *runs)
{
    enum lab_exit_code code = LAB_EXIT_OK;
    for (size_t i = json_array_size(runs); i-- > 0;)
        code = lab_report_join_exit_codes(code, lab_report_exit_code(json_array_get(runs, i)));
    return code;
}

/* Follows the sweep that the lab has accepted, and prints its runs. */
static enum lab_exit_code follow(struct lab_context *context, const json_t *sweep, const json_t *request,
                                 const char *form)
{
    const char *id = lab_text_of(sweep, "id");
    struct lab_error error = {0};
    json_t *runs = lab_follow_sweep(context, id, (size_t)lab_number_of(sweep, "total"), &error);
    if (runs == NULL) {
        lab_print_error(&error);
        return lab_exit_code_of(error.code);
    }
    enum lab_exit_code code = exit_code_of(runs);
    if (context->json) {
        json_t *document = json_pack("{s:s, s:O}", "sweep", id, "runs", runs);
        lab_print_json(document);
        json_decref(document);
    } else {
        print_runs(id, runs, request, form);
    }
    json_decref(runs);
    return code;
}

/* Submits the sweep of an experiment and follows it. */
static enum lab_exit_code sweep_experiment(struct lab_context *context, const struct sweep_options *options,
                                           const json_t *experiment, const json_t *devices)
{
    struct lab_errors errors = {0};
    json_t *sweep = NULL, *request = make_request(&options->request, experiment, devices, &errors);
    enum lab_exit_code code = LAB_EXIT_USAGE;
    const struct lab_call call = {.method = "POST", .path = "/api/v1/sweeps", .body = request};
    if (request != NULL)
        code = lab_api_call(context->session.client, &call, &sweep, NULL, &errors);
    code = code == LAB_EXIT_OK ? follow(context, sweep, request, options->format) : lab_fail(code, &errors);
    json_decref(sweep);
    json_decref(request);
    return code;
}

static enum lab_exit_code command_sweep(struct lab_context *context, void *values)
{
    const char *name = context->arguments.words.items[0];
    struct lab_error error = {0};
    enum lab_exit_code code = LAB_EXIT_ERROR;
    json_t *experiments = lab_get(context->session.client, "/api/v1/experiments", &error);
    json_t *devices = experiments != NULL ? lab_get(context->session.client, "/api/v1/devices", &error) : NULL;
    bool known = lab_document_find_experiment(experiments, name) != NULL;
    json_t *experiment = devices != NULL && known ? lab_experiment_get(context->session.client, name, &error) : NULL;
    if (devices != NULL && !known) {
        fprintf(stderr, "gpulab: unknown experiment '%s'; 'gpulab experiments' lists all\n", name);
        code = LAB_EXIT_USAGE;
    } else if (experiment == NULL) {
        lab_print_error(&error);
    } else {
        code = sweep_experiment(context, values, experiment, devices);
    }
    json_decref(experiment);
    json_decref(devices);
    json_decref(experiments);
    return code;
}

int lab_command_sweep(const struct lab_invocation *invocation)
{
    struct sweep_options options = {0};
    const struct lab_option_group groups[] = {
        {"Sweep", lab_request_options_table, &options.request}, {"Output", sweep_options, &options}, {0}};
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = 1, .signals = true, .check = sweep_check, .work = command_sweep};
    return lab_client_command_main(&command, groups, &options, invocation);
}
