/* gpulab experiments [NAME]: lists the experiments, or explains one. */
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "listing.h"
#include "output/explain.h"
#include "output/table.h"

#include "cli/command.h"
#include "core/json_members.h"
#include "descriptor/experiment.h"

#include <string.h>

static const char usage[] =
    "Usage: gpulab experiments [NAME] [OPTIONS]\n\n"
    "Lists the experiments by subject, or explains one: what it measures, its parameters, axes and metrics.\n";

/* Adds a row for each experiment of a subject. */
static void add_subject(struct lab_table *table, const json_t *document, const char *subject)
{
    size_t index;
    json_t *each;
    lab_table_gap(table);
    json_array_foreach(json_object_get(document, "experiments"), index, each)
    {
        if (strcmp(lab_text_of(each, "subject"), subject) != 0)
            continue;
        lab_table_cell(table, "%s", lab_text_of(each, "name"));
        lab_table_cell(table, "%s", subject);
        lab_table_cell(table, "%s", lab_text_of(each, "summary"));
    }
}

static void print_all(const json_t *document)
{
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *each;
    lab_table_column(table, "name", LAB_COLUMN_LEFT);
    lab_table_column(table, "subject", LAB_COLUMN_LEFT);
    lab_table_column(table, "what it measures", LAB_COLUMN_LEFT);
    json_array_foreach(json_object_get(document, "subjects"), index, each)
    {
        add_subject(table, document, lab_text_of(each, "name"));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static void print_one(const json_t *experiment)
{
    lab_explain_experiment(stdout, experiment);
}

/* An own kernel and a program are in no list, because they measure nothing of themselves. */
static bool is_unlisted(const char *word)
{
    return lab_experiment_find(word) != NULL;
}

static json_t *get_details(struct lab_client *client, const char *name, struct lab_error *error)
{
    if (client != NULL)
        return lab_experiment_get(client, name, error);
    lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
    return lab_experiment_to_json(lab_experiment_find(name));
}

/* The list needs no device, and a worker may take seconds to start. */
static json_t *experiments_of_build(void)
{
    return lab_experiments_to_json(NULL);
}

int lab_command_experiments(const struct lab_invocation *invocation)
{
    static const struct lab_listing listing = {
        .usage = usage,
        .item = "experiment",
        .key = "name",
        .path = "/api/v1/experiments",
        .missing = LAB_EXIT_USAGE,
        .find = lab_document_find_experiment,
        .is_unlisted = is_unlisted,
        .details = get_details,
        .print_all = print_all,
        .print_one = print_one,
        .built_in = experiments_of_build,
    };
    return lab_listing_main(&listing, invocation);
}
