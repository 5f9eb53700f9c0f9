/* From the command line to the body of a POST /runs. */
#include "documents.h"
#include "run_options.h"

#include "experiment/parameters.h"

#include <string.h>

/* The quick form's parameters, or none, with each --set over them. NULL with errors. */
static json_t *parameters_of(const struct lab_run_context *context, const char *experiment, struct lab_errors *errors)
{
    const struct lab_run_options *options = context->options;
    const json_t *quick = json_object_get(lab_find_experiment(context->experiments, experiment), "quick");
    json_t *parameters = options->quick && json_is_object(quick) ? json_deep_copy(quick) : json_object();
    size_t before = errors->count;
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

/* Ids as they are, numbers of devices as their ids; what is neither is left to the lab to refuse. */
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

json_t *lab_run_request(const struct lab_run_context *context, const char *experiment, struct lab_errors *errors)
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
        lab_errors_add(errors, "out-of-memory", "", "No memory for the request, or a text that is not UTF-8.");
    return request;
}
