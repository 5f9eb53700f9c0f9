/* Checks lines by tables of members. */
#include "import_line.h"

#include "http/field.h"
#include "jobs/json_members.h"
#include "jobs/run_json.h"

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

/* What a member may be. */
enum {
    TEXT = 1,
    INTEGER = 2,
    NUMBER = 4, /* integers too */
    BOOLEAN = 8,
    OBJECT = 16,
    ARRAY = 32,
    NONE = 64, /* null */
    TIME = 128,
    ABSENT = 256, /* in exports of older versions */
};

struct member {
    const char *name;
    unsigned types;
};

static const struct member run_members[] = {
    {"type", TEXT},
    {"id", TEXT},
    {"revision", INTEGER},
    {"experiment", TEXT},
    {"status", TEXT},
    {"devices", ARRAY},
    {"host", TEXT},
    {"parameters", OBJECT},
    {"tags", ARRAY},
    {"note", TEXT},
    {"pinned", BOOLEAN},
    {"priority", TEXT},
    {"requested_by", TEXT | NONE},
    {"compare_with", OBJECT | NONE},
    {"kernel", OBJECT | NONE | ABSENT},
    {"time_limit_s", NUMBER | NONE},
    {"estimate_s", NUMBER},
    {"created_at", TIME},
    {"started_at", TIME | NONE},
    {"finished_at", TIME | NONE},
    {"contended", BOOLEAN},
    {"measurement_count", INTEGER},
    {"headline", ARRAY | NONE},
    {"warnings", ARRAY},
    {"notes", ARRAY},
    {"error", OBJECT | NONE},
    {"output", TEXT | NONE | ABSENT},
    {"environment", OBJECT | NONE},
    {0},
};

static const struct member measurement_members[] = {
    {"type", TEXT},
    {"run", TEXT},
    {"position", INTEGER},
    {"axes", OBJECT},
    {"metric", TEXT},
    {"unit", TEXT},
    {"side", TEXT | NONE},
    {"rounds", ARRAY | NONE},
    {"n", INTEGER},
    {"median", NUMBER | NONE},
    {"q1", NUMBER | NONE},
    {"q3", NUMBER | NONE},
    {"min", NUMBER | NONE},
    {"max", NUMBER | NONE},
    {"mean", NUMBER | NONE},
    {"stdev", NUMBER | NONE},
    {"noise", NUMBER | NONE},
    {"stop_reason", TEXT | NONE},
    {"verified", BOOLEAN | NONE},
    {"wrong", INTEGER | NONE},
    {"cache", TEXT | NONE},
    {"numa_node", INTEGER | NONE},
    {"peak", OBJECT | NONE},
    {"conditions", OBJECT | NONE},
    {"kernel", OBJECT | NONE},
    {"skipped", TEXT | NONE},
    {0},
};

static const struct member samples_members[] = {
    {"type", TEXT}, {"run", TEXT}, {"position", INTEGER}, {"first", INTEGER}, {"values", ARRAY}, {0},
};

static const struct member span_members[] = {
    {"type", TEXT},        {"run", TEXT},          {"lane", TEXT},
    {"kind", TEXT},        {"label", TEXT | NONE}, {"axes", OBJECT | NONE},
    {"start_ns", INTEGER}, {"end_ns", INTEGER},    {0},
};

static const struct member field_members[] = {
    {"type", TEXT},       {"run", TEXT},    {"name", TEXT},   {"rows", INTEGER},
    {"columns", INTEGER}, {"values", TEXT}, {"axes", OBJECT}, {0},
};

static unsigned type_of(const json_t *value)
{
    static const unsigned types[] = {
        [JSON_OBJECT] = OBJECT, [JSON_ARRAY] = ARRAY,  [JSON_STRING] = TEXT,   [JSON_INTEGER] = INTEGER | NUMBER,
        [JSON_REAL] = NUMBER,   [JSON_TRUE] = BOOLEAN, [JSON_FALSE] = BOOLEAN, [JSON_NULL] = NONE,
    };
    int64_t at;
    unsigned type = value != NULL ? types[json_typeof(value)] : ABSENT;
    return type == TEXT && lab_time_parse(json_string_value(value), &at) ? TEXT | TIME : type;
}

