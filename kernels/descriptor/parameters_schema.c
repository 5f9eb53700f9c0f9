/* Writes parameters as JSON Schema 2020-12, and parses them from a command line. */
#include "descriptor/parameters.h"

#include "core/number.h"
#include "descriptor/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the steps of the experiment, of which there are sources, are the choices of a parameter. */
static bool has_steps(const struct lab_experiment *experiment, const struct lab_schema *parameter)
{
    const struct lab_source *source = lab_source_next(experiment, NULL);
    int64_t value;
    const struct lab_axis *axis = source != NULL ? lab_source_axis(experiment, source->step, &value) : NULL;
    return axis != NULL && strcmp(axis->name, parameter->name) == 0;
}

/* The titles of all steps: "read: sum of a; write: c = s". The caller frees the text; NULL when out of memory. */
static char *titles_of_steps(const struct lab_experiment *experiment)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    const struct lab_source *source = NULL, *before = NULL;
    for (; (source = lab_source_next(experiment, source)) != NULL; before = source)
        if (before == NULL || strcmp(before->step, source->step) != 0)
            fprintf(out, "%s%s: %s", before != NULL ? "; " : "", source->step, source->title);
    fclose(out);
    return text;
}

static void add_parameter(json_t *properties, const struct lab_experiment *experiment,
                          const struct lab_schema *parameter)
{
    json_t *schema = lab_schema_to_json(parameter);
    if (parameter->text == NULL && has_steps(experiment, parameter)) {
        char *text = titles_of_steps(experiment);
        json_object_set_new(schema, "description", json_sprintf("%s.", text != NULL ? text : ""));
        free(text);
    }
    json_object_set_new(properties, parameter->name, schema);
}

static void add_table(json_t *properties, const struct lab_experiment *experiment, const struct lab_schema *table)
{
    for (const struct lab_schema *p = table; p->name != NULL; p++)
        add_parameter(properties, experiment, p);
}

json_t *lab_parameters_schema(const struct lab_experiment *experiment)
{
    json_t *properties = json_object();
    add_table(properties, experiment, experiment->parameters);
    add_table(properties, experiment, lab_measure_parameters);
    if (lab_load_axis(experiment) >= 0)
        json_object_set_new(properties, lab_load_parameter.name, lab_schema_to_json(&lab_load_parameter));
    return json_pack("{s:s, s:s, s:o, s:b}", "$schema", "https://json-schema.org/draft/2020-12/schema", "type",
                     "object", "properties", properties, "additionalProperties", 0);
}

/* --- parsing a command line --------------------------------------------------------------------------------------- */

/* Whether a parameter is a choice, by its JSON Schema (schema.c): one value, or one or a list. */
static bool is_choice(const json_t *schema, const char *name)
{
    const json_t *parameter = json_object_get(json_object_get(schema, "properties"), name);
    const json_t *one = json_array_get(json_object_get(parameter, "anyOf"), 0);
    return json_object_get(one != NULL ? one : parameter, "enum") != NULL;
}

/* The JSON value of a text; NULL: the text is none, or one of a choice that is not written as JSON. */
static json_t *parse_json(const char *text, bool choice)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (!choice || json_is_string(value) || json_is_array(value))
        return value;
    json_decref(value);
    return NULL;
}

/* A text that is JSON is that value, and so are decimals that JSON writes in another way (".5"). Any other text is a
 * string, as which sizes are taken, and messages quote integers that are too large for JSON. */
static json_t *parse_one(const char *text, bool choice)
{
    double number;
    json_t *value = parse_json(text, choice);
    if (value == NULL && !choice && lab_decimal_parse(text, &number) && fabs(number) <= LAB_INTEGER_MAX)
        return json_real(number);
    return value != NULL ? value : json_string(text);
}

static json_t *parse_list(const char *text, bool choice)
{
    json_t *list = json_array();
    char *copy = strdup(text);
    char *rest = copy;
    for (char *item; copy != NULL && (item = strsep(&rest, ",")) != NULL;)
        json_array_append_new(list, parse_one(item, choice));
    free(copy);
    return list;
}

static bool assign(json_t *object, const json_t *schema, const char *name, const char *text, struct lab_error *error)
{
    if (json_object_get(object, name) != NULL)
        return lab_error_set(error, LAB_ERROR_USAGE, "", "%s is given twice; where it takes a list, give %s=A,B", name,
                             name);
    bool choice = is_choice(schema, name);
    json_t *value = parse_json(text, choice);
    if (value == NULL)
        value = strchr(text, ',') != NULL ? parse_list(text, choice) : parse_one(text, choice);
    if (value == NULL || json_object_set_new(object, name, value) != 0)
        return lab_error_set(error, LAB_ERROR_USAGE, "", "\"%.100s=%.100s\" is not valid UTF-8 text", name, text);
    return true;
}

bool lab_parameter_assign(json_t *object, const json_t *schema, const char *assignment, struct lab_error *error)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment)
        return lab_error_set(error, LAB_ERROR_USAGE, "", "\"%.100s\" must have the form key=value", assignment);
    char *name = strndup(assignment, (size_t)(equals - assignment));
    bool good = name != NULL ? assign(object, schema, name, equals + 1, error)
                             : lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the parameters");
    free(name);
    return good;
}
