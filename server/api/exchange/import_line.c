/* Checks lines by tables of members. */
#include "import_line.h"

#include "export_line.h"
#include "runs/fields.h"

#include "auth/identity.h"
#include "jobs/run_json.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "experiment/results.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

void lab_import_memory_free(struct lab_import_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        free(memory->blocks[i]);
    free(memory->blocks);
    *memory = (struct lab_import_memory){0};
}

void *lab_import_memory_keep(struct lab_import_memory *memory, void *block)
{
    if (block != NULL && memory->count == memory->capacity) {
        size_t capacity = memory->capacity > 0 ? 2 * memory->capacity : 64;
        void **blocks = realloc(memory->blocks, capacity * sizeof *blocks);
        if (blocks == NULL) {
            free(block);
            block = NULL;
        } else {
            memory->blocks = blocks;
            memory->capacity = capacity;
        }
    }
    if (block != NULL)
        memory->blocks[memory->count++] = block;
    else
        memory->failed = true;
    return block;
}

/* --- members ------------------------------------------------------------------------------------------------------ */

enum {
    TEXT = LAB_MEMBER_TEXT,
    INTEGER = LAB_MEMBER_INTEGER,
    NUMBER = LAB_MEMBER_NUMBER,
    BOOLEAN = LAB_MEMBER_BOOLEAN,
    OBJECT = LAB_MEMBER_OBJECT,
    LIST = LAB_MEMBER_LIST,
    NONE = LAB_MEMBER_NULL,
    ABSENT = LAB_MEMBER_ABSENT, /* in exports of older versions */
};

static const struct lab_member run_members[] = {
    {"id", TEXT},
    {"revision", INTEGER},
    {"experiment", TEXT},
    {"status", TEXT},
    {"devices", LIST},
    {"host", TEXT},
    {"parameters", OBJECT},
    {"tags", LIST},
    {"note", TEXT},
    {"pinned", BOOLEAN},
    {"priority", TEXT},
    {"requested_by", TEXT | NONE},
    {"compare_with", OBJECT | NONE},
    {"kernel", OBJECT | NONE | ABSENT},
    {"time_limit_s", NUMBER | NONE},
    {"created_at", TEXT},
    {"started_at", TEXT | NONE},
    {"finished_at", TEXT | NONE},
    {"contended", BOOLEAN},
    {"measurement_count", INTEGER},
    {"headline", LIST | NONE},
    {"warnings", LIST},
    {"notes", LIST},
    {"error", OBJECT | NONE},
    {"output", TEXT | NONE | ABSENT},
    {"environment", OBJECT | NONE},
    {0},
};

/* What lines have beside the members of what they describe. */
static const struct lab_member run_line_members[] = {{"type", TEXT}, {"estimate_s", NUMBER}, {0}};
static const struct lab_member part_members[] = {{"type", TEXT}, {"run", TEXT}, {0}};
static const struct lab_member measurement_line_members[] = {
    {"type", TEXT}, {"run", TEXT}, {"position", INTEGER}, {"samples", INTEGER | ABSENT}, {0}};
static const struct lab_member samples_members[] = {{"position", INTEGER}, {"first", INTEGER}, {"values", LIST}, {0}};

/* What documents have. */
static const struct lab_member document_members[] = {
    {"measurements", LIST}, {"spans", LIST | ABSENT}, {"fields", LIST | ABSENT}, {0}};
static const struct lab_member measured_members[] = {{"samples", LIST | ABSENT}, {0}};
static const struct lab_member no_members[] = {{0}};

static const struct lab_member device_members[] = {
    {"id", TEXT}, {"name", TEXT | NONE}, {"node", TEXT | NONE | ABSENT}, {0}};
static const struct lab_member headline_members[] = {{"title", TEXT},   {"metric", TEXT}, {"unit", TEXT},
                                                     {"value", NUMBER}, {"axes", OBJECT}, {0}};
static const struct lab_member error_members[] = {
    {"type", TEXT | ABSENT}, {"title", TEXT | ABSENT}, {"detail", TEXT | ABSENT}, {0}};

