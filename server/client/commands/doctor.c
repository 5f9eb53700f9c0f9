/* gpulab doctor: what is found on a machine, what is missing, and what disturbs measurements there. */
#include "client_command.h"
#include "commands.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "lab/url.h"
#include "output/findings.h"

#include <stdio.h>

static const char usage[] =
    "Usage: gpulab doctor [OPTIONS]\n\n"
    "Prints what is found on this machine and what it enables, what is missing and which package has it, and what\n"
    "disturbs measurements. Needs no lab; where one serves the database, or with --server, that lab examines its machine.\n"
    "The output can be shared: no names of machines, users or devices are in it. The exit code is 1 if something keeps\n"
    "gpulab from working.\n";

struct doctor_options {
    const char *node;
    lab_machine_examiner *examine;
};

static const struct lab_option own_options[] = {
    {.name = "--node",
     .value = "NAME",
     .help = "The machine of the lab that is examined; 'gpulab nodes' lists them. Default: the lab's own.",
     .offset = offsetof(struct doctor_options, node)},
    {0},
};

/* The document of the lab, or of this machine where there is none; NULL with *error. */
static json_t *examine(struct lab_context *context, const struct doctor_options *options, struct lab_error *error)
{
    struct lab_url url;
    if (context->session.client == NULL && options->node != NULL) {
        lab_error_set(error, LAB_ERROR_NO_SERVER, "--node", "No lab serves the database; name one with --server.");
        return NULL;
    }
    if (context->session.client == NULL)
        return options->examine(&context->config, error);
    lab_url_begin(&url, "/api/v1/doctor");
    lab_url_query(&url, "node", options->node);
    return lab_get(context->session.client, url.text, error);
}

static enum lab_exit_code doctor(struct lab_context *context, void *values)
{
    struct lab_error error = {0};
    json_t *examination = examine(context, values, &error);
    if (examination == NULL) {
        lab_print_error(&error);
        return lab_exit_code_of(error.code);
    }
    bool works = json_is_true(json_object_get(examination, "works"));
    if (context->json)
        lab_print_json(examination);
    else
        lab_findings_print(stdout, examination);
    json_decref(examination);
    return works ? LAB_EXIT_OK : LAB_EXIT_FAILED;
}

int lab_command_doctor(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {.usage = usage, .lab_optional = true, .work = doctor};
    struct doctor_options options = {.examine = invocation->examine_machine};
    const struct lab_option_group groups[] = {{"Machine", own_options, &options}, {0}};
    return lab_client_command_main(&command, groups, &options, invocation);
}
