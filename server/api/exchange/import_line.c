/* Checks lines by tables of members. */
#include "import_line.h"

#include "runs/fields.h"
#include "runs/members.h"

#include "auth/identity.h"
#include "jobs/run_json.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "core/number.h"
#include "core/order.h"
#include "core/result_rows.h"
#include "descriptor/results.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

void lab_import_memory_release(struct lab_import_memory *memory)
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

/* What a request has too is checked as there (check_request). */
#define RUN_FOUND(x, form, name, presence, sql, ...) LAB_RESULT_SCHEMA(x, form, name, presence, __VA_ARGS__)
#define RUN_MEMBERS                                                                                                    \
    LAB_RUN_SUMMARY(LAB_RESULT_SCHEMA, RUN_FOUND, LAB_RESULT_SCHEMA, ) LAB_RUN_DETAILS(LAB_RESULT_SCHEMA, RUN_FOUND, )

static const struct lab_schema run_line_members[] = {
    RUN_MEMBERS{LAB_GIVEN(STRING, "type")},
    {LAB_GIVEN(NUMBER, "estimate_s"), .maximum = INFINITY},
    {0},
};

static const struct lab_schema document_members[] = {
    RUN_MEMBERS{LAB_GIVEN(OBJECT, "measurements"), .count = LAB_LIST},
    {.name = "spans", .type = LAB_TYPE_OBJECT, .count = LAB_LIST},
    {.name = "fields", .type = LAB_TYPE_OBJECT, .count = LAB_LIST},
    {0},
};

/* Only a run that has ended is taken. */
static const struct lab_schema status_member = {LAB_GIVEN(CHOICE, "status"),
                                                .choices = lab_status_names + LAB_STATUS_SUCCEEDED};

static const struct lab_schema samples_members[] = {
    {LAB_GIVEN(STRING, "type")},
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(INTEGER, "position")},
    {LAB_GIVEN(INTEGER, "first"), .maximum = LAB_SAMPLES_MAX},
    {LAB_GIVEN(ANY, "values"), .count = LAB_LIST},
    {0},
};

/* Results, as lines and in documents. */
#define PART_MEMBERS                                                                                                   \
    {LAB_GIVEN(STRING, "type")},                                                                                       \
    {                                                                                                                  \
        LAB_GIVEN(STRING, "run")                                                                                       \
    }

static const struct lab_schema measurement_line_members[] = {
    LAB_MEASUREMENT_MEMBERS(LAB_RESULT_SCHEMA, ) PART_MEMBERS,
    {LAB_GIVEN(INTEGER, "position")},
    {.name = "samples", .type = LAB_TYPE_INTEGER, .maximum = LAB_SAMPLES_MAX},
    {0},
};
static const struct lab_schema measured_members[] = {
    LAB_MEASUREMENT_MEMBERS(LAB_RESULT_SCHEMA, ){.name = "samples", .type = LAB_TYPE_ANY, .count = LAB_LIST},
    {.name = "cautions", .type = LAB_TYPE_ANY},
    {0},
};
static const struct lab_schema span_line_members[] = {LAB_SPAN_MEMBERS(LAB_RESULT_SCHEMA, ) PART_MEMBERS, {0}};
#define WRITTEN_MEMBERS                                                                                                \
    {LAB_GIVEN(TIME, "created_at")}, {LAB_GIVEN(STRING, "author"), .nullable = true, .minimum = 1, .maximum = 128},    \
    {                                                                                                                  \
        LAB_GIVEN(STRING, "text"), .minimum = 1, .maximum = 4096                                                       \
    }
static const struct lab_schema comment_line_members[] = {WRITTEN_MEMBERS, PART_MEMBERS, {0}};
static const struct lab_schema mark_line_members[] = {
    WRITTEN_MEMBERS,
    {LAB_GIVEN(STRING, "type")},
    {LAB_GIVEN(TIME, "at")},
    {LAB_GIVEN(STRING, "node"), .nullable = true, .minimum = 1, .maximum = 128},
    {0},
};
static const struct lab_schema field_line_members[] = {LAB_FIELD_MEMBERS(LAB_RESULT_SCHEMA, ) PART_MEMBERS, {0}};