static bool has_row(const struct lab_member *members, const char *name)
{
    while (members->name != NULL && strcmp(members->name, name) != 0)
        members++;
    return members->name != NULL;
}

static bool is_omitted(const char *name)
{
    size_t i = 0;
    while (lab_export_omitted[i] != NULL && strcmp(lab_export_omitted[i], name) != 0)
        i++;
    return lab_export_omitted[i] != NULL;
}

/* Whether the members of both tables have their types, and there are no others: an import would lose them. */
static bool check(const json_t *object, const struct lab_member *members, const struct lab_member *others,
                  struct lab_error *error)
{
    const char *name;
    json_t *value;
    if (!lab_members_check(object, others, true, error) || !lab_members_check(object, members, true, error))
        return false;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        bool is_derived = members == run_members && is_omitted(name);
        if (!is_derived && !has_row(members, name) && !has_row(others, name))
            return lab_error_set(error, LAB_ERROR_UNKNOWN_MEMBER, "",
                                 "'%.64s' is not a member that this version of gpulab knows.", name);
    }
    return true;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Kept in `memory`; NULL for NULL. */
static const char *copy_of(const char *text, struct lab_import_memory *memory)
{
    return text != NULL ? lab_import_memory_keep(memory, strdup(text)) : NULL;
}

static const char *text_of(const json_t *line, const char *name, struct lab_import_memory *memory)
{
    return copy_of(lab_optional_text_of(line, name), memory);
}

/* Reads a time; LAB_NO_TIME for null. */
static bool read_time(const json_t *line, const char *name, int64_t *at, struct lab_error *error)
{
    const char *text = lab_optional_text_of(line, name);
    *at = LAB_NO_TIME;
    return text == NULL || lab_time_parse(text, at) ||
           lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "'%s' is '%.40s'; it must be an RFC 3339 time.", name, text);
}

/* A member as JSON text; NULL for null. */
static const char *json_of(const json_t *line, const char *name, struct lab_import_memory *memory)
{
    const json_t *value = json_object_get(line, name);
    return value != NULL && !json_is_null(value) ? lab_import_memory_keep(memory, json_dumps(value, JSON_COMPACT))
                                                 : NULL;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static const char *const type_names[] = {"run", "measurement", "samples", "span", "field", "end"};

enum lab_import_type lab_import_type(const json_t *line)
{
    const char *name = json_string_value(json_object_get(line, "type"));
    size_t i = 0;
    while (i < LAB_LINE_UNKNOWN && (name == NULL || strcmp(type_names[i], name) != 0))
        i++;
    return (enum lab_import_type)i;
}

bool lab_import_is_document(const json_t *value)
{
    return json_object_get(value, "id") != NULL && json_is_array(json_object_get(value, "measurements"));
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Whether every member of a list is an object with these members. */
static bool check_list(const json_t *line, const char *name, const struct lab_member *members, struct lab_error *error)
{
    struct lab_error inner;
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(line, name), index, item)
    {
        if (!json_is_object(item))
            return lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "'%s' must be a list of objects.", name);
        if (!lab_members_check(item, members, true, &inner))
            return lab_error_set(error, inner.code, "", "'%s', item %zu: %s", name, index + 1, inner.detail);
    }
    return true;
}

/* Whether a list has only texts, at most LAB_SENTENCES_MAX. */
static bool check_sentences(const json_t *line, const char *name, struct lab_error *error)
{
    const json_t *list = json_object_get(line, name);
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (!json_is_string(item))
            return lab_error_set(error, LAB_ERROR_WRONG_TYPE, "", "'%s' must be a list of texts.", name);
    }
    return json_array_size(list) <= LAB_SENTENCES_MAX ||
           lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'%s' must have at most %d texts.", name,
                         LAB_SENTENCES_MAX);
}

