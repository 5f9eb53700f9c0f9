/* gpulab health: runs the experiment health and prints the verdict, for people, and for the scripts with which a cluster checks
 * its machines. */
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "output/report.h"
#include "run.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

struct health_options {
    struct lab_run_options run;
    bool thorough;
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
    (void)context;
    if (request->nodes.count > 1)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "--node", "can be given only once");
    if (options->thorough && request->quick)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "--quick", "cannot be combined with --thorough");
    if (options->thorough)
        request->preset = "thorough";
    return lab_request_options_complete(request, errors);
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

/* Prints the verdict about a finished run. Returns the exit code. */
static enum lab_exit_code report(struct lab_context *lab, const json_t *run)
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
        code = report(lab, done);
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
