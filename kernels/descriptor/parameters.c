/* Checks the parameters of a request. */
#include "descriptor/parameters.h"

#include "core/suggestion.h"
#include "core/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the experiment's parameters followed by those of all experiments -------------------------------------------- */

static size_t table_length(const struct lab_schema *table)
{
    size_t length = 0;
    while (table[length].name != NULL)
        length++;
    return length;
}

int lab_load_axis(const struct lab_experiment *experiment)
{
    for (int i = 0; experiment->axes != NULL && experiment->axes[i].name != NULL; i++)
        if (experiment->axes[i].choices == lab_loads)
            return i;
    return -1;
}

static size_t parameter_count(const struct lab_experiment *experiment)
{
    return table_length(experiment->parameters) + table_length(lab_measure_parameters) +
           (lab_load_axis(experiment) >= 0);
}

static const struct lab_schema *parameter_at(const struct lab_experiment *experiment, size_t index)
{
    size_t own = table_length(experiment->parameters), shared = table_length(lab_measure_parameters);
    return index < own            ? &experiment->parameters[index]
           : index - own < shared ? &lab_measure_parameters[index - own]
                                  : &lab_load_parameter;
}

static bool find_parameter(const struct lab_experiment *experiment, const char *name, size_t *index)
{
    for (size_t i = 0, count = parameter_count(experiment); i < count; i++)
        if (strcmp(parameter_at(experiment, i)->name, name) == 0) {
            *index = i;
            return true;
        }
    return false;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static bool use_fallback(const struct lab_schema *parameter, const char *pointer, struct lab_values *values,
                         struct lab_errors *errors)
{
    json_t *fallback = lab_schema_fallback_to_json(parameter);
    bool good = lab_schema_read(parameter, fallback, pointer, values, errors);
    json_decref(fallback);
    return good;
}

static const char *suggest_parameter(const struct lab_experiment *experiment, const char *name,
                                     char text[LAB_SUGGESTION_SIZE])
{
    struct lab_suggestion suggestion = {.given = name, .length = strlen(name)};
    for (size_t i = 0, count = parameter_count(experiment); i < count; i++)
        lab_suggestion_consider(&suggestion, parameter_at(experiment, i)->name);
    return lab_suggestion_text(&suggestion, text);
}

static bool reject_unknown(const struct lab_experiment *experiment, const json_t *given, struct lab_errors *errors)
{
    bool good = true;
    const char *key;
    json_t *value;
    size_t index;
    json_object_foreach((json_t *)given, key, value)
    {
        if (find_parameter(experiment, key, &index))
            continue;
        char pointer[LAB_POINTER_MAX] = "/parameters", near[LAB_SUGGESTION_SIZE];
        lab_pointer_append(pointer, sizeof pointer, key, strlen(key));
        good = lab_errors_add(errors, LAB_ERROR_UNKNOWN_PARAMETER, pointer,
                              "Unknown parameter '%.60s'; GET /api/v1/experiments/%s lists those of %s.%s", key,
                              experiment->name, experiment->name, suggest_parameter(experiment, key, near));
    }
    return good;
}

/* Ensures min_samples <= max_samples. If min_samples is larger, its default is lowered, but a value from the request is
 * an error. */
static bool reconcile_sample_bounds(struct lab_parameters *parameters, struct lab_errors *errors)
{
    size_t low = 0, high = 0;
    find_parameter(parameters->experiment, "min_samples", &low);
    find_parameter(parameters->experiment, "max_samples", &high);
    struct lab_values *min = &parameters->values[low];
    const struct lab_values *max = &parameters->values[high];
    if (min->count == 0 || max->count == 0 || min->items[0].integer <= max->items[0].integer)
        return true;
    if (min->given)
        return lab_errors_add(errors, LAB_ERROR_MIN_ABOVE_MAX, "/parameters/min_samples",
                              "min_samples (%" PRId64 ") must be at most max_samples (%" PRId64 ")",
                              min->items[0].integer, max->items[0].integer);
    min->items[0] = max->items[0];
    return true;
}

/* Makes the load a burst if the request gives rest_s and no load, and refuses a pause that no sample would have. */
static bool reconcile_load(struct lab_parameters *parameters, struct lab_errors *errors)
{
    const struct lab_values *loads = lab_parameter_loads(parameters);
    double rest_s = lab_parameter_number(parameters, "rest_s");
    bool bursts = false;
    if (loads == NULL || !(rest_s > 0))
        return true;
    if (!loads->given)
        loads->items[0].integer = LAB_BURST;
    for (size_t i = 0; i < loads->count; i++)
        bursts = bursts || loads->items[i].integer == LAB_BURST;
    return bursts ||
           lab_errors_add(errors, LAB_ERROR_CONTRADICTION, "/parameters/rest_s",
                          "rest_s (%.15g s) must be 0 where load is sustained only; add burst to load", rest_s);
}

struct lab_parameters *lab_parameters_parse(const struct lab_experiment *experiment, const json_t *given,
                                            struct lab_errors *errors)
{
    static const struct lab_schema object = {.name = "parameters", .type = LAB_TYPE_OBJECT};
    if (given != NULL && !lab_schema_check_value(&object, given, "/parameters", errors))
        return NULL;
    struct lab_parameters *parameters = calloc(1, sizeof *parameters);
    if (parameters == NULL) {
        lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "/parameters", "out of memory for the parameters");
        return NULL;
    }
    parameters->experiment = experiment;
    parameters->count = parameter_count(experiment);
    if (parameters->count > LAB_PARAMETERS_MAX) {
        fprintf(stderr, "%s has %zu parameters; at most %d are allowed\n", experiment->name, parameters->count,
                LAB_PARAMETERS_MAX);
        abort();
    }

    bool good = reject_unknown(experiment, given, errors);
    for (size_t i = 0; i < parameters->count; i++) {
        const struct lab_schema *parameter = parameter_at(experiment, i);
        struct lab_values *values = &parameters->values[i];
        const json_t *value = json_object_get(given, parameter->name);
        char pointer[LAB_POINTER_MAX];
        snprintf(pointer, sizeof pointer, "/parameters/%s", parameter->name);
        values->given = value != NULL;
        good = (value != NULL ? lab_schema_read(parameter, value, pointer, values, errors)
                              : use_fallback(parameter, pointer, values, errors)) &&
               good;
    }
    if (good && reconcile_sample_bounds(parameters, errors) && reconcile_load(parameters, errors))
        return parameters;
    lab_parameters_free(parameters);
    return NULL;
}

