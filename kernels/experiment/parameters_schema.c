/* Writes parameters as JSON Schema 2020-12, and parses them from a command line. */
#include "experiment/parameters.h"

#include <stdlib.h>
#include <string.h>

static const char *schema_type(enum lab_parameter_type type)
{
    static const char *const names[] = {[LAB_PARAMETER_INTEGER] = "integer",
                                        [LAB_PARAMETER_NUMBER] = "number",
                                        [LAB_PARAMETER_BOOLEAN] = "boolean",
                                        [LAB_PARAMETER_CHOICE] = "string"};
    return names[type];
}

static json_t *bound_to_json(const struct lab_parameter *parameter, double bound)
{
    return parameter->type == LAB_PARAMETER_INTEGER ? json_integer((json_int_t)bound) : json_real(bound);
}

/* Adds the keywords for one value: type, bounds, choices. */
static void set_item(json_t *schema, const struct lab_parameter *parameter)
{
    json_object_set_new(schema, "type", json_string(schema_type(parameter->type)));
    if (parameter->type == LAB_PARAMETER_INTEGER || parameter->type == LAB_PARAMETER_NUMBER) {
        json_object_set_new(schema, "minimum", bound_to_json(parameter, parameter->minimum));
        json_object_set_new(schema, "maximum", bound_to_json(parameter, parameter->maximum));
    }
    if (parameter->type == LAB_PARAMETER_CHOICE) {
        json_t *choices = json_array();
        for (size_t i = 0; parameter->choices[i] != NULL; i++)
            json_array_append_new(choices, json_string(parameter->choices[i]));
        json_object_set_new(schema, "enum", choices);
    }
}

/* Adds the keywords for a list parameter, which accepts one value or a list of distinct values. */
static void set_value_or_list(json_t *schema, const struct lab_parameter *parameter)
{
    json_t *item = json_object();
    set_item(item, parameter);
    json_t *list = json_pack("{s:s, s:O, s:i, s:b}", "type", "array", "items", item, "minItems", 1, "uniqueItems", 1);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", item, list));
}

static json_t *parameter_schema(const struct lab_parameter *parameter)
{
    json_t *schema = json_pack("{s:s, s:s, s:o}", "title", parameter->title, "description", parameter->help, "default",
                               json_loads(parameter->fallback, JSON_DECODE_ANY, NULL));
    if (parameter->unit != NULL)
        json_object_set_new(schema, "x-unit", json_string(parameter->unit));
    if (parameter->advanced)
        json_object_set_new(schema, "x-advanced", json_true());
    if (parameter->list)
        set_value_or_list(schema, parameter);
    else
        set_item(schema, parameter);
    return schema;
}

static void add_table(json_t *properties, const struct lab_parameter *table)
{
    for (const struct lab_parameter *p = table; p->name != NULL; p++)
        json_object_set_new(properties, p->name, parameter_schema(p));
}

json_t *lab_parameters_schema(const struct lab_experiment *experiment)
{
    json_t *properties = json_object();
    add_table(properties, experiment->parameters);
    add_table(properties, lab_measure_parameters);
    if (lab_load_axis(experiment) >= 0)
        json_object_set_new(properties, lab_load_parameter.name, parameter_schema(&lab_load_parameter));
    return json_pack("{s:s, s:s, s:o, s:b}", "$schema", "https://json-schema.org/draft/2020-12/schema", "type",
                     "object", "properties", properties, "additionalProperties", 0);
}

/* --- parsing a command line --------------------------------------------------------------------------------------- */

/* Converts "64KiB", "1MiB" or "2GiB" to bytes. Returns NULL when the text is not a size with such a suffix, or not a
 * whole number of bytes. */
static json_t *parse_size(const char *text)
{
    static const struct {
        const char *suffix;
        double bytes;
    } units[] = {{"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}};
    char *end;
    double number = strtod(text, &end);
    if (end == text)
        return NULL;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].suffix) == 0) {
            double bytes = number * units[i].bytes;
            if (bytes >= 0 && bytes <= 9007199254740991.0 && bytes == (double)(json_int_t)bytes)
                return json_integer((json_int_t)bytes);
        }
    return NULL;
}

static json_t *parse_one(const char *text)
{
    json_t *value = parse_size(text);
    if (value == NULL)
        value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value != NULL ? value : json_string(text);
}

static json_t *parse_list(const char *text)
{
    json_t *list = json_array();
    char *copy = strdup(text);
    char *rest = copy;
    for (char *item; copy != NULL && (item = strsep(&rest, ",")) != NULL;)
        json_array_append_new(list, parse_one(item));
    free(copy);
    return list;
}

bool lab_parameter_assign(json_t *object, const char *assignment, struct lab_error *error)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment)
        return lab_error_set(error, "usage", "", "\"%.100s\" must have the form key=value", assignment);
    json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL)
        value = strchr(equals + 1, ',') != NULL ? parse_list(equals + 1) : parse_one(equals + 1);
    if (value == NULL || json_object_setn_new(object, assignment, (size_t)(equals - assignment), value) != 0)
        return lab_error_set(error, "usage", "", "\"%.100s\" is not valid UTF-8 text", assignment);
    return true;
}