/* Writes "text or null". */
static void describe(unsigned types, char *text, size_t size)
{
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {{TEXT, "text"},
                 {TIME, "an RFC 3339 time"},
                 {INTEGER, "an integer"},
                 {NUMBER, "a number"},
                 {BOOLEAN, "true or false"},
                 {OBJECT, "an object"},
                 {ARRAY, "a list"},
                 {NONE, "null"}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((types & names[i].type) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "", names[i].name);
}

static bool check(const json_t *line, const struct member *members, struct lab_error *error)
{
    char allowed[64];
    for (; members->name != NULL; members++) {
        const json_t *value = json_object_get(line, members->name);
        if ((type_of(value) & members->types) != 0)
            continue;
        describe(members->types, allowed, sizeof allowed);
        return lab_error_set(error, "wrong-type", "", "'%s' %s; it must be %s.", members->name,
                             value == NULL ? "is missing" : "has a wrong type", allowed);
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
    return copy_of(lab_json_text(line, name), memory);
}

static int64_t time_of(const json_t *line, const char *name)
{
    int64_t at = LAB_NO_TIME;
    const char *text = json_string_value(json_object_get(line, name));
    return text != NULL && lab_time_parse(text, &at) ? at : LAB_NO_TIME;
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

/* Whether every member of a list is text. */
static bool has_only_texts(const json_t *line, const char *name, struct lab_error *error)
{
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(line, name), index, item)
    {
        if (!json_is_string(item))
            return lab_error_set(error, "wrong-type", "", "'%s' must be a list of texts.", name);
    }
    return true;
}

bool lab_import_read_run(const json_t *line, struct lab_run_row *row, struct lab_import_memory *memory,
                         struct lab_error *error)
{
    static const char *const texts[] = {"tags", "warnings", "notes"};
    if (!check(line, run_members, error))
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!has_only_texts(line, texts[i], error))
            return false;
    double limit = lab_json_number(line, "time_limit_s");
    *row = (struct lab_run_row){
        .id = text_of(line, "id", memory),
        .revision = json_integer_value(json_object_get(line, "revision")),
        .experiment = text_of(line, "experiment", memory),
        .pinned = json_is_true(json_object_get(line, "pinned")),
        .contended = json_is_true(json_object_get(line, "contended")),
        .created_at = time_of(line, "created_at"),
        .started_at = time_of(line, "started_at"),
        .finished_at = time_of(line, "finished_at"),
        .time_limit_s = isfinite(limit) ? limit : 0,
        .estimate_s = lab_json_number(line, "estimate_s"),
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
        return lab_error_set(error, "out-of-bounds", "", "'status' must be that of a run that has ended.");
    return lab_priority_parse(json_string_value(json_object_get(line, "priority")), &row->priority) ||
           lab_error_set(error, "out-of-bounds", "", "'priority' must be normal or low.");
}

bool lab_import_read_measurement(const json_t *line, struct lab_measurement_row *row, struct lab_import_memory *memory,
                                 struct lab_error *error)
{
    const json_t *samples = json_object_get(line, "samples");
    if (!check(line, measurement_members, error))
        return false;
    json_int_t sample_count = json_integer_value(samples);
    if ((samples != NULL && !json_is_integer(samples)) || sample_count < 0 || sample_count > LAB_IMPORT_SAMPLES_MAX)
        return lab_error_set(error, "out-of-bounds", "", "'samples' must be a number of samples, at most 10^6.");
    const char *side = lab_json_text(line, "side");
    if (side != NULL && strcmp(side, "base") != 0 && strcmp(side, "head") != 0)
        return lab_error_set(error, "out-of-bounds", "", "'side' must be base, head or null.");
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
    size_t index;
    json_t *value;
    if (!check(line, samples_members, error))
        return false;
    json_int_t first = json_integer_value(json_object_get(line, "first"));
    if (first < 0)
        return lab_error_set(error, "out-of-bounds", "", "'first' must not be negative.");
    samples->first = (size_t)first;
    samples->values = json_object_get(line, "values");
    samples->count = json_array_size(samples->values);
    json_array_foreach(samples->values, index, value)
    {
        if (!json_is_number(value) && !json_is_null(value))
            return lab_error_set(error, "wrong-type", "", "'values' must be a list of numbers and null.");
    }
    return true;
}

bool lab_import_read_span(const json_t *line, struct lab_span_row *row, struct lab_import_memory *memory,
                          struct lab_error *error)
{
    if (!check(line, span_members, error))
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

bool lab_import_read_field(const json_t *line, const char **content, struct lab_import_memory *memory,
                           struct lab_error *error)
{
    if (!check(line, field_members, error))
        return false;
    if (!lab_field_is_valid(line))
        return lab_error_set(error, "out-of-bounds", "",
                             "'values' must be Base64 of 'rows' * 'columns' float32, each 1 to 256.");
    json_t *field = json_object();
    for (const struct member *member = &field_members[2]; member->name != NULL; member++)
        json_object_set(field, member->name, json_object_get(line, member->name));
    *content = lab_import_memory_keep(memory, json_dumps(field, JSON_COMPACT));
    json_decref(field);
    return true;
}
