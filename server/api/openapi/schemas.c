/* Schemas of answers, from schemas.json, which is compiled in, and of requests, from their fields. */
#include "schemas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LAB_SCHEMAS_FILE is the path of schemas.json; the build sets it. */
__asm__(
    ".section .rodata\n"
    "lab_schemas_text: .incbin \"" LAB_SCHEMAS_FILE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char lab_schemas_text[];

json_t *lab_answer_schemas(void)
{
    return json_loads(lab_schemas_text, JSON_REJECT_DUPLICATES, NULL);
}

json_t *lab_component(const char *section, const char *name)
{
    char reference[128];
    snprintf(reference, sizeof reference, "#/components/%s/%s", section, name);
    return json_pack("{s:s}", "$ref", reference);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

static const char *type_name(enum lab_type type)
{
    static const char *const names[] = {
        [LAB_TYPE_STRING] = "string",   [LAB_TYPE_CHOICE] = "string", [LAB_TYPE_TIME] = "string",
        [LAB_TYPE_INTEGER] = "integer", [LAB_TYPE_NUMBER] = "number", [LAB_TYPE_BOOLEAN] = "boolean",
        [LAB_TYPE_STRINGS] = "array",   [LAB_TYPE_LIST] = "array",    [LAB_TYPE_VALUE] = "",
        [LAB_TYPE_OBJECT] = "object"};
    return names[type];
}

static json_t *bound(double value)
{
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value) : json_real(value);
}

static void set_length(json_t *schema, const struct lab_field *field)
{
    json_object_set_new(schema, "minLength", bound(field->minimum));
    json_object_set_new(schema, "maxLength", bound(field->maximum));
}

static void set_keywords(json_t *schema, const struct lab_field *field)
{
    json_t *item;
    switch (field->type) {
    case LAB_TYPE_STRING:
        set_length(schema, field);
        break;
    case LAB_TYPE_CHOICE:
        json_object_set_new(schema, "enum", item = json_array());
        for (size_t i = 0; field->choices[i] != NULL; i++)
            json_array_append_new(item, json_string(field->choices[i]));
        break;
    case LAB_TYPE_TIME: /* a date, or a time */
        json_object_set_new(schema, "anyOf", json_pack("[{s:s}, {s:s}]", "format", "date-time", "format", "date"));
        break;
    case LAB_TYPE_INTEGER:
    case LAB_TYPE_NUMBER:
        json_object_set_new(schema, field->above ? "exclusiveMinimum" : "minimum", bound(field->minimum));
        json_object_set_new(schema, "maximum", bound(field->maximum));
        break;
    case LAB_TYPE_STRINGS:
        json_object_set_new(schema, "items", item = json_pack("{s:s}", "type", "string"));
        set_length(item, field);
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)field->items_max));
        json_object_set_new(schema, "uniqueItems", json_true());
        break;
    case LAB_TYPE_LIST:
        json_object_set_new(schema, "items", json_object());
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)field->items_max));
        break;
    case LAB_TYPE_VALUE:
        json_object_del(schema, "type");
        break;
    case LAB_TYPE_BOOLEAN:
    case LAB_TYPE_OBJECT:
        break;
    }
}

json_t *lab_field_schema(const struct lab_field *field)
{
    json_t *schema =
        field->members != NULL ? lab_fields_schema(field->members) : json_pack("{s:s}", "type", type_name(field->type));
    if (field->nullable)
        json_object_set_new(schema, "type", json_pack("[s, s]", type_name(field->type), "null"));
    set_keywords(schema, field);
    if (field->fallback != NULL) {
        json_t *value = json_loads(field->fallback, JSON_DECODE_ANY, NULL);
        json_object_set_new(schema, "default", value != NULL ? value : json_string(field->fallback));
    }
    return schema;
}

json_t *lab_fields_schema(const struct lab_field *fields)
{
    json_t *properties = json_object(), *required = json_array();
    for (; fields != NULL && fields->name != NULL; fields++) {
        json_t *schema = lab_field_schema(fields);
        json_object_set_new(schema, "description", json_string(fields->description));
        json_object_set_new(properties, fields->name, schema);
        if (fields->required)
            json_array_append_new(required, json_string(fields->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                     "additionalProperties", 0);
}
