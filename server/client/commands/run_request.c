/* The options that describe a run, and the body of POST /runs that they make. */
#include "run_request.h"

#include "lab/api_json.h"

#include "core/json_members.h"
#include "core/run_status.h"
#include "descriptor/parameters.h"

#include <stdio.h>
#include <string.h>

const struct lab_option lab_request_options_table[] = {
    {.name = "--set",
     .value = "KEY=VALUE",
     .help =
         "Set a parameter of the experiment, each once. Can be repeated. Sizes may be written as 64KiB, 1.5GiB, 64MB or "
         "2^20. 'gpulab run NAME --help' lists the parameters and their values.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_request_options, set)},
    {.name = "--device",
     .value = "ID",
     .help = "A device to run on: its id or its number in the list of 'gpulab devices'. Can be repeated. Default: all "
             "devices that the experiment can use; of a program, one.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_request_options, devices)},
    {.name = "--node",
     .value = "NAME",
     .help = "The machine to run on, see 'gpulab nodes'. For a sweep it can be repeated: each run uses one of them.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_request_options, nodes)},
    {.name = "--preset",
     .value = "NAME",
     .help =
         "Use the parameters of one of the experiment's presets: 'quick' takes seconds, 'source' is the program of the "
         "text that the experiment reproduces, 'thorough' measures everything. 'gpulab run NAME --help' shows those "
         "that the experiment has; --set overrides individual parameters.",
     .offset = offsetof(struct lab_request_options, preset)},
    {.name = "--quick",
     .help = "Short for --preset quick.",
     .accepts = {.type = LAB_TYPE_BOOLEAN},
     .offset = offsetof(struct lab_request_options, quick)},
    {.name = "--tag",
     .value = "TAG",
     .help = "A tag that is stored with the run, to search for it. Can be repeated.",
     .accepts = {.count = LAB_LIST},
     .offset = offsetof(struct lab_request_options, tags)},
    {.name = "--note",
     .value = "TEXT",
     .help = "A note that is stored with the run.",
     .offset = offsetof(struct lab_request_options, note)},
    {.name = "--time-limit",
     .value = "S",
     .help =
         "Stop the run after this many seconds; its status is then 'failed'. Default: ten times the planned duration, at least 600.",
     .accepts = {.type = LAB_TYPE_NUMBER, .minimum = 0.001, .maximum = 86400},
     .offset = offsetof(struct lab_request_options, time_limit_s)},
    {.name = "--secret-until",
     .value = "TIME",
     .help = "Until then only you, and admins of the lab, know of the run, which must be one of a kernel of your own.",
     .accepts = {.type = LAB_TYPE_TIME},
     .offset = offsetof(struct lab_request_options, secret_until)},
    {.name = "--priority",
     .value = "PRIORITY",
     .help = "normal, or low: the run waits until no run of normal priority is queued.",
     .accepts = {.type = LAB_TYPE_CHOICE, .choices = lab_priority_names},
     .offset = offsetof(struct lab_request_options, priority)},
    {0},
};

bool lab_request_options_complete(struct lab_request_options *options, struct lab_errors *errors)
{
    if (options->quick && options->preset != NULL)
        return lab_errors_add(errors, LAB_ERROR_USAGE, "--quick", "cannot be combined with --preset");
    if (options->quick)
        options->preset = "quick";
    return true;
}

bool lab_request_has_preset(const struct lab_request_options *options, const json_t *experiment)
{
    return options->preset == NULL || json_object_get(json_object_get(experiment, "presets"), options->preset) != NULL;
}

void lab_request_list_presets(char *text, size_t size, const json_t *experiment)
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

static void add_unknown_preset(const json_t *experiment, const char *preset, struct lab_errors *errors)
{
    char presets[256], near[LAB_SUGGESTION_SIZE];
    struct lab_suggestion suggestion = {.given = preset, .length = strlen(preset)};
    json_t *parameters;
    const char *name;
    json_object_foreach(json_object_get(experiment, "presets"), name, parameters)
        lab_suggestion_consider(&suggestion, name);
    lab_request_list_presets(presets, sizeof presets, experiment);
    lab_errors_add(errors, LAB_ERROR_USAGE, "--preset", "%s has no preset '%s'; its presets are: %s.%s",
                   lab_text_of(experiment, "name"), preset, presets, lab_suggestion_text(&suggestion, near));
}

/* The parameters given by --set, a new reference. Returns NULL with errors on failure, also where the experiment has no
 * such preset. */
static json_t *parameters_of(const struct lab_request_options *options, const json_t *experiment,
                             struct lab_errors *errors)
{
    json_t *parameters = json_object();
    const json_t *schema = json_object_get(experiment, "parameters");
    size_t before = errors->count;
    if (!lab_request_has_preset(options, experiment))
        add_unknown_preset(experiment, options->preset, errors);
    for (size_t i = 0; i < options->set.count; i++) {
        struct lab_error error;
        if (!lab_parameter_assign(parameters, schema, options->set.items[i], &error))
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

const char *lab_request_device(const json_t *devices, const char *word)
{
    const json_t *device = lab_document_find_device(devices, word);
    return device != NULL ? lab_text_of(device, "id") : word;
}

static json_t *devices_to_json(const struct lab_request_options *options, const json_t *devices)
{
    json_t *list = json_array();
    for (size_t i = 0; i < options->devices.count; i++)
        json_array_append_new(list, json_string(lab_request_device(devices, options->devices.items[i])));
    return list;
}

json_t *lab_request_create(const struct lab_request_options *options, const json_t *experiment, const json_t *devices,
                           struct lab_errors *errors)
{
    json_t *parameters = parameters_of(options, experiment, errors);
    if (parameters == NULL)
        return NULL;
    json_t *request = json_pack("{s:s, s:o}", "experiment", lab_text_of(experiment, "name"), "parameters", parameters);
    if (options->preset != NULL)
        json_object_set_new(request, "preset", json_string(options->preset));
    if (options->devices.count > 0)
        json_object_set_new(request, "devices", devices_to_json(options, devices));
    if (options->nodes.count == 1)
        json_object_set_new(request, "node", json_string(options->nodes.items[0]));
    else if (options->nodes.count > 1)
        json_object_set_new(request, "nodes", texts_to_json(&options->nodes));
    if (options->tags.count > 0)
        json_object_set_new(request, "tags", texts_to_json(&options->tags));
    if (options->note != NULL)
        json_object_set_new(request, "note", json_string(options->note));
    if (options->priority != NULL)
        json_object_set_new(request, "priority", json_string(options->priority));
    if (options->secret_until != NULL)
        json_object_set_new(request, "secret_until", json_string(options->secret_until));
    if (options->time_limit_s > 0)
        json_object_set_new(request, "time_limit_s", json_real(options->time_limit_s));
    if (request == NULL)
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "",
                       "The request cannot be built: the value of --note or --tag is not UTF-8, or memory ran out.");
    return request;
}
