/* Compares a run of an import with the one of the same id that the lab has. Both become the JSON of an export, whose
 * members are compared one by one, so that a member that is added to exports is compared too.
 *
 * `revision` is not compared: it counts the changes of the run in its lab, such as pins that were taken back. Numbers
 * are equal if their first 14 digits are, because documents of runs have 15.
 */
#include "export_line.h"
#include "import_run.h"

#include "core/clock.h"
#include "core/json_text.h"

#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_TEXT = 64, NAME = 48, SAMPLES = 4096 };

static const int64_t day_us = INT64_C(86400) * 1000000;

struct comparison {
    const struct lab_import_run *run; /* of the import */
    struct lab_error *error;
    bool differs;                 /* *error says where; what follows is not compared */
    int64_t revision, created_at; /* of the lab's run */
    bool is_moved;                /* its time of creation is another one, less than a day away */
    int64_t position;             /* of the next measurement, span or field */
    size_t *stored;               /* how many samples each measurement has in the lab */
};

/* --- values ------------------------------------------------------------------------------------------------------- */

static bool is_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-14 * fmax(fabs(a), fabs(b));
}

/* Whether the values are equal. If not, appends the names of the members to `pointer` that lead to the difference, and
 * sets the values there; NULL: none. */
static bool is_same(const json_t **lab, const json_t **file, char pointer[LAB_POINTER_MAX])
{
    const json_t *a = *lab, *b = *file;
    const char *name;
    json_t *value;
    if (json_is_number(a) && json_is_number(b))
        return is_same_number(json_number_value(a), json_number_value(b));
    if (json_is_object(a) && json_is_object(b)) {
        for (int side = 0; side < 2; side++) { /* the second time for members that only `b` has */
            json_object_foreach((json_t *)(uintptr_t)(side == 0 ? a : b), name, value)
            {
                *lab = json_object_get(a, name);
                *file = json_object_get(b, name);
                size_t length = strlen(pointer);
                lab_pointer_append(pointer, LAB_POINTER_MAX, name, strlen(name));
                if (!is_same(lab, file, pointer))
                    return false;
                pointer[length] = '\0';
            }
        }
        return true;
    }
    if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b))
        return a == b || (a != NULL && b != NULL && json_equal(a, b));
    for (size_t i = 0; i < json_array_size(a); i++) {
        *lab = json_array_get(a, i);
        *file = json_array_get(b, i);
        size_t length = strlen(pointer);
        lab_pointer_append_index(pointer, LAB_POINTER_MAX, i);
        if (!is_same(lab, file, pointer))
            return false;
        pointer[length] = '\0';
    }
    return true;
}

/* Writes a value as JSON, cut where it is long. */
static void write_value(const json_t *value, char text[VALUE_TEXT])
{
    char *whole = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;
    const char *shown = whole != NULL ? whole : "missing";
    bool is_cut = strlen(shown) >= VALUE_TEXT;
    lab_utf8_copy(text, is_cut ? VALUE_TEXT - 4 : VALUE_TEXT, shown);
    if (is_cut)
        strcat(text, "…");
    free(whole);
}

/* Notes the first difference. `what` names the value that differs. */
static void differ(struct comparison *comparison, const char *what, const char *lab, const char *file)
{
    if (!comparison->differs)
        lab_error_set(comparison->error, LAB_ERROR_DIFFERENT_RUN, "",
                      "The lab has another run %s: %s is %s there and %s in the file.", comparison->run->row.run.id,
                      what, lab, file);
    comparison->differs = true;
}

/* Compares two documents; takes the references. `of` names what they are of: "measurement 3: "; "" for the run
 * itself. */
static void compare(struct comparison *comparison, const char *of, json_t *lab, json_t *file)
{
    const json_t *there = lab, *here = file;
    char pointer[LAB_POINTER_MAX] = "", what[LAB_POINTER_MAX + NAME], a[VALUE_TEXT], b[VALUE_TEXT];
    if (!comparison->differs && !is_same(&there, &here, pointer)) {
        write_value(there, a);
        write_value(here, b);
        snprintf(what, sizeof what, "%s'%s'", of, pointer[0] == '/' ? pointer + 1 : pointer);
        differ(comparison, what, a, b);
    }
    json_decref(lab);
    json_decref(file);
}

