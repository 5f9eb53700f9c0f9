/* Collects the lines of a run. */
#include "import_run.h"

#include "resources.h"

#include "analysis/environment.h"
#include "core/clock.h"
#include "core/json_members.h"
#include "core/protocol.h"
#include "core/shape.h"
#include "descriptor/headline.h"
#include "descriptor/results.h"

#include <stdlib.h>
#include <string.h>

enum { RUN_SAMPLES_MAX = 100000000 };

/* --- the beginning ------------------------------------------------------------------------------------------------ */

/* Checks what the store relies on beside the types of the members. */
static bool check_id(const struct lab_run_row *row, struct lab_error *error)
{
    int64_t at = 0, latest = lab_import_latest();
    if (!lab_run_id_time(row->id, &at))
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'id' must be a UUID of version 7; it is '%.40s'.",
                             row->id);
    if (row->created_at < 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'created_at' must not be before 1970.");
    if (at > latest || row->created_at > latest)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'id' and 'created_at' must not be in the future.");
    return true;
}

static bool begin(struct lab_import_run *run, const json_t *line, bool is_document, struct lab_error *error)
{
    const json_t *environment = json_object_get(line, "environment");
    struct lab_run_row *row = &run->row.run;
    *run = (struct lab_import_run){.is_document = is_document, .has_spans = true, .has_fields = true};
    if (!lab_import_read_run(line, is_document, row, &run->memory, error) || !check_id(row, error)) {
        row->id = NULL;
        return false;
    }
    run->experiment = lab_experiment_find(row->experiment);
    if (run->experiment != NULL && row->headline != NULL)
        run->headlines = lab_headlines_create(run->experiment);
    if (json_is_object(environment))
        run->row.environment_key = lab_import_memory_keep(&run->memory, lab_environment_key(environment));
    return true;
}

bool lab_import_run_begin(struct lab_import_run *run, const json_t *line, struct lab_error *error)
{
    return begin(run, line, false, error);
}

/* --- its parts ---------------------------------------------------------------------------------------------------- */

/* Grows the array so that it can hold one more item. False when out of memory. */
static bool reserve(struct lab_import_run *run, void **items, size_t size, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t larger = *capacity > 0 ? 2 * *capacity : 64;
    void *moved = realloc(*items, larger * size);
    if (moved == NULL)
        return !(run->memory.failed = true);
    *items = moved;
    *capacity = larger;
    return true;
}

/* Whether all samples of the last measurement have come. */
static bool check_samples(const struct lab_import_run *run, struct lab_error *error)
{
    return run->count == run->expected ||
           lab_error_set(error, LAB_ERROR_INCOMPLETE, "", "Measurement %zu has %zu samples; its 'samples' says %zu.",
                         run->row.measurement_count - 1, run->count, run->expected);
}

/* Adds values to the samples of the last measurement. */
static bool add_values(struct lab_import_run *run, const json_t *values, struct lab_error *error)
{
    if (!lab_samples_check(run->measurement, values, error))
        return false;
    for (size_t i = 0; run->samples != NULL && i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        run->samples[run->count + i] = lab_number_or_nan(value);
    }
    run->count += json_array_size(values);
    if (run->samples != NULL && run->expected > 0 && run->count == run->expected)
        run->measurements[run->row.measurement_count - 1].shape =
            lab_import_memory_keep(&run->memory, lab_shape_text(run->samples, run->count));
    return true;
}

/* Whether no measurement before this one, at `position`, is of its point and metric. A table or comparison would show
 * one of them only. In a run that compared two requests, a side measures a point once for each point of the other. */
