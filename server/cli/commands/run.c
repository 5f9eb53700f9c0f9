/* gpulab run NAME: runs an experiment, those of a subject, or all of them, and prints the results. */
#include "run.h"

#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/explain.h"
#include "output/report.h"

#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct lab_option run_options[] = {
    {.name = "--set",
     .value = "KEY=VALUE",
     .help = "Set a parameter of the experiment. Can be repeated. 'gpulab run NAME --help' lists the parameters and "
             "their values.",
     .kind = LAB_OPTION_LIST,
     .offset = offsetof(struct lab_run_options, set)},
    {.name = "--device",
     .value = "ID",
     .help = "A device to run on: its id or its number in the list of 'gpulab devices'. Can be repeated. Default: all "
             "devices that the experiment can use.",
     .kind = LAB_OPTION_LIST,
     .offset = offsetof(struct lab_run_options, devices)},
    {.name = "--preset",
     .value = "NAME",
     .help =
         "Use the parameters of one of the experiment's presets: 'quick' takes seconds, 'source' measures as in the "
         "text that the experiment reproduces, 'thorough' measures everything. 'gpulab run NAME --help' shows those "
         "that the experiment has; --set overrides individual parameters.",
     .kind = LAB_OPTION_TEXT,
     .offset = offsetof(struct lab_run_options, preset)},
    {.name = "--quick",
     .help = "Short for --preset quick.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_run_options, quick)},
    {.name = "--tag",
     .value = "TAG",
     .help = "A tag that is stored with the run, to search for it. Can be repeated.",
     .kind = LAB_OPTION_LIST,
     .offset = offsetof(struct lab_run_options, tags)},
    {.name = "--note",
     .value = "TEXT",
     .help = "A note that is stored with the run.",
     .kind = LAB_OPTION_TEXT,
     .offset = offsetof(struct lab_run_options, note)},
    {.name = "--time-limit",
     .value = "S",
     .help = "Stop the run after this many seconds; its status is then 'failed'. Default: no limit.",
     .kind = LAB_OPTION_NUMBER,
     .minimum = 0.001,
     .maximum = 86400,
     .offset = offsetof(struct lab_run_options, time_limit_s)},
    {.name = "--no-save",
     .help = "Do not keep the run: use a temporary database or, if a lab serves the database, delete the run at its "
             "end.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_run_options, no_save)},
    {.name = "--json",
     .help = "Print the run and its measurements as one JSON document instead of a table.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_run_options, json)},
    {0},
};

static const char usage[] =
    "Usage: gpulab run NAME [OPTIONS]\n       gpulab run SUBJECT|all [--quick] [OPTIONS]\n\n"
    "Runs an experiment and prints the results. The name of a subject runs its experiments, 'all' runs every\n"
    "experiment; both print one summary. 'gpulab experiments' lists subjects and experiments. A name that is both,\n"
    "such as 'overlap', is the experiment.\n"
    "The run is queued in the lab that serves the database. If there is none, the command starts a lab\n"
    "for itself and stops it at the end. Ctrl-C cancels the run; a second Ctrl-C ends the command at once.\n";

static void print_help(const struct lab_option_group *groups, const struct lab_arguments *arguments)
{
    const char *name = arguments->words.count > 0 ? arguments->words.items[0] : "";
    const struct lab_experiment *experiment = lab_experiment_find(name);
    fputs(usage, stdout);
    if (experiment != NULL) {
        json_t *description = lab_experiment_to_json(experiment);
        printf("\n%s: %s\n\n", experiment->title, experiment->summary);
        lab_explain_parameters(stdout, description);
        json_decref(description);
    }
    lab_options_help(stdout, groups);
    fputs(lab_exit_help, stdout);
}

static enum lab_exit_code run_one(const struct lab_run_context *context, const char *name)
{
    json_t *run;
    enum lab_exit_code code = lab_run_experiment(context, name, &run);
    if (run == NULL)
        return code;
    if (context->options->json)
        lab_print_json(run);
    else
        lab_report_run(stdout, run, lab_find_experiment(context->experiments, name));
    code = lab_report_exit_code(run);
    json_decref(run);
    return code;
}

/* Runs what the name stands for. */
static enum lab_exit_code run_named(const struct lab_run_context *context, const char *name)
{
    if (lab_find_experiment(context->experiments, name) != NULL)
        return run_one(context, name);
    if (strcmp(name, "all") == 0)
        return lab_run_all(context, NULL);
    if (lab_find_named(json_object_get(context->experiments, "subjects"), name) != NULL)
        return lab_run_all(context, name);
    fprintf(stderr, "gpulab: unknown experiment or subject '%s'; 'gpulab experiments' lists all\n", name);
    return LAB_EXIT_USAGE;
}

/* Opens the lab and runs what the name stands for. */
static enum lab_exit_code run(struct lab_run_options *options, const char *name)
{
    struct lab_run_context context = {.options = options, .signals = lab_signals_open()};
    struct lab_error error = {0};
    enum lab_exit_code code =
        lab_session_open(&context.session, &options->config, options->no_save, context.signals, &error);
    if (code == LAB_EXIT_OK) {
        context.experiments = lab_get(context.session.client, "/api/v1/experiments", &error);
        if (context.experiments != NULL)
            context.devices = lab_get(context.session.client, "/api/v1/devices", &error);
        if (context.devices == NULL)
            code = LAB_EXIT_ERROR;
    }
    if (code != LAB_EXIT_OK)
        lab_print_error(&error);
    else
        code = run_named(&context, name);
    json_decref(context.devices);
    json_decref(context.experiments);
    lab_session_close(&context.session);
    close(context.signals);
    return code;
}

int lab_command_run(int argc, char **argv)
{
    struct lab_run_options options = {0};
    struct lab_arguments arguments = {0};
    struct lab_errors errors = {0};
    const struct lab_option_group groups[] = {
        {"Run", run_options, &options},
        {"Lab", lab_client_options, &options.config},
        {"Database", lab_database_options, &options.config},
        {"Worker", lab_worker_options_table, &options.config},
        {0},
    };
    bool understood = lab_options_parse(groups, argc, argv, &arguments, &errors);
    if (arguments.help) {
        print_help(groups, &arguments);
        return LAB_EXIT_OK;
    }
    if (understood && arguments.words.count != 1)
        understood = lab_errors_add(&errors, "usage", "",
                                    "Give the name of one experiment or subject, or 'all'; 'gpulab experiments' "
                                    "lists the names.");
    if (understood && options.quick && options.preset != NULL)
        understood = lab_errors_add(&errors, "usage", "--quick", "cannot be combined with --preset");
    if (options.quick)
        options.preset = "quick";
    if (!understood || !lab_config_complete(&options.config, &errors)) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    enum lab_exit_code code = run(&options, arguments.words.items[0]);
    lab_config_release(&options.config);
    return code;
}