/* Says that there are more or fewer of something. */
static void compare_counts(struct comparison *comparison, const char *what, size_t lab, size_t file)
{
    char a[VALUE_TEXT], b[VALUE_TEXT];
    snprintf(a, sizeof a, "%zu", lab);
    snprintf(b, sizeof b, "%zu", file);
    if (lab != file)
        differ(comparison, what, a, b);
}

/* --- the parts of the run ----------------------------------------------------------------------------------------- */

static void compare_run(struct comparison *comparison, const struct lab_run_row *row)
{
    struct lab_run_row given = comparison->run->row.run;
    comparison->revision = row->revision;
    comparison->created_at = row->created_at;
    comparison->is_moved = row->created_at != given.created_at && llabs(row->created_at - given.created_at) < day_us;
    if (comparison->is_moved) {
        given.created_at = row->created_at;
        given.started_at = lab_raise_time(given.started_at, given.created_at);
        given.finished_at = lab_raise_time(given.finished_at, given.created_at);
    }
    json_t *lab = lab_export_run(row), *file = lab_export_run(&given);
    json_object_del(lab, "revision");
    json_object_del(file, "revision");
    json_object_del(lab, "headline"); /* follows from the measurements; versions pick it by other rules */
    json_object_del(file, "headline");
    if (row->estimate_s == 0 || given.estimate_s == 0) { /* unknown: a document has none */
        json_object_del(lab, "estimate_s");
        json_object_del(file, "estimate_s");
    }
    compare(comparison, "", lab, file);
}

static void count_run(void *context, const struct lab_run_row *row)
{
    size_t *count = context;
    (void)row;
    ++*count;
}

/* Checks a time of creation that differs: when a run is added, the store moves it to that of the run before or after,
 * because clocks are adjusted. */
static enum lab_store_result compare_creation(struct comparison *comparison, struct lab_store *store)
{
    char lab[LAB_TIME_SIZE], file[LAB_TIME_SIZE];
    size_t count = 0;
    bool more;
    const struct lab_run_filter same = {
        .since = comparison->created_at, .until = comparison->created_at + 1, .limit = 2};
    if (!comparison->is_moved || comparison->differs)
        return LAB_STORE_OK;
    enum lab_store_result result = lab_store_list_runs(store, &same, count_run, &count, &more);
    lab_time_text(comparison->created_at, lab);
    lab_time_text(comparison->run->row.run.created_at, file);
    if (result == LAB_STORE_OK && count < 2)
        differ(comparison, "'created_at'", lab, file);
    return result;
}

/* Without what follows from the samples and the quartiles: exports of older versions lack the shape and have another
 * noise. */
static json_t *comparable(const struct lab_measurement_row *row)
{
    json_t *measurement = lab_export_measurement(row);
    json_object_del(measurement, "shape");
    json_object_del(measurement, "noise");
    return measurement;
}

/* Takes the next of `count` parts of the file: its index in *at and its name in `of`. False when the lab has more. */
static bool take_next(struct comparison *comparison, const char *part, size_t count, size_t *at, char of[NAME])
{
    *at = (size_t)comparison->position++;
    snprintf(of, NAME, "%s %zu: ", part, *at);
    return *at < count;
}

static void compare_measurement(void *context, const struct lab_measurement_row *row)
{
    struct comparison *comparison = context;
    char of[NAME];
    size_t at;
    if (!take_next(comparison, "measurement", comparison->run->row.measurement_count, &at, of))
        return;
    comparison->stored[at] = row->sample_count;
    compare(comparison, of, comparable(row), comparable(&comparison->run->measurements[at]));
}

static void compare_span(void *context, const struct lab_span_row *row)
{
    struct comparison *comparison = context;
    char of[NAME];
    size_t at;
    if (!take_next(comparison, "span", comparison->run->row.span_count, &at, of))
        return;
    compare(comparison, of, lab_export_span(row), lab_export_span(&comparison->run->spans[at]));
}

static void compare_field(void *context, const char *content)
{
    struct comparison *comparison = context;
    char of[NAME];
    size_t at;
    if (!take_next(comparison, "field", comparison->run->row.field_count, &at, of))
        return;
    compare(comparison, of, lab_json_stored(content), lab_json_stored(comparison->run->fields[at]));
}

