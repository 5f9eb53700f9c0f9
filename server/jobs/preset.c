/* Resolves the preset of a request. */
#include "preset.h"

#include "core/suggestion.h"
#include "descriptor/experiment.h"

#include <stdio.h>
#include <string.h>

static void add_unknown(const struct lab_experiment *experiment, const char *name, struct lab_errors *errors)
{
    char names[256], near[LAB_SUGGESTION_SIZE];
    size_t length = 0;
    struct lab_suggestion suggestion = {.given = name, .length = strlen(name)};
    for (const struct lab_preset *preset = experiment->presets; preset->name != NULL; preset++)
        lab_suggestion_consider(&suggestion, preset->name);
    for (const struct lab_preset *preset = experiment->presets; preset->name != NULL && length < sizeof names; preset++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", preset->name);
    lab_errors_add(errors, LAB_ERROR_UNKNOWN_PRESET, "/preset", "%s has no preset \"%.64s\"; its presets are: %s.%s",
                   experiment->name, name, names, lab_suggestion_text(&suggestion, near));
}

static const struct lab_experiment *experiment_of(const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "experiment"));
    return name != NULL ? lab_experiment_find(name) : NULL;
}

json_t *lab_preset_add(const json_t *request, struct lab_errors *errors)
{
    json_t *whole = json_copy((json_t *)request), *given = json_object_get(request, "parameters");
    const struct lab_experiment *experiment = experiment_of(request);
    const char *name = json_string_value(json_object_get(request, "preset"));
    if (name == NULL || experiment == NULL || (given != NULL && !json_is_object(given)))
        return whole;
    const char *text = lab_experiment_preset(experiment, name);
    json_t *parameters = text != NULL ? json_loads(text, 0, NULL) : json_object();
    if (text == NULL)
        add_unknown(experiment, name, errors);
    if (json_object_get(request, "compare_with") != NULL)
        json_object_del(parameters, "time_budget_s");
    if (given != NULL)
        json_object_update(parameters, given);
    json_object_set_new(whole, "parameters", parameters);
    return whole;
}
