/* gpulab run … --dry-run: prints what runs would take. */
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/format.h"
#include "output/table.h"
#include "run.h"

#include <stdio.h>

/* Asks the lab for the plan of a run: {points, seconds, device_bytes, host_bytes}, a new reference. On failure prints the
 * errors and returns another exit code. */
static enum lab_exit_code get_plan(const struct lab_run_context *context, const json_t *experiment, json_t **plan)
{
    struct lab_errors errors = {0};
    enum lab_exit_code code = LAB_EXIT_USAGE;
    json_t *request = lab_run_request(context, experiment, &errors);
    const struct lab_call call = {.method = "POST", .path = "/api/v1/runs?dry_run=true", .body = request};
    *plan = NULL;
    if (request != NULL)
        code = lab_call_api(context->lab->session.client, &call, plan, NULL, &errors);
    json_decref(request);
    return code == LAB_EXIT_OK ? code : lab_fail(code, &errors);
}

static void add_row(struct lab_table *table, const json_t *experiment, const json_t *plan)
{
    char text[LAB_FORMAT_SIZE];
    lab_table_cell(table, "%s", lab_text_of(experiment, "name"));
    lab_table_cell(table, "%.0f", lab_number_of(plan, "points"));
    lab_table_cell(table, "%s", lab_format_duration(lab_number_of(plan, "seconds"), text));
    lab_table_cell(table, "%s", lab_format_bytes(lab_number_of(plan, "device_bytes"), text));
    lab_table_cell(table, "%s", lab_format_bytes(lab_number_of(plan, "host_bytes"), text));
}

enum lab_exit_code lab_run_plan(const struct lab_run_context *context, const json_t *experiments)
{
    static const char *const titles[] = {"experiment", "points", "time", "device memory", "host memory"};
    struct lab_table *table = lab_table_create();
    enum lab_exit_code result = LAB_EXIT_OK;
    json_t *plans = json_object(), *experiment;
    size_t index;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i > 0 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
    json_array_foreach(experiments, index, experiment)
    {
        json_t *plan;
        enum lab_exit_code code = get_plan(context, experiment, &plan);
        if (code == LAB_EXIT_OK)
            add_row(table, experiment, plan);
        else
            result = code;
        if (plan != NULL)
            json_object_set_new(plans, lab_text_of(experiment, "name"), plan);
    }
    if (context->lab->json)
        lab_print_json(plans);
    else if (json_object_size(plans) > 0)
        lab_table_print(table, stdout);
    json_decref(plans);
    lab_table_free(table);
    return result;
}
