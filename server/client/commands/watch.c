/* gpulab watch [ID]: follows a run, or the queue, to its end. */
#include "watch.h"

#include "commands.h"
#include "follow_run.h"
#include "lab/api_calls.h"
#include "output/report.h"
#include "print_run.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Usage: gpulab watch [ID] [OPTIONS]\n\n"
    "Follows a run to its end, prints it, and ends with its exit code. Without ID, follows all runs that are queued or\n"
    "running, prints a line for each that ends, and ends with 1 if one failed, else with the exit code of the first one\n"
    "that did not succeed. ID is the id of a run, 8 or more characters at its beginning, or 'latest'. Ctrl-C ends the\n"
    "command, not the run.\n";

static enum lab_exit_code watch_run(struct lab_context *context, const char *word)
{
    struct lab_client *client = context->session.client;
    struct lab_errors errors = {0};
    struct lab_error error = {0};
    char id[LAB_RUN_ID_SIZE];
    enum lab_exit_code code = lab_run_search(client, word, id, &errors);
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    json_t *run = lab_run_get(client, id, &error);
    json_t *end = run != NULL ? lab_follow_run(context, id, lab_text_of(run, "experiment"), false, &error) : NULL;
    if (end != NULL) {
        lab_print_run(context, end, NULL, NULL);
        code = lab_report_exit_code(end);
    } else {
        lab_print_error(&error);
        code = lab_exit_code_of(error.code);
    }
    json_decref(end);
    json_decref(run);
    return code;
}

static enum lab_exit_code watch(struct lab_context *context, void *values)
{
    const char *word = context->arguments.words.items[0];
    (void)values;
    return word != NULL ? watch_run(context, word) : lab_watch_queue(context);
}

int lab_command_watch(const struct lab_invocation *invocation)
{
    static const struct lab_client_command command = {.usage = usage, .words_max = 1, .signals = true, .work = watch};
    return lab_client_command_main(&command, NULL, NULL, invocation);
}