/* Compares the samples of a measurement, which both have. */
static enum lab_store_result compare_samples(struct comparison *comparison, struct lab_store *store,
                                             const struct lab_measurement_row *row)
{
    double values[SAMPLES];
    char what[NAME], a[VALUE_TEXT], b[VALUE_TEXT];
    size_t total = 0;
    for (size_t first = 0; first < row->sample_count && !comparison->differs; first += SAMPLES) {
        enum lab_store_result result =
            lab_store_read_samples(store, comparison->run->row.run.id, row->position, first, SAMPLES, values, &total);
        if (result != LAB_STORE_OK)
            return result;
        for (size_t i = first; i < row->sample_count && i < first + SAMPLES && i < total; i++) {
            if (is_same_number(values[i - first], row->samples[i]))
                continue;
            snprintf(what, sizeof what, "sample %zu of measurement %lld", i, (long long)row->position);
            snprintf(a, sizeof a, "%.15g", values[i - first]);
            snprintf(b, sizeof b, "%.15g", row->samples[i]);
            differ(comparison, what, a, b);
        }
    }
    return LAB_STORE_OK;
}

static enum lab_store_result compare_all(struct comparison *comparison, struct lab_store *store)
{
    const struct lab_import_run *run = comparison->run;
    const char *id = run->row.run.id;
    struct lab_run_row *known;
    enum lab_store_result result = lab_store_get_run(store, id, &known);
    if (result == LAB_STORE_OK) {
        compare_run(comparison, known);
        result = compare_creation(comparison, store);
    }
    free(known);
    if (result == LAB_STORE_OK && !comparison->differs)
        result = lab_store_list_measurements(store, id, 0, SIZE_MAX, compare_measurement, comparison);
    comparison->position = 0;
    if (result == LAB_STORE_OK && !comparison->differs && run->has_spans) {
        result = lab_store_list_spans(store, id, 0, SIZE_MAX, compare_span, comparison);
        compare_counts(comparison, "the number of spans", (size_t)comparison->position, run->row.span_count);
    }
    comparison->position = 0;
    if (result == LAB_STORE_OK && !comparison->differs && run->has_fields) {
        result = lab_store_list_fields(store, id, 0, SIZE_MAX, compare_field, comparison);
        compare_counts(comparison, "the number of fields", (size_t)comparison->position, run->row.field_count);
    }
    return result;
}

/* --- completing --------------------------------------------------------------------------------------------------- */

/* Adds the samples that only the import has, after a comparison that found no difference. */
static enum lab_store_result add_missing(struct comparison *comparison, struct lab_store *store,
                                         enum lab_import_outcome *outcome)
{
    const struct lab_import_run *run = comparison->run;
    struct lab_measurement_row *missing = calloc(run->row.measurement_count + 1, sizeof *missing);
    enum lab_store_result result = missing != NULL ? LAB_STORE_OK : lab_store_no_memory();
    size_t count = 0;
    for (size_t i = 0; result == LAB_STORE_OK && i < run->row.measurement_count; i++) {
        if (run->measurements[i].sample_count > 0 && comparison->stored[i] == 0)
            missing[count++] = run->measurements[i];
        else if (comparison->stored[i] > 0)
            result = compare_samples(comparison, store, &run->measurements[i]);
    }
    if (result == LAB_STORE_OK && !comparison->differs) {
        *outcome = count > 0 ? LAB_IMPORT_COMPLETED : LAB_IMPORT_SKIPPED;
        if (count > 0)
            result = lab_store_add_samples(store, run->row.run.id, comparison->revision, missing, count);
    }
    free(missing);
    return result;
}

enum lab_store_result lab_import_run_complete(const struct lab_import_run *run, struct lab_store *store,
                                              enum lab_import_outcome *outcome, struct lab_error *error)
{
    struct comparison comparison = {.run = run, .error = error};
    *outcome = LAB_IMPORT_REFUSED;
    comparison.stored = calloc(run->row.measurement_count + 1, sizeof *comparison.stored);
    if (comparison.stored == NULL)
        return lab_store_no_memory();
    enum lab_store_result result = compare_all(&comparison, store);
    if (result == LAB_STORE_OK && !comparison.differs)
        result = add_missing(&comparison, store, outcome);
    free(comparison.stored);
    if (result != LAB_STORE_NOT_FOUND && result != LAB_STORE_CONFLICT)
        return result;
    *outcome = LAB_IMPORT_REFUSED;
    lab_error_set(error, LAB_ERROR_CONFLICT, "", "Run %s was changed meanwhile; import the file again.",
                  run->row.run.id);
    return LAB_STORE_OK;
}
