/* Runs one experiment: submits it and follows the run. */
#include "follow_run.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "run.h"

#include <string.h>

enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const json_t *experiment, json_t **run)
{
    const struct lab_session *session = &context->lab->session;
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    json_t *request = lab_request_create(&context->options->request, experiment, context->devices, &errors);
    enum lab_exit_code code = request != NULL ? lab_submit_run(session->client, request, id, &errors) : LAB_EXIT_USAGE;
    json_decref(request);
    *run = NULL;
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    lab_private_lab_set_run(&session->private_lab, id);
    *run = lab_follow_run(session->client, id, lab_text_of(experiment, "name"), context->lab->signals, true, &error);
    if (*run == NULL) {
        lab_print_error(&error);
        return strcmp(error.code, "left") == 0 ? LAB_EXIT_CANCELLED : LAB_EXIT_ERROR;
    }
    if (context->options->no_save && !session->temporary && lab_delete_run(session->client, id, &errors) != LAB_EXIT_OK)
        lab_print_errors(&errors);
    return LAB_EXIT_OK;
}
