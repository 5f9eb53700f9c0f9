/* gpulab run … --dry-run: prints what runs would take. */
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/table.h"
#include "run.h"

#include "core/format.h"
#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks the lab for the plan of a run: {points, seconds, device_bytes, host_bytes}, a new reference. On failure prints
 * the errors and returns another exit code. */
static enum lab_exit_code get_plan(const struct lab_run_context *context, const json_t *experiment, json_t **plan)
{
    struct lab_errors errors = {0};
    enum lab_exit_code code = LAB_EXIT_USAGE;
    json_t *request = lab_run_request(context, experiment, &errors);
    const struct lab_call call = {.method = "POST", .path = "/api/v1/runs?dry_run=true", .body = request};
    *plan = NULL;
    if (request != NULL)
        code = lab_api_call(context->lab->session.client, &call, plan, NULL, &errors);
    json_decref(request);
    return code == LAB_EXIT_OK ? code : lab_fail(code, &errors);
}

static const char *const titles[] = {"experiment", "points", "time", "device memory", "host memory"};
enum { TITLES = sizeof titles / sizeof *titles };

static void add_row(struct lab_table *table, const json_t *experiment, const json_t *plan)
{
    char text[LAB_FORMAT_SIZE];
    lab_table_cell(table, "%s", lab_text_of(experiment, "name"));
    lab_table_cell(table, "%.0f", lab_number_of(plan, "points"));
    lab_table_cell(table, "%s", lab_format_duration(lab_number_of(plan, "seconds"), text));
    lab_table_cell(table, "%s", lab_format_bytes(lab_number_of(plan, "device_bytes"), text));
    lab_table_cell(table, "%s", lab_format_bytes(lab_number_of(plan, "host_bytes"), text));
}

/* Prints the integers among the given parameters as the plan has them, so that one sees what "64MB" stands for. */
static void print_integers(const struct lab_texts *given, const json_t *experiment, const char *side,
                           const json_t *parameters)
{
    const json_t *properties = json_object_get(json_object_get(experiment, "parameters"), "properties");
    for (size_t i = 0; i < given->count; i++) {
        char *name = strndup(given->items[i], strcspn(given->items[i], "="));
        const json_t *value = json_object_get(parameters, name);
        const char *unit = lab_text_of(json_object_get(properties, name), "x-unit");
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        if (text != NULL && json_is_integer(json_is_array(value) ? json_array_get(value, 0) : value))
            printf("%s%s: %s %.*s%s%s\n", lab_text_of(experiment, "name"), side, name,
                   (int)(strlen(text) - (json_is_array(value) ? 2 : 0)), text + json_is_array(value),
                   unit[0] != '\0' ? " " : "", unit);
        free(text);
        free(name);
    }
}

/* Prints, after the table, the parameters that are the same for both sides of a comparison. */
static void print_parameters(const struct lab_run_context *context, const json_t *experiment, const json_t *plan)
{
    if (context->lab->json)
        return;
    print_integers(&context->options->request.set, experiment, "", json_object_get(plan, "parameters"));
    print_integers(&context->options->compare_with, experiment, ", compared with",
                   json_object_get(json_object_get(plan, "compare_with"), "parameters"));
}

/* A row for an experiment without a plan. */
static void add_empty_row(struct lab_table *table, const json_t *experiment)
{
    lab_table_cell(table, "%s", lab_text_of(experiment, "name"));
    for (size_t i = 1; i < TITLES; i++)
        lab_table_cell(table, "-");
}

/* The experiments of a subject so far: those with a plan, and the exit codes of the others. */
struct plans {
    json_t *documents;
    size_t planned;
    enum lab_exit_code code, left_out_code;
};

/* Plans one of the experiments of a subject, or says why the subject's run leaves it out. */
static void plan_selected(const struct lab_run_context *context, const json_t *experiment, struct lab_table *table,
                          struct plans *plans)
{
    json_t *plan;
    char reason[256];
    enum lab_exit_code code = lab_run_left_out(context, experiment, reason, sizeof reason);
    if (code != LAB_EXIT_OK) {
        add_empty_row(table, experiment);
        lab_table_cell(table, "left out: %s", reason);
        plans->left_out_code = code;
        plan = json_pack("{s:s}", "left_out", reason);
    } else if ((code = get_plan(context, experiment, &plan)) == LAB_EXIT_OK) {
        add_row(table, experiment, plan);
        lab_table_cell(table, "%s", "");
        plans->planned++;
    } else {
        add_empty_row(table, experiment);
        lab_table_cell(table, "not possible: see above");
        plans->code = code;
    }
    if (plan != NULL)
        json_object_set_new(plans->documents, lab_text_of(experiment, "name"), plan);
}

static void add_columns(struct lab_table *table)
{
    for (size_t i = 0; i < TITLES; i++)
        lab_table_column(table, titles[i], i > 0 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
}

static void print(const struct lab_run_context *context, const json_t *plans, const struct lab_table *table)
{
    if (context->lab->json)
        lab_print_json(plans);
    else if (json_object_size(plans) > 0)
        lab_table_print(table, stdout);
}

enum lab_exit_code lab_plan_one(const struct lab_run_context *context, const json_t *experiment)
{
    struct lab_table *table = lab_table_create();
    json_t *plans = json_object(), *plan;
    enum lab_exit_code code = get_plan(context, experiment, &plan);
    add_columns(table);
    if (code == LAB_EXIT_OK) {
        add_row(table, experiment, plan);
        json_object_set_new(plans, lab_text_of(experiment, "name"), plan);
    }
    print(context, plans, table);
    print_parameters(context, experiment, plan);
    json_decref(plans);
    lab_table_free(table);
    return code;
}

enum lab_exit_code lab_plan_all(const struct lab_run_context *context, const json_t *experiments)
{
    struct lab_table *table = lab_table_create();
    struct plans plans = {.documents = json_object()};
    json_t *experiment;
    size_t index;
    add_columns(table);
    lab_table_column(table, "remark", LAB_COLUMN_LEFT);
    json_array_foreach(experiments, index, experiment)
    {
        plan_selected(context, experiment, table, &plans);
    }
    print(context, plans.documents, table);
    json_array_foreach(experiments, index, experiment)
    {
        print_parameters(context, experiment, json_object_get(plans.documents, lab_text_of(experiment, "name")));
    }
    json_decref(plans.documents);
    lab_table_free(table);
    return plans.code == LAB_EXIT_OK && plans.planned == 0 ? plans.left_out_code : plans.code;
}