/* What a run was requested with must be what a request can have. */
static bool check_request(const json_t *line, struct lab_error *error)
{
    static const char *const names[] = {"experiment", "tags", "note", "priority"};
    struct lab_errors errors = {0};
    json_t *request = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set(request, names[i], json_object_get(line, names[i]));
    lab_schema_check_members(lab_new_run_fields, request, "", &errors);
    json_decref(request);
    if (errors.count == 0)
        return true;
    return lab_error_set(error, errors.items[0].code, "", "'%s': %s", errors.items[0].pointer + 1,
                         errors.items[0].detail);
}

static bool check_bounds(const json_t *line, struct lab_error *error)
{
    static const double revision_max = 9007199254740991; /* 2^53 - 1, as in JSON of others */
    double revision = lab_number_of(line, "revision"), limit = lab_number_of(line, "time_limit_s");
    if (revision < 1 || revision > revision_max)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'revision' is %.15g; it must be from 1 to 2^53 - 1.",
                             revision);
    if (limit <= 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                             "'time_limit_s' is %.15g; it must be more than 0, or null.", limit);
    if (lab_number_of(line, "estimate_s") < 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'estimate_s' must not be negative.");
    if (lab_integer_of(line, "measurement_count", 0) > LAB_MEASUREMENTS_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'measurement_count' must be at most %d.",
                             LAB_MEASUREMENTS_MAX);
    return true;
}

/* The name of a person is that of a token or of a user of the system. It is part of lines of logs. */
static bool check_person(const json_t *line, struct lab_error *error)
{
    const char *name = lab_optional_text_of(line, "requested_by");
    bool fits = name == NULL || (name[0] != '\0' && strlen(name) <= LAB_PERSON_MAX);
    for (const char *c = name; fits && c != NULL && *c != '\0'; c++)
        fits = !iscntrl((unsigned char)*c);
    return fits || lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                                 "'requested_by' must have 1 to %d bytes and no control characters, or be null.",
                                 LAB_PERSON_MAX);
}

static bool check_run(const json_t *line, bool is_document, struct lab_error *error)
{
    const json_t *failure = json_object_get(line, "error");
    struct lab_error inner;
    if (!check(line, run_members, is_document ? document_members : run_line_members, error))
        return false;
    if (json_is_object(failure) && !lab_members_check(failure, error_members, true, &inner))
        return lab_error_set(error, inner.code, "", "'error': %s", inner.detail);
    return check_list(line, "devices", device_members, error) &&
           check_list(line, "headline", headline_members, error) && check_sentences(line, "warnings", error) &&
           check_sentences(line, "notes", error) && check_request(line, error) && check_bounds(line, error) &&
           check_person(line, error);
}

/* The times of a run, in their order. */
static bool read_times(const json_t *line, struct lab_run_row *row, struct lab_error *error)
{
    if (!read_time(line, "created_at", &row->created_at, error) ||
        !read_time(line, "started_at", &row->started_at, error) ||
        !read_time(line, "finished_at", &row->finished_at, error))
        return false;
    if (row->started_at != LAB_NO_TIME && row->started_at < row->created_at)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'started_at' must not be before 'created_at'.");
    if (row->finished_at != LAB_NO_TIME &&
        row->finished_at < (row->started_at != LAB_NO_TIME ? row->started_at : row->created_at))
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                             "'finished_at' must not be before 'started_at' or 'created_at'.");
    return true;
}