static bool check_point(struct lab_import_run *run, const json_t *line, size_t position, struct lab_error *error)
{
    if (json_is_string(json_object_get(line, "side")))
        return true;
    json_t *point = json_pack("[O, O]", json_object_get(line, "axes"), json_object_get(line, "metric"));
    char *key = json_dumps(point, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(point);
    if (run->points == NULL)
        run->points = json_object();
    const json_t *before = key != NULL ? json_object_get(run->points, key) : NULL;
    bool known = before != NULL;
    if (!known && json_object_set_new(run->points, key, json_integer((json_int_t)position)) != 0)
        run->memory.failed = true;
    free(key);
    return known ? lab_error_set(error, LAB_ERROR_DUPLICATE, "",
                                 "Measurement %zu has the axes and the metric of measurement %lld.", position,
                                 (long long)json_integer_value(before))
                 : !run->memory.failed;
}

/* Allocates memory for the samples of the last measurement. */
static bool begin_samples(struct lab_import_run *run, struct lab_measurement_row *row, struct lab_error *error)
{
    run->expected = row->sample_count;
    run->count = 0;
    run->sample_count += row->sample_count;
    if (run->sample_count > RUN_SAMPLES_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "The run has more than %d samples.", RUN_SAMPLES_MAX);
    run->samples = lab_import_memory_keep(&run->memory, malloc((run->expected + 1) * sizeof *run->samples));
    row->samples = run->samples;
    return true;
}

static bool import_run_add_measurement(struct lab_import_run *run, json_t *line, struct lab_error *error)
{
    size_t position = run->row.measurement_count;
    const json_t *given = json_object_get(line, "position"), *samples = json_object_get(line, "samples");
    if ((int64_t)position >= run->row.run.measurement_count)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                             "The run has more measurements than its 'measurement_count', %lld.",
                             (long long)run->row.run.measurement_count);
    if (!check_samples(run, error) ||
        !reserve(run, (void **)&run->measurements, sizeof *run->measurements, position, &run->measurement_capacity))
        return false;
    struct lab_measurement_row *row = &run->measurements[run->row.measurement_count++];
    if (!lab_import_read_measurement(line, run->is_document, run->experiment, row, &run->memory, error))
        return false;
    if (!run->is_document && json_integer_value(given) != (json_int_t)position)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                             "'position' is %lld; the next measurement of the run is %zu.",
                             (long long)json_integer_value(given), position);
    if (!check_point(run, line, position, error))
        return false;
    row->position = (int64_t)position;
    json_decref(run->measurement);
    run->measurement = json_incref(line);
    if (run->headlines != NULL)
        lab_headlines_consider(run->headlines, line);
    return begin_samples(run, row, error) && (!run->is_document || add_values(run, samples, error));
}

static bool add_samples(struct lab_import_run *run, json_t *line, struct lab_error *error)
{
    struct lab_import_samples samples;
    if (!lab_import_read_samples(line, &samples, error))
        return false;
    if (samples.position != (int64_t)run->row.measurement_count - 1 || samples.first != run->count ||
        json_array_size(samples.values) > run->expected - run->count)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                             "The samples do not continue those before, or are more than the measurement says.");
    return add_values(run, samples.values, error);
}

static bool add_span(struct lab_import_run *run, json_t *line, struct lab_error *error)
{
    if (run->row.span_count == LAB_SPANS_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "The run has more than %d spans.", LAB_SPANS_MAX);
    return reserve(run, (void **)&run->spans, sizeof *run->spans, run->row.span_count, &run->span_capacity) &&
           lab_import_read_span(line, run->is_document, &run->spans[run->row.span_count++], &run->memory, error);
}

static bool add_field(struct lab_import_run *run, json_t *line, struct lab_error *error)
{
    if (run->row.field_count == LAB_FIELDS_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "The run has more than %d fields.", LAB_FIELDS_MAX);
    return reserve(run, (void **)&run->fields, sizeof *run->fields, run->row.field_count, &run->field_capacity) &&
           lab_import_read_field(line, run->is_document, &run->fields[run->row.field_count++], &run->memory, error);
}

static bool import_run_add_comment(struct lab_import_run *run, json_t *line, struct lab_error *error)
{
    if (run->row.comment_count == LAB_COMMENTS_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "The run has more than %d comments.",
                             LAB_COMMENTS_MAX);
    return reserve(run, (void **)&run->comments, sizeof *run->comments, run->row.comment_count,
                   &run->comment_capacity) &&
           lab_import_read_comment(line, &run->comments[run->row.comment_count++], &run->memory, error);
}

typedef bool adder(struct lab_import_run *run, json_t *line, struct lab_error *error);

