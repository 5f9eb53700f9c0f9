/* Schemas of measurements, spans and fields, from the tables of their members. */
#include "schemas.h"

#include "experiment/results.h"

static json_t *members_schema(const struct lab_members *members);

/* Names of the types; one, or a list of two if the value may be null. */
static json_t *type_of(unsigned types)
{
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {{LAB_MEMBER_TEXT, "string"},     {LAB_MEMBER_INTEGER, "integer"}, {LAB_MEMBER_NUMBER, "number"},
                 {LAB_MEMBER_BOOLEAN, "boolean"}, {LAB_MEMBER_OBJECT, "object"},   {LAB_MEMBER_LIST, "array"}};
    size_t i = 0;
    while ((types & names[i].type) == 0)
        i++;
    return (types & LAB_MEMBER_NULL) != 0 ? json_pack("[s, s]", names[i].name, "null") : json_string(names[i].name);
}

/* One of the choices; a new reference. */
static json_t *choices_schema(const char *const *choices, bool nullable)
{
    json_t *list = json_array();
    for (; *choices != NULL; choices++)
        json_array_append_new(list, json_string(*choices));
    if (nullable)
        json_array_append_new(list, json_null());
    return json_pack("{s:o}", "enum", list);
}

static json_t *member_schema(const struct lab_member *member, const struct lab_member_details *details)
{
    json_t *schema = NULL;
    if (details->reference != NULL)
        schema = lab_component("schemas", details->reference);
    else if (details->choices != NULL)
        schema = choices_schema(details->choices, (member->types & LAB_MEMBER_NULL) != 0);
    else if (details->members != NULL)
        schema = members_schema(details->members);
    else
        schema = json_object();
    if (details->reference == NULL && details->choices == NULL)
        json_object_set_new(schema, "type", type_of(member->types));
    if (details->keywords != NULL)
        json_object_update_new(schema, json_loads(details->keywords, 0, NULL));
    if (details->text != NULL)
        json_object_set_new(schema, "description", json_string(details->text));
    return schema;
}

/* An object with all members and no others. */
static json_t *members_schema(const struct lab_members *members)
{
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; members->rows[i].name != NULL; i++) {
        json_array_append_new(required, json_string(members->rows[i].name));
        json_object_set_new(properties, members->rows[i].name, member_schema(&members->rows[i], &members->details[i]));
    }
    return json_pack("{s:s, s:b, s:o, s:o}", "type", "object", "additionalProperties", 0, "required", required,
                     "properties", properties);
}

void lab_result_schemas(json_t *schemas)
{
    static const struct {
        const char *name;
        const struct lab_members *members;
    } results[] = {
        {"Measurement", &lab_measurement_members}, {"Span", &lab_span_members}, {"Field", &lab_field_members}};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        json_t *schema = members_schema(results[i].members), *written = json_object_get(schemas, results[i].name);
        json_object_update_recursive(schema, written);
        json_object_set_new(schemas, results[i].name, schema);
    }
}
