/* Writes rows as JSON Schema. */
#include "core/number.h"
#include "core/schema.h"

#include <math.h>
#include <string.h>

static bool has_bounds(const struct lab_schema *row)
{
    return row->minimum != 0 || row->maximum != 0;
}

static json_t *bound(double value)
{
    return value == floor(value) && fabs(value) <= LAB_INTEGER_MAX ? json_integer((json_int_t)value) : json_real(value);
}

static void set_bounds(json_t *schema, const struct lab_schema *row, const char *minimum, const char *maximum)
{
    if (has_bounds(row))
        json_object_set_new(schema, minimum, bound(row->minimum));
    if (has_bounds(row) && isfinite(row->maximum))
        json_object_set_new(schema, maximum, bound(row->maximum));
}

/* The type of a value or a list, with null where that is allowed; NULL: any. */
static json_t *type_to_json(const struct lab_schema *row, const char *name)
{
    bool or_text = row->count != LAB_LIST && (row->type == LAB_TYPE_SIZE || row->type == LAB_TYPE_EXPRESSION);
    bool is_scalar = row->count != LAB_LIST && row->type == LAB_TYPE_SCALAR;
    if (name == NULL || (!or_text && !is_scalar && !row->nullable))
        return name != NULL ? json_string(name) : NULL;
    json_t *names = is_scalar ? json_pack("[s, s, s]", name, "number", "boolean") : json_pack("[s]", name);
    if (or_text)
        json_array_append_new(names, json_string("string"));
    if (row->nullable)
        json_array_append_new(names, json_string("null"));
    return names;
}

static json_t *choices_to_json(const struct lab_schema *row)
{
    json_t *choices = json_array();
    for (size_t i = 0; lab_choice_text(lab_schema_choices(row), i) != NULL; i++)
        json_array_append_new(choices, json_string(lab_choice_text(lab_schema_choices(row), i)));
    if (row->nullable)
        json_array_append_new(choices, json_null());
    return choices;
}

/* A reference to the schema of that name, or null. */
static json_t *component_to_json(const struct lab_schema *row)
{
    json_t *reference = json_pack("{s:o}", "$ref", json_sprintf("#/components/schemas/%s", row->component));
    return row->nullable ? json_pack("{s:[o, {s:s}]}", "anyOf", reference, "type", "null") : reference;
}

/* The schema of one value. */
static json_t *value_to_json(const struct lab_schema *row)
{
    static const char *const names[] = {
        [LAB_TYPE_STRING] = "string",   [LAB_TYPE_CHOICE] = "string",   [LAB_TYPE_TIME] = "string",
        [LAB_TYPE_INTEGER] = "integer", [LAB_TYPE_WHOLE] = "integer",   [LAB_TYPE_SIZE] = "integer",
        [LAB_TYPE_NUMBER] = "number",   [LAB_TYPE_BOOLEAN] = "boolean", [LAB_TYPE_EXPRESSION] = "number",
        [LAB_TYPE_SCALAR] = "string",   [LAB_TYPE_ANY] = NULL,          [LAB_TYPE_OBJECT] = "object"};
    if (row->component != NULL)
        return component_to_json(row);
    json_t *schema = row->members != NULL ? lab_schema_members_to_json(row->members) : json_object();
    if (row->open)
        json_object_del(schema, "additionalProperties");
    if (row->each != NULL)
        json_object_set_new(schema, "additionalProperties", lab_schema_to_json(row->each));
    json_t *type = type_to_json(row, names[row->type]);
    if (type != NULL)
        json_object_set_new(schema, "type", type);
    if (row->type == LAB_TYPE_STRING)
        set_bounds(schema, row, "minLength", "maxLength");
    else
        set_bounds(schema, row, row->above ? "exclusiveMinimum" : "minimum", "maximum");
    if (row->type == LAB_TYPE_CHOICE)
        json_object_set_new(schema, "enum", choices_to_json(row));
    if (row->type == LAB_TYPE_TIME)
        json_object_set_new(schema, "anyOf", json_pack("[{s:s}, {s:s}]", "format", "date-time", "format", "date"));
    if (row->type == LAB_TYPE_SIZE)
        json_object_set_new(schema, "pattern", json_string(LAB_SIZE_PATTERN)); /* of a text */
    return schema;
}

/* The schema of a list of values, of which `item` is one; takes the reference. */
static json_t *list_to_json(const struct lab_schema *row, json_t *item)
{
    json_t *schema = json_pack("{s:o, s:o}", "type", type_to_json(row, "array"), "items", item);
    if (row->items_min > 0)
        json_object_set_new(schema, "minItems", json_integer((json_int_t)row->items_min));
    if (row->items_max > 0)
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)row->items_max));
    if (row->distinct)
        json_object_set_new(schema, "uniqueItems", json_true());
    return schema;
}

json_t *lab_schema_fallback_to_json(const struct lab_schema *row)
{
    if (row->fallback == NULL)
        return NULL;
    if (strcmp(row->fallback, LAB_ALL_CHOICES) == 0)
        return choices_to_json(row);
    json_t *value = json_loads(row->fallback, JSON_DECODE_ANY, NULL);
    return value != NULL ? value : json_string(row->fallback);
}

json_t *lab_schema_to_json(const struct lab_schema *row)
{
    struct lab_schema one = *row, list = lab_schema_as_list(row);
    one.count = LAB_ONE;
    one.nullable = row->count == LAB_LIST ? row->gaps : row->nullable;
    json_t *schema = value_to_json(&one);
    if (row->count == LAB_LIST)
        schema = list_to_json(&list, schema);
    else if (row->count == LAB_ONE_OR_LIST)
        schema = json_pack("{s:[O, o]}", "anyOf", schema, list_to_json(&list, schema));
    if (row->title != NULL)
        json_object_set_new(schema, "title", json_string(row->title));
    if (row->text != NULL)
        json_object_set_new(schema, "description", json_string(row->text));
    if (row->fallback != NULL)
        json_object_set_new(schema, "default", lab_schema_fallback_to_json(row));
    if (row->unit != NULL)
        json_object_set_new(schema, "x-unit", json_string(row->unit));
    if (row->advanced)
        json_object_set_new(schema, "x-advanced", json_true());
    return schema;
}

json_t *lab_schema_members_to_json(const struct lab_schema *rows)
{
    json_t *properties = json_object(), *required = json_array();
    for (; rows != NULL && rows->name != NULL; rows++) {
        json_object_set_new(properties, rows->name, lab_schema_to_json(rows));
        if (rows->required)
            json_array_append_new(required, json_string(rows->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                     "additionalProperties", 0);
}