bool lab_import_run_add(struct lab_import_run *run, enum lab_import_type type, json_t *line, struct lab_error *error)
{
    static adder *const adders[] = {[LAB_LINE_MEASUREMENT] = import_run_add_measurement,
                                    [LAB_LINE_SAMPLES] = add_samples,
                                    [LAB_LINE_SPAN] = add_span,
                                    [LAB_LINE_FIELD] = add_field,
                                    [LAB_LINE_COMMENT] = import_run_add_comment};
    const char *id = json_string_value(json_object_get(line, "run"));
    if (type >= sizeof adders / sizeof *adders || adders[type] == NULL)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "",
                             "'type' must be run, measurement, samples, span, field, comment, mark or end.");
    if (id == NULL || strcmp(id, run->row.run.id) != 0)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "'run' must be that of the run before: %s.",
                             run->row.run.id);
    return adders[type](run, line, error);
}

/* Adds the items of a list of a document. */
static bool add_all(struct lab_import_run *run, const json_t *document, const char *name, adder *add,
                    struct lab_error *error)
{
    struct lab_error inner;
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(document, name), index, item)
    {
        if (!add(run, item, &inner))
            return run->memory.failed ||
                   lab_error_set(error, inner.code, "", "'%s', item %zu: %s", name, index + 1, inner.detail);
    }
    return true;
}

bool lab_import_run_read_document(struct lab_import_run *run, const json_t *document, struct lab_error *error)
{
    if (!begin(run, document, true, error))
        return false;
    run->has_spans = json_object_get(document, "spans") != NULL;
    run->has_fields = json_object_get(document, "fields") != NULL;
    return add_all(run, document, "measurements", import_run_add_measurement, error) &&
           add_all(run, document, "spans", add_span, error) && add_all(run, document, "fields", add_field, error);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* Replaces the headlines, which an older version may have picked by other rules, by those that this one picks. */
static void pick_headlines(struct lab_import_run *run)
{
    json_t *list = run->headlines != NULL ? lab_headlines_so_far(run->headlines) : NULL;
    if (json_array_size(list) > 0)
        run->row.run.headline = lab_import_memory_keep(&run->memory, json_dumps(list, JSON_COMPACT));
    json_decref(list);
}

enum lab_store_result lab_import_run_store(struct lab_import_run *run, struct lab_store *store,
                                           enum lab_import_outcome *outcome, struct lab_error *error)
{
    bool added = false;
    *outcome = LAB_IMPORT_REFUSED;
    if (run->memory.failed)
        return lab_store_no_memory();
    if (!check_samples(run, error))
        return LAB_STORE_OK;
    if ((int64_t)run->row.measurement_count != run->row.run.measurement_count) {
        lab_error_set(error, LAB_ERROR_INCOMPLETE, "",
                      "The run has %zu measurements; its 'measurement_count' says %lld.", run->row.measurement_count,
                      (long long)run->row.run.measurement_count);
        return LAB_STORE_OK;
    }
    pick_headlines(run);
    run->row.measurements = run->measurements;
    run->row.spans = run->spans;
    run->row.fields = run->fields;
    run->row.comments = run->comments;
    enum lab_store_result result = lab_store_import_run(store, &run->row, &added);
    if (result == LAB_STORE_CONFLICT) {
        lab_error_set(error, LAB_ERROR_REFUSED, "", "The run cannot be stored: %s.", lab_store_message(store));
        return LAB_STORE_OK;
    }
    if (result == LAB_STORE_OK && !added && run->row.of_file)
        *outcome = LAB_IMPORT_SKIPPED;
    else if (result == LAB_STORE_OK && !added)
        return lab_import_run_complete(run, store, outcome, error);
    if (added)
        *outcome = LAB_IMPORT_ADDED;
    return result;
}

void lab_import_run_release(struct lab_import_run *run)
{
    lab_import_memory_release(&run->memory);
    json_decref(run->measurement);
    json_decref(run->points);
    lab_headlines_free(run->headlines);
    free(run->measurements);
    free(run->spans);
    free(run->fields);
    free(run->comments);
    *run = (struct lab_import_run){0};
}
