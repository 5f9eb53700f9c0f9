/* gpulab show ID: prints a run of the history. */
#include "commands.h"
#include "lab/api_calls.h"
#include "output/report.h"
#include "print_run.h"
#include "show_samples.h"

#include <stdio.h>

struct show_options {
    bool environment;
    const char *samples;
};

static const struct lab_option show_options[] = {
    {.name = "--environment",
     .help = "Print the recorded environment too: machine, devices, driver, libraries, variables.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct show_options, environment)},
    {.name = "--samples",
     .value = "POINT",
     .help =
         "Print only the samples of one point, in their order and as a histogram. Values of axes name the point, as in "
         "direction=h2d,bytes=16MiB; metric=NAME chooses a metric, side=base a side. With --json, print the measurement "
         "with its samples.",
     .offset = offsetof(struct show_options, samples)},
    {0},
};

static const char usage[] =
    "Usage: gpulab show ID [OPTIONS]\n\n"
    "Prints a run as 'gpulab run' does at its end, and ends with the same exit code. ID is the id of a run, 8 or more\n"
    "characters at its beginning, or 'latest'.\n";

static enum lab_exit_code show(struct lab_context *context, void *values)
{
    const struct show_options *options = values;
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    enum lab_exit_code code = lab_run_search(context->session.client, context->arguments.words.items[0], id, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    json_t *run = lab_run_get(context->session.client, id, &error);
    if (run == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    if (options->samples != NULL) {
        code = lab_show_samples(context, run, options->samples);
        json_decref(run);
        return code;
    }
    lab_print_run(context, run, NULL);
    if (options->environment && !context->json)
        lab_report_environment(stdout, run);
    code = lab_report_exit_code(run);
    json_decref(run);
    return code;
}

int lab_command_show(const struct lab_invocation *invocation)
{
    struct show_options options = {0};
    const struct lab_option_group groups[] = {{"Output", show_options, &options}, {0}};
    static const struct lab_client_command command = {
        .usage = usage, .words_min = 1, .words_max = 1, .history = true, .work = show};
    return lab_client_command_main(&command, groups, &options, invocation);
}
