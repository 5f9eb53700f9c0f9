/* gpulab health: runs the experiment health and prints the verdict, for people, and for the scripts with which a
 * cluster checks its machines. */
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/document.h"
#include "output/report.h"
#include "run.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct health_options {
    struct lab_run_options run;
    bool thorough;
    const char *format;
};

static const struct lab_option health_options[] = {
    {.name = "--quick",
     .help = "Take as few samples as a verdict needs: about two seconds on one device.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct health_options, run.request.quick)},
    {.name = "--thorough",
     .help = "Load each device for several seconds, to find what happens when it is hot.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct health_options, thorough)},
    {.name = "--device",
     .value = "ID",
     .help = "A device to check: its id or its number in the list of 'gpulab devices'. Can be repeated. Default: all.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct health_options, run.request.devices)},
    {.name = "--node",
     .value = "NAME",
     .help = "The machine to check, one of 'gpulab nodes'.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct health_options, run.request.nodes)},
    LAB_DOCUMENT_OPTION(struct health_options),
    {0},
};

static const char usage[] =
    "Usage: gpulab health [OPTIONS]\n\n"
    "Checks whether the devices of a machine are sound: links, bandwidths, matrix product, copies between devices,\n"
    "memory errors, throttling. Prints a line for each warning and failure, then the verdict in one line. Exits with 0\n"
    "if there is no failure, with 1 if there is one; with another code no verdict could be reached.\n"
    "The run is kept, and later ones on the same device model are compared with it.\n";

static bool command_health_check(const struct lab_context *context, void *values, struct lab_errors *errors)
{
    struct health_options *options = values;
    struct lab_request_options *request = &options->run.request;
    lab_document_check(context->json, options->format, errors);
    if (request->nodes.count > 1)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "--node", "can be given only once");
    if (options->thorough && request->quick)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "--quick", "cannot be combined with --thorough");
    if (options->thorough)
        request->preset = "thorough";
    return lab_request_options_complete(request, errors) && errors->count == 0;
}

/* "failure: GPU-1: h2d is …", "unhealthy: 1 failure, …" */
static void print_verdict(const json_t *health)
{
    const json_t *findings = json_object_get(health, "findings"), *finding;
    size_t index;
    json_array_foreach(findings, index, finding)
    {
        const char *level = lab_text_of(finding, "level");
        if (strcmp(level, "failure") == 0 || strcmp(level, "warning") == 0)
            printf("%s: %s\n", level, lab_text_of(finding, "text"));
    }
    printf("%s\n", lab_text_of(health, "summary"));
}

/* What a finding is about, which is the same in the next run: "GPU-1 copy GPU-2 bandwidth peak". The caller frees it;
 * NULL when out of memory. */
static char *case_name(const json_t *finding)
{
    static const char *const members[] = {"device", "check", "peer", "metric", "basis"};
    char *name = NULL;
    size_t size;
    const char *separator = "";
    FILE *out = open_memstream(&name, &size);
    for (size_t i = 0; out != NULL && i < sizeof members / sizeof *members; i++) {
        const char *text = lab_text_of(finding, members[i]);
        if (text[0] != '\0')
            fprintf(out, "%s%s", separator, text);
        separator = text[0] != '\0' ? " " : separator;
    }
    if (out != NULL)
        fclose(out);
    return name;
}

/* Writes the verdict as a document: a table of what was found, and a case for each finding and for the run. */
static void write_document(const json_t *health, enum lab_exit_code code, const char *form)
{
    static const char *const members[] = {"level", "device", "check", "statement"};
    const json_t *findings = json_object_get(health, "findings"), *finding;
    size_t index;
    struct lab_document *document = lab_document_create("health", "health");
    struct lab_table *table = lab_table_create();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        lab_table_column(table, members[i], LAB_COLUMN_LEFT);
    lab_document_sentences(document, lab_text_of(health, "summary"));
    lab_document_case(document, "run", code == LAB_EXIT_OK ? LAB_CASE_PASSED : LAB_CASE_FAILED,
                      lab_text_of(health, "summary"));
    json_array_foreach(findings, index, finding)
    {
        bool is_failure = strcmp(lab_text_of(finding, "level"), "failure") == 0;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            lab_table_cell(table, "%s", lab_text_of(finding, members[i]));
        char *name = case_name(finding);
        if (name != NULL)
            lab_document_case(document, name, is_failure ? LAB_CASE_FAILED : LAB_CASE_PASSED,
                              lab_text_of(finding, "statement"));
        free(name);
    }
    lab_document_table(document, NULL, table);
    lab_document_write(document, form, stdout);
    lab_document_free(document);
    lab_table_free(table);
}

/* Prints the verdict about a finished run. Returns the exit code. */
static enum lab_exit_code report(struct lab_context *lab, const json_t *run, const char *form)
{
    struct lab_error error = {0};
    char path[96];
    snprintf(path, sizeof path, "/api/v1/runs/%s/health", lab_text_of(run, "id"));
    json_t *health = lab_get(lab->session.client, path, &error);
    if (health == NULL) {
        lab_print_error(&error);
        return LAB_EXIT_ERROR;
    }
    const char *verdict = lab_text_of(health, "verdict");
    enum lab_exit_code code = strcmp(verdict, "unhealthy") == 0 ? LAB_EXIT_FAILED
                              : verdict[0] == '\0'              ? LAB_EXIT_CANCELLED
                                                                : LAB_EXIT_OK;
    if (lab->json) {
        lab_print_json(health);
    } else if (form != NULL) {
        write_document(health, code, form);
    } else {
        lab_report_fallback(stdout, run);
        print_verdict(health);
    }
    json_decref(health);
    return code;
}

static enum lab_exit_code run(struct lab_context *lab, void *values)
{
    struct health_options *options = values;
    struct lab_run_context context = {.options = &options->run, .lab = lab};
    struct lab_error error = {0};
    json_t *experiment = lab_experiment_get(lab->session.client, "health", &error), *done = NULL;
    enum lab_exit_code code = LAB_EXIT_ERROR;
    if (experiment != NULL)
        context.devices = lab_get(lab->session.client, "/api/v1/devices", &error);
    if (context.devices != NULL)
        code = lab_run_experiment(&context, experiment, &done);
    else
        lab_print_error(&error);
    if (done != NULL)
        code = report(lab, done, options->format);
    json_decref(done);
    json_decref(context.devices);
    json_decref(experiment);
    return code;
}

int lab_command_health(const struct lab_invocation *invocation)
{
    struct health_options options = {0};
    const struct lab_option_group groups[] = {{"Health", health_options, &options}, {0}};
    const struct lab_client_command command = {
        .usage = usage, .signals = true, .check = command_health_check, .work = run};
    return lab_client_command_main(&command, groups, &options, invocation);
}
