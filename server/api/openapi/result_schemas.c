/* Schemas of measurements, spans and fields, from the tables of their members. */
#include "schemas.h"

#include "experiment/results.h"

void lab_result_schemas(json_t *schemas)
{
    static const struct {
        const char *name;
        const struct lab_schema *members;
    } results[] = {{"Measurement", lab_measurement_members}, {"Span", lab_span_members}, {"Field", lab_field_members}};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        json_t *schema = lab_schema_members_to_json(results[i].members);
        json_object_set_new(json_object_get(schema, "properties"), "axes", lab_component("schemas", "Axes"));
        json_object_update_recursive(schema, json_object_get(schemas, results[i].name));
        json_object_set_new(schemas, results[i].name, schema);
    }
}
