/* Schemas of answers and events, from rows: each file has those of the documents that it answers with. */
#include "schemas.h"

#include "descriptor/results.h"

#include <stdio.h>

static const struct lab_schema scalar = {.type = LAB_TYPE_SCALAR};
static const struct lab_schema fact = {.type = LAB_TYPE_ANY};

/* What several files share. */
static const struct lab_schema shared_documents[] = {
    {.name = "Axes",
     .type = LAB_TYPE_OBJECT,
     .each = &scalar,
     .text = "A point: a value for each axis that applies to it."},
    {.name = "DeviceProperties",
     .type = LAB_TYPE_OBJECT,
     .each = &fact,
     .text =
         "Facts that the runtime and NVML report, and peaks derived from them: texts, numbers, booleans and lists of "
         "numbers; null where unknown."},
    {0},
};

static const struct lab_schema *const documents[] = {
    shared_documents,
    lab_compile_documents,
    lab_devices_documents,
    lab_import_documents,
    lab_experiments_documents,
    lab_health_documents,
    lab_compare_documents,
    lab_machine_health_documents,
    lab_measured_documents,
    lab_normal_documents,
    lab_series_documents,
    lab_verdicts_documents,
    lab_nodes_documents,
    lab_doctor_documents,
    lab_document_documents,
    lab_queue_documents,
    lab_programs_documents,
    lab_guide_documents,
    lab_references_documents,
    lab_fields_documents,
    lab_measurements_documents,
    lab_explanation_documents,
    lab_foreign_documents,
    lab_timeline_documents,
    lab_timeline_columns_documents,
    lab_timeline_trace_documents,
    lab_create_documents,
    lab_run_documents,
    lab_sweeps_documents,
    lab_sessions_documents,
    lab_tokens_documents,
    lab_comments_documents,
    lab_channels_documents,
    lab_challenges_documents,
    lab_ranking_documents,
};

/* "ErrorCode": the names of all codes. */
static json_t *error_codes(void)
{
    json_t *names = json_array();
    for (int code = LAB_ERROR_NONE + 1; code < LAB_ERROR_CODE_COUNT; code++)
        json_array_append_new(names, json_string(lab_error_name((enum lab_error_code)code)));
    return json_pack("{s:s, s:o}", "type", "string", "enum", names);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static const struct lab_schema progress_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(INTEGER, "done")},
    {LAB_GIVEN(INTEGER, "total")},
    {LAB_GIVEN(STRING, "label")},
    {LAB_GIVEN(OBJECT, "headline"), .count = LAB_LIST, .nullable = true, .component = "Headline",
     .text = "The headlines of the measurements so far; null while there are none."},
    {0},
};
static const char *const output_streams[] = {LAB_OUTPUT_STREAMS, NULL};
static const struct lab_schema output_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(CHOICE, "stream"), .choices = output_streams},
    {LAB_GIVEN(INTEGER, "offset"), .text = "The bytes of the run's output before this text."},
    {LAB_GIVEN(STRING, "text"), .text = "What a program has printed since the last such event."},
    {0},
};
static const struct lab_schema deleted_members[] = {{LAB_GIVEN(STRING, "id")}, {0}};
static const struct lab_schema measurement_members[] = {
    {LAB_GIVEN(STRING, "run")}, {LAB_GIVEN(OBJECT, "measurement"), .component = "Measurement"}, {0}};
static const struct lab_schema reading_members[] = {
    {LAB_GIVEN(STRING, "id")}, {LAB_GIVEN(OBJECT, "telemetry"), .component = "Telemetry"}, {0}};
static const struct lab_schema telemetry_members[] = {
    {LAB_GIVEN(OBJECT, "devices"), .count = LAB_LIST, .members = reading_members}, {0}};
static const struct lab_schema reset_members[] = {{LAB_GIVEN(STRING, "newest")}, {0}};

/* The name of each event's schema, its name (`event:`) and its JSON (`data:`). */
static const struct {
    const char *schema, *event;
    struct lab_schema data;
} events[] = {
    {"RunUpdated", "run.updated", {.type = LAB_TYPE_OBJECT, .component = "RunSummary"}},
    {"RunProgress", "run.progress", {.type = LAB_TYPE_OBJECT, .members = progress_members}},
    {"RunOutput", "run.output", {.type = LAB_TYPE_OBJECT, .members = output_members}},
    {"RunDeleted", "run.deleted", {.type = LAB_TYPE_OBJECT, .members = deleted_members}},
    {"QueueUpdated", "queue.updated", {.type = LAB_TYPE_OBJECT, .component = "Queue"}},
    {"MeasurementAdded", "measurement", {.type = LAB_TYPE_OBJECT, .members = measurement_members}},
    {"DeviceTelemetry", "device.telemetry", {.type = LAB_TYPE_OBJECT, .members = telemetry_members}},
    {"Reset",
     "reset",
     {.type = LAB_TYPE_OBJECT, .members = reset_members, .text = "Events are missing; read again what you show."}},
};

static void add_events(json_t *schemas)
{
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        json_object_set_new(schemas, events[i].schema,
                            json_pack("{s:s, s:b, s:[s, s], s:{s:{s:s}, s:o}}", "type", "object",
                                      "additionalProperties", 0, "required", "event", "data", "properties", "event",
                                      "const", events[i].event, "data", lab_schema_to_json(&events[i].data)));
        json_array_append_new(all, lab_component("schemas", events[i].schema));
    }
    json_object_set_new(schemas, "Event",
                        json_pack("{s:s, s:o}", "description", "An event of the stream.", "oneOf", all));
}

json_t *lab_answer_schemas(void)
{
    json_t *schemas = json_pack("{s:{s:s, s:s, s:s}, s:o}", "Time", "type", "string", "format", "date-time", "pattern",
                                "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$", "ErrorCode", error_codes());
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        for (const struct lab_schema *row = documents[i]; row->name != NULL; row++)
            json_object_set_new(schemas, row->name, lab_schema_to_json(row));
    add_events(schemas);
    return schemas;
}

const struct lab_schema *lab_document_find(const char *name)
{
    const struct lab_schema *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof documents / sizeof *documents; i++)
        found = lab_schema_find(documents[i], name);
    return found;
}

json_t *lab_component(const char *section, const char *name)
{
    char reference[128];
    snprintf(reference, sizeof reference, "#/components/%s/%s", section, name);
    return json_pack("{s:s}", "$ref", reference);
}
