/* Runs one experiment: submits it and follows the run. */
#include "follow_run.h"
#include "kernel_request.h"
#include "lab/api_calls.h"
#include "run.h"

#include "core/json_members.h"
#include "descriptor/parameters.h"

#include <string.h>

const struct lab_option lab_own_code_options[] = {
    {.name = "--compare-with",
     .value = "FILE",
     .help =
         "Compare with the same run of this file, measured alternately with this one. For a program of several files, "
         "repeat it: the files given by it are the whole other program.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_run_options, compare_files)},
    LAB_COMPARE_DEVICE_OPTION,
    LAB_NO_SAVE_OPTION,
    {0},
};

/* What differs in the base, as the field compare_with of a request; a new reference. NULL with errors on failure. */
static json_t *compare_with_of(const struct lab_run_context *context, const json_t *experiment,
                               struct lab_errors *errors)
{
    const struct lab_run_options *options = context->options;
    json_t *parameters = json_object(), *devices = json_array();
    json_t *base = context->base != NULL ? json_copy(context->base) : json_object();
    bool good = true;
    for (size_t i = 0; i < options->compare_with.count; i++) {
        struct lab_error error;
        if (!lab_parameter_assign(parameters, json_object_get(experiment, "parameters"), options->compare_with.items[i],
                                  &error))
            good = lab_errors_add(errors, error.code, "--compare-with", "%s", error.detail);
    }
    for (size_t i = 0; i < options->compare_devices.count; i++)
        json_array_append_new(devices,
                              json_string(lab_request_device(context->devices, options->compare_devices.items[i])));
    if (json_object_size(parameters) > 0)
        json_object_set(base, "parameters", parameters);
    if (json_array_size(devices) > 0)
        json_object_set(base, "devices", devices);
    json_decref(devices);
    json_decref(parameters);
    if (good)
        return base;
    json_decref(base);
    return NULL;
}

/* Sets the own kernel or the program of the request, if the command has one. */
static bool set_own_code(const struct lab_run_context *context, const json_t *experiment, json_t *request,
                         struct lab_errors *errors)
{
    const char *edit = context->options->edit;
    json_t *kernel =
        edit != NULL ? lab_edit_request(edit, lab_text_of(experiment, "name"), errors) : json_incref(context->kernel);
    if (kernel != NULL)
        json_object_set_new(request, "kernel", kernel);
    if (context->program != NULL)
        json_object_set(request, "program", context->program);
    return kernel != NULL || edit == NULL;
}

/* Sets what the request is compared with: an edited source with the original, unless something else is given. */
static bool set_base(const struct lab_run_context *context, const json_t *experiment, json_t *request,
                     struct lab_errors *errors)
{
    const struct lab_run_options *options = context->options;
    if (options->edit == NULL && context->base == NULL && options->compare_with.count == 0 &&
        options->compare_devices.count == 0)
        return true;
    json_t *base = compare_with_of(context, experiment, errors);
    return base != NULL && json_object_set_new(request, "compare_with", base) == 0;
}

json_t *lab_run_request(const struct lab_run_context *context, const json_t *experiment, struct lab_errors *errors)
{
    json_t *request = lab_request_create(&context->options->request, experiment, context->devices, errors);
    if (request != NULL && set_own_code(context, experiment, request, errors) &&
        set_base(context, experiment, request, errors))
        return request;
    json_decref(request);
    return NULL;
}

enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const json_t *experiment, json_t **run)
{
    const struct lab_session *session = &context->lab->session;
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    json_t *request = lab_run_request(context, experiment, &errors);
    enum lab_exit_code code = request != NULL ? lab_run_submit(session->client, request, id, &errors) : LAB_EXIT_USAGE;
    json_decref(request);
    *run = NULL;
    if (code != LAB_EXIT_OK)
        return lab_fail(code, &errors);
    lab_private_lab_set_run(&session->private_lab, id);
    *run = lab_follow_run(context->lab, id, lab_text_of(experiment, "name"), true, &error);
    if (*run == NULL) {
        lab_print_error(&error);
        return lab_exit_code_of(error.code);
    }
    return LAB_EXIT_OK;
}

void lab_run_discard(const struct lab_run_context *context, const json_t *run)
{
    const struct lab_session *session = &context->lab->session;
    struct lab_errors errors = {0};
    if (context->options->no_save && !session->temporary &&
        lab_run_delete(session->client, lab_text_of(run, "id"), &errors) != LAB_EXIT_OK)
        lab_print_errors(&errors);
}
