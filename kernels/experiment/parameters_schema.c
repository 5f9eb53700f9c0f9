/* Writes parameters as JSON Schema 2020-12, and parses them from a command line. */
#include "experiment/parameters.h"

#include "core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *schema_type(enum lab_parameter_type type)
{
    static const char *const names[] = {
        [LAB_PARAMETER_NUMBER] = "number", [LAB_PARAMETER_BOOLEAN] = "boolean", [LAB_PARAMETER_CHOICE] = "string"};
    return type == LAB_PARAMETER_INTEGER ? json_pack("[s, s]", "integer", "string") : json_string(names[type]);
}

static json_t *bound_to_json(const struct lab_parameter *parameter, double bound)
{
    return parameter->type == LAB_PARAMETER_INTEGER ? json_integer((json_int_t)bound) : json_real(bound);
}

/* Adds the keywords for one value: type, bounds, choices. */
static void set_item(json_t *schema, const struct lab_parameter *parameter)
{
    json_object_set_new(schema, "type", schema_type(parameter->type));
    if (parameter->type == LAB_PARAMETER_INTEGER)
        json_object_set_new(schema, "pattern", json_string(LAB_SIZE_PATTERN)); /* of a text */
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

/* A text that is JSON is that value, and so are decimals that JSON writes in another way (".5"). Any other text is a string, as
 * which sizes are taken, and messages quote integers that are too large for JSON. */
static json_t *parse_one(const char *text)
{
    double number;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL && lab_decimal_parse(text, &number) && fabs(number) <= LAB_INTEGER_MAX)
        return json_real(number);
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
        return lab_error_set(error, LAB_ERROR_USAGE, "", "\"%.100s\" must have the form key=value", assignment);
    size_t length = (size_t)(equals - assignment);
    if (json_object_getn(object, assignment, length) != NULL)
        return lab_error_set(error, LAB_ERROR_USAGE, "", "%.*s is given twice; where it takes a list, give %.*s=A,B",
                             (int)length, assignment, (int)length, assignment);
    json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL)
        value = strchr(equals + 1, ',') != NULL ? parse_list(equals + 1) : parse_one(equals + 1);
    if (value == NULL || json_object_setn_new(object, assignment, length, value) != 0)
        return lab_error_set(error, LAB_ERROR_USAGE, "", "\"%.100s\" is not valid UTF-8 text", assignment);
    return true;
}
