/* gpulab run NAME: has an experiment run, by the lab that serves or right here, and prints what was measured. */
#include "documents.h"
#include "explain.h"
#include "follow.h"
#include "report.h"
#include "run_options.h"

#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct lab_option run_options[] = {
    {.name = "--set",
     .value = "KEY=VALUE",
     .help = "A parameter of the experiment; may be given again. 'gpulab run NAME --help' lists them.",
     .kind = LAB_OPTION_LIST,
     .offset = offsetof(struct lab_run_options, set)},
    {.name = "--device",
     .value = "ID",
     .help =
         "A device to run on, by its id or its number; may be given again. By default all that the experiment can use.",
     .kind = LAB_OPTION_LIST,
     .offset = offsetof(struct lab_run_options, devices)},
    {.name = "--quick",
     .help = "The experiment's quick form; each --set goes over it.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_run_options, quick)},
    {.name = "--tag",
     .value = "TAG",
     .help = "A word to find the run by; may be given again.",
     .kind = LAB_OPTION_LIST,
     .offset = offsetof(struct lab_run_options, tags)},
    {.name = "--note",
     .value = "TEXT",
     .help = "A note that stays with the run.",
     .kind = LAB_OPTION_TEXT,
     .offset = offsetof(struct lab_run_options, note)},
    {.name = "--time-limit",
     .value = "S",
     .help = "Seconds after which the run is stopped and fails.",
     .kind = LAB_OPTION_NUMBER,
     .minimum = 0.001,
     .maximum = 86400,
     .offset = offsetof(struct lab_run_options, time_limit_s)},
    {.name = "--no-save",
     .help = "Do not keep the run in the database.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_run_options, no_save)},
    {.name = "--json",
     .help = "Print one JSON document, the run with its measurements, and nothing else.",
     .kind = LAB_OPTION_FLAG,
     .offset = offsetof(struct lab_run_options, json)},
    {0},
};

static const char usage[] =
    "Usage: gpulab run NAME [OPTIONS]\n"
    "       gpulab run all --quick [OPTIONS]\n\n"
    "Runs an experiment and prints what was measured; 'all' runs every experiment and gives one verdict. Where a lab\n"
    "serves this database the run joins its queue; otherwise it is run right here, after what was queued before, and "
    "kept\n"
    "in the database. Ctrl-C cancels it.\n";

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

enum lab_exit_code lab_run_perform(const struct lab_run_context *context, const json_t *request, json_t **run)
{
    struct lab_session *session = context->session;
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    enum lab_exit_code end = session->kind->submit(session, request, id, &errors);
    *run = NULL;
    if (end != LAB_EXIT_OK) {
        lab_print_errors(&errors);
        return end;
    }
    *run = lab_follow(session, id, lab_text_of(request, "experiment"), context->signals, &error);
    if (*run == NULL) {
        lab_print_error(&error);
        return strcmp(error.code, "left") == 0 ? LAB_EXIT_CANCELLED : LAB_EXIT_ERROR;
    }
    if (context->options->no_save && session->saves && !session->kind->remove(session, id, &error))
        lab_print_error(&error);
    return LAB_EXIT_OK;
}

static enum lab_exit_code run_one(const struct lab_run_context *context, const char *name)
{
    struct lab_errors errors = {0};
    json_t *run = NULL, *request = lab_run_request(context, name, &errors);
    if (request == NULL) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    enum lab_exit_code end = lab_run_perform(context, request, &run);
    if (run != NULL) {
        end = lab_report_end(run);
        if (context->options->json)
            lab_print_json(run);
        else
            lab_report_run(stdout, run, lab_find_experiment(context->experiments, name), context->devices);
    }
    json_decref(run);
    json_decref(request);
    return end;
}

/* Opens what running needs, and runs. */
static enum lab_exit_code run(struct lab_run_options *options, const char *name)
{
    struct lab_run_context context = {.options = options};
    struct lab_error error = {0};
    enum lab_exit_code end;
    const struct lab_session_wish wish = {.config = &options->config, .save = !options->no_save, .run = true};
    context.signals = lab_signals_open();
    context.session = lab_session_open(&wish, &end, &error);
    if (context.session != NULL) {
        const struct lab_session_kind *kind = context.session->kind;
        context.experiments = kind->experiments(context.session, &error);
        context.devices = context.experiments != NULL ? kind->devices(context.session, &error) : NULL;
        end = LAB_EXIT_ERROR;
    }
    if (context.devices == NULL)
        lab_print_error(&error);
    else
        end = strcmp(name, "all") == 0 ? lab_run_all(&context) : run_one(&context, name);
    json_decref(context.devices);
    json_decref(context.experiments);
    lab_session_close(context.session);
    close(context.signals);
    return end;
}

int lab_command_run(int argc, char **argv)
{
    struct lab_run_options options = {0};
    struct lab_arguments arguments = {0};
    struct lab_errors errors = {0};
    struct lab_error error;
    const struct lab_option_group groups[] = {
        {"Run", run_options, &options},
        {"Which lab", lab_client_options, &options.config},
        {"Store", lab_store_options, &options.config},
        {"Worker", lab_worker_options_table, &options.config},
        {0},
    };
    bool understood = lab_options_parse(groups, argc, argv, &arguments, &errors);
    if (arguments.help) {
        print_help(groups, &arguments);
        return LAB_EXIT_OK;
    }
    if (understood && arguments.words.count != 1)
        understood =
            lab_errors_add(&errors, "usage", "", "Name one experiment, or 'all'; 'gpulab experiments' lists them.");
    if (!understood) {
        lab_print_errors(&errors);
        return LAB_EXIT_USAGE;
    }
    if (!lab_config_complete(&options.config, &error)) {
        lab_print_error(&error);
        return LAB_EXIT_USAGE;
    }
    enum lab_exit_code end = run(&options, arguments.words.items[0]);
    lab_config_release(&options.config);
    return end;
}