bool lab_parameters_raise_budget(struct lab_parameters *parameters, size_t points, bool compared)
{
    static const double most_s = 300;
    const double point_s = compared ? 0.25 : 0.1;
    const struct lab_values *budget = lab_parameter_values(parameters, "time_budget_s");
    double wanted_s = ceil(fmin(point_s * (double)points, most_s));
    if (budget->given || budget->items[0].number >= wanted_s)
        return false;
    budget->items[0].number = wanted_s;
    return true;
}

void lab_parameters_free(struct lab_parameters *parameters)
{
    if (parameters == NULL)
        return;
    for (size_t i = 0; i < parameters->count; i++)
        free(parameters->values[i].items);
    free(parameters);
}

/* --- reading values ----------------------------------------------------------------------------------------------- */

const struct lab_values *lab_parameter_values(const struct lab_parameters *parameters, const char *name)
{
    size_t index = 0;
    if (!find_parameter(parameters->experiment, name, &index)) {
        fprintf(stderr, "%s has no parameter \"%s\"\n", parameters->experiment->name, name);
        abort();
    }
    return &parameters->values[index];
}

int64_t lab_parameter_integer(const struct lab_parameters *parameters, const char *name)
{
    return lab_parameter_values(parameters, name)->items[0].integer;
}

double lab_parameter_number(const struct lab_parameters *parameters, const char *name)
{
    return lab_parameter_values(parameters, name)->items[0].number;
}

bool lab_parameter_has(const struct lab_parameters *parameters, const char *name, int64_t value)
{
    const struct lab_values *values = lab_parameter_values(parameters, name);
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].integer == value)
            return true;
    return false;
}

const struct lab_values *lab_parameter_loads(const struct lab_parameters *parameters)
{
    return lab_load_axis(parameters->experiment) >= 0 ? lab_parameter_values(parameters, "load") : NULL;
}

double lab_parameter_rest_s(const struct lab_parameters *parameters, int64_t load)
{
    static const double of_bursts_s = 0.1;
    double rest_s = lab_parameter_number(parameters, "rest_s");
    if (load == LAB_NO_VALUE || (load == LAB_BURST && rest_s > 0))
        return rest_s;
    return load == LAB_BURST ? of_bursts_s : 0;
}

bool lab_parameter_counters(const struct lab_parameters *parameters)
{
    size_t index;
    return find_parameter(parameters->experiment, "counters", &index) &&
           parameters->values[index].items[0].integer != 0;
}

static json_t *value_to_json(const struct lab_schema *parameter, const struct lab_value *value)
{
    switch (parameter->type) {
    case LAB_TYPE_NUMBER:
        return json_real(value->number);
    case LAB_TYPE_BOOLEAN:
        return json_boolean(value->integer != 0);
    case LAB_TYPE_CHOICE:
        return json_string(lab_choice_text(lab_schema_choices(parameter), (size_t)value->integer));
    default:
        return json_integer(value->integer);
    }
}

json_t *lab_parameters_to_json(const struct lab_parameters *parameters)
{
    json_t *object = json_object();
    for (size_t i = 0; i < parameters->count; i++) {
        const struct lab_schema *parameter = parameter_at(parameters->experiment, i);
        const struct lab_values *values = &parameters->values[i];
        json_t *result;
        if (parameter->count == LAB_ONE_OR_LIST) {
            result = json_array();
            for (size_t v = 0; v < values->count; v++)
                json_array_append_new(result, value_to_json(parameter, &values->items[v]));
        } else {
            result = value_to_json(parameter, &values->items[0]);
        }
        json_object_set_new(object, parameter->name, result);
    }
    return object;
}
