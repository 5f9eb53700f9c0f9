/* gpulab run NAME: runs an experiment, those of a subject, or all of them, and prints the results. */
#include "run.h"

#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/explain.h"
#include "output/report.h"
#include "print_run.h"

#include "core/json_members.h"
#include "descriptor/experiment.h"

#include <stdio.h>
#include <string.h>

static const struct lab_option run_options[] = {
    {.name = "--compare-with",
     .value = "KEY=VALUE",
     .help =
         "Compare with a run that has this parameter, measured alternately with this one. Can be repeated. The time "
         "budget is then 0.5 s for each point or more, also with --quick, unless --set gives it.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_run_options, compare_with)},
    LAB_COMPARE_DEVICE_OPTION,
    {.name = "--edit",
     .value = "STEP=FILE",
     .help =
         "Measure the file, an edited source of the experiment's step, alternately with the step's own source, or with "
         "what --compare-with describes. 'gpulab experiments NAME' lists the steps.",
     .offset = offsetof(struct lab_run_options, edit)},
    LAB_NO_SAVE_OPTION,
    {.name = "--dry-run",
     .help = "Run nothing: check the request, and print how many points it has and what it would take.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_run_options, dry_run)},
    {0},
};

static const char usage[] =
    "Usage: gpulab run NAME [OPTIONS]\n       gpulab run SUBJECT|all [--quick] [OPTIONS]\n\n"
    "Runs an experiment and prints the results. The name of a subject runs its experiments, 'all' runs every\n"
    "experiment; both print one summary. 'gpulab experiments' lists subjects and experiments. A name that is both,\n"
    "such as 'overlap', is the experiment.\n"
    "The run is queued in the lab that serves the database. If there is none, the command starts a lab\n"
    "for itself and stops it at the end. Ctrl-C cancels the run; a second Ctrl-C ends the command at once.\n";

/* Prints the parameters of the experiment that the first argument names, if it does. */
static void run_describe(const struct lab_texts *words)
{
    const struct lab_experiment *experiment = lab_experiment_find(words->count > 0 ? words->items[0] : "");
    if (experiment == NULL)
        return;
    json_t *description = lab_experiment_to_json(experiment);
    printf("\n%s: %s\n\n", experiment->title, experiment->summary);
    lab_explain_parameters(stdout, description);
    json_decref(description);
}

static bool command_run_check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    struct lab_run_options *options = values;
    (void)context;
    if (options->request.nodes.count > 1)
        lab_errors_add(errors, LAB_ERROR_USAGE, "--node",
                       "a run is of one machine; 'gpulab sweep' makes one on each of several");
    return lab_request_options_complete(&options->request, errors) && errors->count == 0;
}

/* Runs an experiment, prints the run and discards it. Returns the exit code of the run. */
static enum lab_exit_code run_one(const struct lab_run_context *context, const json_t *experiment)
{
    json_t *run;
    enum lab_exit_code code = lab_run_experiment(context, experiment, &run);
    if (run == NULL)
        return code;
    lab_print_run(context->lab, run, experiment, NULL);
    code = lab_report_exit_code(run);
    if (context->ended != NULL)
        code = context->ended(context, run, code);
    lab_run_discard(context, run);
    json_decref(run);
    return code;
}

enum lab_exit_code lab_run_unlisted(struct lab_run_context *context, const char *name)
{
    struct lab_client *client = context->lab->session.client;
    struct lab_error error = {0};
    enum lab_exit_code code = LAB_EXIT_ERROR;
    context->devices = lab_get(client, "/api/v1/devices", &error);
    json_t *experiment = context->devices != NULL ? lab_experiment_get(client, name, &error) : NULL;
    if (experiment != NULL)
        code = run_one(context, experiment);
    else
        lab_print_error(&error);
    json_decref(experiment);
    json_decref(context->devices);
    context->devices = NULL;
    return code;
}

/* Whether the name stands for the experiment: as its name, its subject, or "all". */
static bool is_named(const json_t *experiment, const char *name, bool is_experiment)
{
    if (is_experiment)
        return strcmp(lab_text_of(experiment, "name"), name) == 0;
    return strcmp(name, "all") == 0 || strcmp(lab_text_of(experiment, "subject"), name) == 0;
}

/* All about the experiments that the name stands for, a new reference. Returns NULL with *error set on failure. */
static json_t *get_experiments(const struct lab_run_context *context, const char *name, bool is_experiment,
                               struct lab_error *error)
{
    json_t *found = json_array(), *each;
    size_t index;
    json_array_foreach(json_object_get(context->experiments, "experiments"), index, each)
    {
        if (!is_named(each, name, is_experiment))
            continue;
        json_t *experiment = lab_experiment_get(context->lab->session.client, lab_text_of(each, "name"), error);
        if (experiment == NULL) {
            json_decref(found);
            return NULL;
        }
        json_array_append_new(found, experiment);
    }
    return found;
}

static void print_unknown(const json_t *experiments, const char *name)
{
    char near[LAB_SUGGESTION_SIZE];
    struct lab_suggestion suggestion = {.given = name, .length = strlen(name)};
    lab_list_suggest(json_object_get(experiments, "experiments"), "name", &suggestion);
    lab_list_suggest(json_object_get(experiments, "subjects"), "name", &suggestion);
    fprintf(stderr, "gpulab: unknown experiment or subject '%s'; 'gpulab experiments' lists all.%s\n", name,
            lab_suggestion_text(&suggestion, near));
}

/* Runs, or plans, what the name stands for. */
static enum lab_exit_code run_named(const struct lab_run_context *context, const char *name)
{
    struct lab_error error = {0};
    bool is_experiment = lab_document_find_experiment(context->experiments, name) != NULL;
    json_t *experiments = get_experiments(context, name, is_experiment, &error);
    enum lab_exit_code code = LAB_EXIT_USAGE;
    if (experiments == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    if (json_array_size(experiments) == 0)
        print_unknown(context->experiments, name);
    else if (is_experiment)
        code = (context->options->dry_run ? lab_plan_one : run_one)(context, json_array_get(experiments, 0));
    else
        code = (context->options->dry_run ? lab_plan_all : lab_run_all)(context, experiments);
    json_decref(experiments);
    return code;
}

static enum lab_exit_code command_run(struct lab_context *lab, void *values)
{
    struct lab_run_context context = {.options = values, .lab = lab};
    struct lab_error error = {0};
    enum lab_exit_code code = LAB_EXIT_ERROR;
    context.experiments = lab_get(lab->session.client, "/api/v1/experiments", &error);
    if (context.experiments != NULL)
        context.devices = lab_get(lab->session.client, "/api/v1/devices", &error);
    if (context.devices != NULL)
        code = run_named(&context, lab->arguments.words.items[0]);
    else
        lab_print_error(&error);
    json_decref(context.devices);
    json_decref(context.experiments);
    return code;
}

int lab_command_run(const struct lab_invocation *invocation)
{
    struct lab_run_options options = {0};
    const struct lab_option_group groups[] = {
        {"Run", lab_request_options_table, &options.request},
        {"Command", run_options, &options},
        {0},
    };
    const struct lab_client_command command = {
        .usage = usage,
        .words_min = 1,
        .words_max = 1,
        .signals = true,
        .temporary = &options.no_save,
        .describe = run_describe,
        .check = command_run_check,
        .work = command_run,
    };
    return lab_client_command_main(&command, groups, &options, invocation);
}
