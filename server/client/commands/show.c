/* gpulab show ID: prints a run of the history. */
#include "commands.h"
#include "lab/api_calls.h"
#include "output/document.h"
#include "output/report.h"
#include "print_run.h"
#include "show_samples.h"

#include <stdio.h>
#include <string.h>

struct show_options {
    bool environment;
    const char *samples, *format;
};

/* What --format can be: what the lab answers, and then the forms of a document. */
static const char *const formats[] = {"bencher", "google-benchmark", "csv", LAB_DOCUMENT_FORMS, NULL};
static const char *const answers[] = {"bencher.json", "google-benchmark.json", "points.csv"};
enum { ANSWERS = sizeof answers / sizeof *answers };

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
    {.name = "--format",
     .value = "FORMAT",
     .help =
         "Write the results for another tool: bencher (Bencher Metric Format), google-benchmark, csv, a row for each "
         "point with a column for each metric; or a report: markdown, junit (XML with a test case for each result), "
         "html, a page without other files.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = formats},
     .offset = offsetof(struct show_options, format)},
    {0},
};

static const char usage[] =
    "Usage: gpulab show ID [OPTIONS]\n\n"
    "Prints a run as 'gpulab run' does at its end, and ends with the same exit code. ID is the id of a run, 8 or more\n"
    "characters at its beginning, or 'latest'.\n";

static bool check_show(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    const struct show_options *options = values;
    if (options->format != NULL && (context->json || options->environment || options->samples != NULL))
        lab_errors_add(errors, LAB_ERROR_USAGE, "--format", "cannot be combined with %s",
                       context->json          ? "--json"
                       : options->environment ? "--environment"
                                              : "--samples");
    return errors->count == 0;
}

/* Writes the results of a run to stdout in a format of the lab; LAB_EXIT_OK, or an exit code after an error was
 * printed. */
static enum lab_exit_code write_answer(struct lab_client *client, const char *id, const char *answer)
{
    struct lab_errors errors = {0};
    struct lab_url url;
    lab_url_begin(&url, "/api/v1/runs");
    lab_url_segment(&url, id);
    lab_url_segment(&url, answer);
    const struct lab_call call = {.method = "GET", .path = url.text, .download = stdout};
    enum lab_exit_code code = lab_api_call(client, &call, NULL, NULL, &errors);
    return code == LAB_EXIT_OK || lab_output_is_closed() ? LAB_EXIT_OK : lab_fail(code, &errors);
}

/* The last segment of the URL at which the lab has a run in this format; NULL: the command writes the format itself. */
static const char *answer_of(const char *format)
{
    for (size_t i = 0; i < ANSWERS; i++)
        if (strcmp(formats[i], format) == 0)
            return answers[i];
    return NULL;
}

static enum lab_exit_code show(struct lab_context *context, void *values)
{
    const struct show_options *options = values;
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    enum lab_exit_code code = lab_run_search(context->session.client, context->arguments.words.items[0], id, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    if (options->format != NULL && answer_of(options->format) != NULL)
        return write_answer(context->session.client, id, answer_of(options->format));
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
    lab_print_run(context, run, NULL, options->format);
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
        .usage = usage, .words_min = 1, .words_max = 1, .history = true, .check = check_show, .work = show};
    return lab_client_command_main(&command, groups, &options, invocation);
}