bool lab_import_read_run(const json_t *line, bool is_document, struct lab_run_row *row,
                         struct lab_import_memory *memory, struct lab_error *error)
{
    if (!check_run(line, is_document, error))
        return false;
    double limit = lab_number_of(line, "time_limit_s"), estimate = lab_number_of(line, "estimate_s");
    *row = (struct lab_run_row){
        .id = text_of(line, "id", memory),
        .revision = json_integer_value(json_object_get(line, "revision")),
        .experiment = text_of(line, "experiment", memory),
        .pinned = json_is_true(json_object_get(line, "pinned")),
        .contended = json_is_true(json_object_get(line, "contended")),
        .time_limit_s = isfinite(limit) ? limit : 0,
        .estimate_s = isfinite(estimate) ? estimate : 0,
        .requested_by = text_of(line, "requested_by", memory),
        .host = text_of(line, "host", memory),
        .devices = json_of(line, "devices", memory),
        .parameters = json_of(line, "parameters", memory),
        .compare_with = json_of(line, "compare_with", memory),
        .kernel = json_of(line, "kernel", memory),
        .tags = json_of(line, "tags", memory),
        .note = text_of(line, "note", memory),
        .headline = json_of(line, "headline", memory),
        .environment = json_of(line, "environment", memory),
        .warnings = json_of(line, "warnings", memory),
        .notes = json_of(line, "notes", memory),
        .error = json_of(line, "error", memory),
        .output = text_of(line, "output", memory),
        .measurement_count = json_integer_value(json_object_get(line, "measurement_count")),
    };
    if (!lab_status_parse(json_string_value(json_object_get(line, "status")), &row->status) ||
        lab_status_live(row->status))
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'status' must be that of a run that has ended.");
    lab_priority_parse(json_string_value(json_object_get(line, "priority")), &row->priority);
    return read_times(line, row, error);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

bool lab_import_read_measurement(const json_t *line, bool is_document, const struct lab_experiment *experiment,
                                 struct lab_measurement_row *row, struct lab_import_memory *memory,
                                 struct lab_error *error)
{
    const json_t *samples = json_object_get(line, "samples");
    json_int_t sample_count = is_document ? (json_int_t)json_array_size(samples) : json_integer_value(samples);
    if (!check(line, lab_measurement_members, is_document ? measured_members : measurement_line_members, error))
        return false;
    if (sample_count < 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'samples' must not be negative.");
    if (!lab_measurement_check(experiment, line, (size_t)sample_count, error))
        return false;
    *row = (struct lab_measurement_row){
        .axes = json_of(line, "axes", memory),
        .rounds = json_of(line, "rounds", memory),
        .peak = json_of(line, "peak", memory),
        .conditions = json_of(line, "conditions", memory),
        .kernel = json_of(line, "kernel", memory),
        .sample_count = (size_t)sample_count,
    };
    lab_measurement_row_read(row, line);
    const char **texts[] = {&row->metric, &row->unit, &row->side, &row->stop_reason, &row->cache, &row->skipped};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = copy_of(*texts[i], memory);
    return true;
}

bool lab_import_read_samples(const json_t *line, struct lab_import_samples *samples, struct lab_error *error)
{
    if (!check(line, samples_members, part_members, error))
        return false;
    json_int_t first = json_integer_value(json_object_get(line, "first"));
    if (first < 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'first' must not be negative.");
    samples->position = json_integer_value(json_object_get(line, "position"));
    samples->first = (size_t)first;
    samples->values = json_object_get(line, "values");
    return true;
}

bool lab_import_read_span(const json_t *line, bool is_document, struct lab_span_row *row,
                          struct lab_import_memory *memory, struct lab_error *error)
{
    if (!check(line, lab_span_members, is_document ? no_members : part_members, error) || !lab_span_check(line, error))
        return false;
    *row = (struct lab_span_row){
        .lane = text_of(line, "lane", memory),
        .kind = text_of(line, "kind", memory),
        .label = text_of(line, "label", memory),
        .axes = json_of(line, "axes", memory),
        .start_ns = json_integer_value(json_object_get(line, "start_ns")),
        .end_ns = json_integer_value(json_object_get(line, "end_ns")),
    };
    return true;
}

bool lab_import_read_field(const json_t *line, bool is_document, const char **content, struct lab_import_memory *memory,
                           struct lab_error *error)
{
    if (!check(line, lab_field_members, is_document ? no_members : part_members, error) ||
        !lab_field_check(line, error))
        return false;
    json_t *field = json_object();
    for (const struct lab_member *member = lab_field_members; member->name != NULL; member++)
        json_object_set(field, member->name, json_object_get(line, member->name));
    *content = lab_import_memory_keep(memory, json_dumps(field, JSON_COMPACT));
    json_decref(field);
    return true;
}
