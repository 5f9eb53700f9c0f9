/* Runs one experiment: makes the request from the command line, submits it, follows the run. */
#include "follow_run.h"
#include "lab/api_calls.h"
#include "lab/api_json.h"
#include "run.h"

#include "experiment/parameters.h"

#include <stdio.h>
#include <string.h>

bool lab_run_has_preset(const struct lab_run_options *options, const json_t *experiment)
{
    return options->preset == NULL || json_object_get(json_object_get(experiment, "presets"), options->preset) != NULL;
}

void lab_run_list_presets(char *text, size_t size, const json_t *experiment)
{
    json_t *presets = json_object_get(experiment, "presets"), *parameters;
    const char *name;
    size_t length = 0;
    text[0] = '\0';
    json_object_foreach(presets, name, parameters)
    {
        if (length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", name);
    }
}

/* The parameters given by --set, a new reference. With --preset, they are added to those of the preset or replace them.
 * Returns NULL with errors on failure. */
static json_t *parameters_of(const struct lab_run_context *context, const char *name, struct lab_errors *errors)
{
    const struct lab_run_options *options = context->options;
    const json_t *experiment = lab_find_experiment(context->experiments, name);
    const json_t *preset =
        options->preset != NULL ? json_object_get(json_object_get(experiment, "presets"), options->preset) : NULL;
    json_t *parameters = preset != NULL ? json_deep_copy(preset) : json_object();
    size_t before = errors->count;
    if (!lab_run_has_preset(options, experiment)) {
        char presets[256];
        lab_run_list_presets(presets, sizeof presets, experiment);
        lab_errors_add(errors, "usage", "--preset", "%s has no preset '%s'; its presets are: %s", name, options->preset,
                       presets);
    }
    for (size_t i = 0; i < options->set.count; i++) {
        struct lab_error error;
        if (!lab_parameter_assign(parameters, options->set.items[i], &error))
            lab_errors_add(errors, error.code, "--set", "%s", error.detail);
    }
    if (errors->count == before)
        return parameters;
    json_decref(parameters);
    return NULL;
}

static json_t *texts_to_json(const struct lab_texts *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++)
        json_array_append_new(list, json_string(texts->items[i]));
    return list;
}

/* The ids of the devices given by --device, a new reference. A word that is neither an id nor an index is sent
 * unchanged, and the lab rejects it. */
static json_t *devices_to_json(const struct lab_run_context *context)
{
    json_t *list = json_array();
    for (size_t i = 0; i < context->options->devices.count; i++) {
        const char *word = context->options->devices.items[i];
        const json_t *device = lab_find_device(context->devices, word);
        json_array_append_new(list, json_string(device != NULL ? lab_text_of(device, "id") : word));
    }
    return list;
}

/* Makes the body of POST /runs, a new reference. Returns NULL with errors on failure. */
static json_t *make_request(const struct lab_run_context *context, const char *experiment, struct lab_errors *errors)
{
    const struct lab_run_options *options = context->options;
    json_t *parameters = parameters_of(context, experiment, errors);
    if (parameters == NULL)
        return NULL;
    json_t *request = json_pack("{s:s, s:o}", "experiment", experiment, "parameters", parameters);
    if (options->devices.count > 0)
        json_object_set_new(request, "devices", devices_to_json(context));
    if (options->tags.count > 0)
        json_object_set_new(request, "tags", texts_to_json(&options->tags));
    if (options->note != NULL)
        json_object_set_new(request, "note", json_string(options->note));
    if (options->time_limit_s > 0)
        json_object_set_new(request, "time_limit_s", json_real(options->time_limit_s));
    if (request == NULL)
        lab_errors_add(errors, "out-of-memory", "",
                       "The request cannot be built: the value of --note or --tag is not UTF-8, or memory ran out.");
    return request;
}

enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const char *name, json_t **run)
{
    struct lab_client *client = context->session.client;
    struct lab_errors errors = {0};
    struct lab_error error;
    char id[LAB_RUN_ID_SIZE];
    json_t *request = make_request(context, name, &errors);
    enum lab_exit_code code = request != NULL ? lab_submit_run(client, request, id, &errors) : LAB_EXIT_USAGE;
    json_decref(request);
    *run = NULL;
    if (code != LAB_EXIT_OK) {
        lab_print_errors(&errors);
        return code;
    }
    lab_private_lab_set_run(&context->session.private_lab, id);
    *run = lab_follow_run(client, id, name, context->signals, true, &error);
    if (*run == NULL) {
        lab_print_error(&error);
        return strcmp(error.code, "left") == 0 ? LAB_EXIT_CANCELLED : LAB_EXIT_ERROR;
    }
    if (context->options->no_save && !context->session.temporary && lab_delete_run(client, id, &errors) != LAB_EXIT_OK)
        lab_print_errors(&errors);
    return LAB_EXIT_OK;
}