/* The first of the errors, with where in a member it is. */
static bool take_first(const struct lab_errors *errors, struct lab_error *error)
{
    const struct lab_error *first = &errors->items[0];
    if (first->code == LAB_ERROR_UNKNOWN_FIELD)
        return lab_error_set(error, LAB_ERROR_UNKNOWN_MEMBER, "",
                             "'%.64s' is not a member that this version of gpulab knows.", first->pointer + 1);
    return lab_first_error(errors, error);
}

/* Whether the members have their types, and there are no others: an import would lose them. */
static bool check_rows(const json_t *object, const struct lab_schema *rows, struct lab_error *error)
{
    struct lab_errors errors;
    errors.count = errors.dropped = 0;
    return lab_schema_check_members(rows, object, "", &errors) || take_first(&errors, error);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Sets the members of a row from a line; what they point to is kept in `memory`. */
static void read_row(const struct lab_row_member *members, void *row, const json_t *line,
                     struct lab_import_memory *memory)
{
    lab_row_from_json(members, row, line);
    for (; members->name != NULL; members++) {
        char **text = (char **)(void *)((char *)row + members->offset);
        if (members->offset == LAB_ELSEWHERE)
            continue;
        if (lab_form_is_text(members->form) && *text != NULL)
            *text = lab_import_memory_keep(memory, strdup(*text));
        else if (lab_form_is_document(members->form) && *text != NULL)
            *text = lab_import_memory_keep(memory, *text);
    }
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static const char *const type_names[] = {"run", "measurement", "samples", "span", "field", "comment", "mark", "end"};

enum lab_import_type lab_import_type(const json_t *line)
{
    const char *name = json_string_value(json_object_get(line, "type"));
    size_t i = 0;
    while (i < LAB_LINE_UNKNOWN && (name == NULL || strcmp(type_names[i], name) != 0))
        i++;
    return (enum lab_import_type)i;
}

int64_t lab_import_latest(void)
{
    static const int64_t day_us = INT64_C(86400) * 1000000;
    return lab_time_now() + day_us;
}

bool lab_import_is_document(const json_t *value)
{
    return json_object_get(value, "id") != NULL && json_is_array(json_object_get(value, "measurements"));
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* The status must be that of a run that has ended, and what a run was requested with what a request can have. */
static bool check_request(const json_t *line, struct lab_error *error)
{
    static const char *const names[] = {"experiment", "tags", "note", "priority"};
    const json_t *status = json_object_get(line, "status");
    struct lab_errors errors = {0};
    if (status != NULL)
        lab_schema_check_value(&status_member, status, "/status", &errors);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char pointer[LAB_POINTER_MAX];
        const json_t *value = json_object_get(line, names[i]);
        snprintf(pointer, sizeof pointer, "/%s", names[i]);
        if (value != NULL)
            lab_schema_check_value(lab_schema_find(lab_new_run_fields, names[i]), value, pointer, &errors);
    }
    return errors.count == 0 || take_first(&errors, error);
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

static bool check_times(const struct lab_run_row *row, struct lab_error *error)
{
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
    if (!check_request(line, error) || !check_rows(line, is_document ? document_members : run_line_members, error) ||
        !check_person(line, error))
        return false;
    double estimate_s = lab_number_of(line, "estimate_s");
    *row = (struct lab_run_row){0};
    read_row(lab_run_summary_members, row, line, memory);
    read_row(lab_run_detail_members, row, line, memory);
    row->time_limit_s = isfinite(row->time_limit_s) ? row->time_limit_s : 0;
    row->estimate_s = isfinite(estimate_s) ? estimate_s : 0;
    row->public = false; /* this lab decides it */
    return check_times(row, error);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* The noise in exports of older versions is the standard deviation / mean. That of a fit, which has no standard
 * deviation, stays. */
static void set_noise(struct lab_measurement_row *row)
{
    double noise = lab_noise(row->median, row->q1, row->q3);
    bool is_sampled = isfinite(row->stdev) && isfinite(row->q1) && isfinite(row->q3);
    if (is_sampled && !(fabs(row->noise - noise) <= 1e-9 * noise)) /* a document has 15 digits */
        row->noise = noise;
}

bool lab_import_read_measurement(const json_t *line, bool is_document, const struct lab_experiment *experiment,
                                 struct lab_measurement_row *row, struct lab_import_memory *memory,
                                 struct lab_error *error)
{
    const json_t *samples = json_object_get(line, "samples");
    json_int_t sample_count = is_document ? (json_int_t)json_array_size(samples) : json_integer_value(samples);
    if (!check_rows(line, is_document ? measured_members : measurement_line_members, error) ||
        !lab_measurement_check(experiment, line, (size_t)sample_count, error))
        return false;
    json_object_del(json_object_get(line, "conditions"), "throttled_by"); /* of a document; it is not stored */
    *row = (struct lab_measurement_row){.sample_count = (size_t)sample_count};
    read_row(lab_measurement_row_members, row, line, memory);
    set_noise(row);
    return true;
}

bool lab_import_read_samples(const json_t *line, struct lab_import_samples *samples, struct lab_error *error)
{
    if (!check_rows(line, samples_members, error))
        return false;
    samples->position = json_integer_value(json_object_get(line, "position"));
    samples->first = (size_t)json_integer_value(json_object_get(line, "first"));
    samples->values = json_object_get(line, "values");
    return true;
}

bool lab_import_read_span(const json_t *line, bool is_document, struct lab_span_row *row,
                          struct lab_import_memory *memory, struct lab_error *error)
{
    if (!check_rows(line, is_document ? lab_span_members : span_line_members, error) || !lab_span_check(line, error))
        return false;
    read_row(lab_span_row_members, row, line, memory);
    return true;
}

bool lab_import_read_field(const json_t *line, bool is_document, const char **content, struct lab_import_memory *memory,
                           struct lab_error *error)
{
    if (!check_rows(line, is_document ? lab_field_members : field_line_members, error) || !lab_field_check(line, error))
        return false;
    json_t *field = json_object();
    for (const struct lab_schema *member = lab_field_members; member->name != NULL; member++)
        json_object_set(field, member->name, json_object_get(line, member->name));
    *content = lab_import_memory_keep(memory, json_dumps(field, JSON_COMPACT));
    json_decref(field);
    return true;
}

/* Reads what comments and marks have, after the members were checked. */
static void read_written(const json_t *line, struct lab_comment_row *row, struct lab_import_memory *memory)
{
    static const char mark[] = " (imported)";
    const char *author = json_string_value(json_object_get(line, "author")), *text = lab_text_of(line, "text");
    char *named = NULL;
    if (author != NULL) {
        size_t length = strlen(author), size = sizeof mark - 1;
        bool has_mark = length > size && strcmp(author + length - size, mark) == 0;
        memory->failed = asprintf(&named, "%s%s", author, has_mark ? "" : mark) < 0 || memory->failed;
    }
    lab_time_parse(lab_text_of(line, "created_at"), &row->created_at);
    row->at = row->created_at;
    row->author = lab_import_memory_keep(memory, named);
    row->text = lab_import_memory_keep(memory, strdup(text));
}

bool lab_import_read_comment(const json_t *line, struct lab_comment_row *row, struct lab_import_memory *memory,
                             struct lab_error *error)
{
    *row = (struct lab_comment_row){0};
    if (!check_rows(line, comment_line_members, error))
        return false;
    read_written(line, row, memory);
    return true;
}

bool lab_import_read_mark(const json_t *line, struct lab_comment_row *row, struct lab_import_memory *memory,
                          struct lab_error *error)
{
    const char *node = lab_optional_text_of(line, "node");
    *row = (struct lab_comment_row){0};
    if (!check_rows(line, mark_line_members, error))
        return false;
    read_written(line, row, memory);
    lab_time_parse(lab_text_of(line, "at"), &row->at);
    row->node = node != NULL ? lab_import_memory_keep(memory, strdup(node)) : NULL;
    return row->at <= lab_import_latest() ||
           lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'at' must not be in the future.");
}
