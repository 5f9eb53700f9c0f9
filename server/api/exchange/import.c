/* POST /api/v1/import: adds the runs of an export. Each run is added whole or not at all; the answer lists every line that is
 * wrong. Runs that the lab has are skipped, so an import can be repeated.
 */
#include "import_line.h"
#include "resources.h"

#include "analysis/environment.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LINE_MAX_BYTES: of a line. RUN_SAMPLES_MAX: of a run, which is kept in memory until it is complete. */
enum { LINE_MAX_BYTES = 1 << 20, ERRORS_MAX = 100, RUN_SAMPLES_MAX = 100000000 };

/* An id may be this much later than now, because clocks differ. */
static const int64_t future_us = INT64_C(86400) * 1000000;

/* The run whose lines are being read. */
struct run {
    struct lab_imported_run row;
    struct lab_import_memory memory; /* of all its rows */
    struct lab_measurement_row *measurements;
    struct lab_span_row *spans;
    const char **fields;
    size_t measurement_capacity, span_capacity, field_capacity, sample_count;
    double *samples;        /* of the last measurement; NULL: none */
    size_t expected, count; /* of those: how many there must be, and are */
    bool is_good;           /* no line was wrong so far */
    bool is_known;          /* the lab has it: it is skipped */
};

struct import {
    struct lab_store *store;
    FILE *file;
    char *text;    /* the current line */
    int64_t line;  /* its number, from 1 */
    json_t *value; /* it as JSON; NULL: it is no JSON object */
    json_t *errors;
    json_int_t imported, skipped, runs; /* runs: lines of this type */
    bool ended;                         /* the line of type end was read */
    struct run run;
};

static bool add_error_at(struct import *import, int64_t line, const char *format, const char *detail)
{
    if (json_array_size(import->errors) < ERRORS_MAX)
        json_array_append_new(
            import->errors, json_pack("{s:I, s:o}", "line", (json_int_t)line, "detail", json_sprintf(format, detail)));
    return false;
}

static bool add_error(struct import *import, const char *format, const char *detail)
{
    return add_error_at(import, import->line, format, detail);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Reads the rest of a line that is too long. */
static void skip_line(const struct import *import)
{
    int character;
    do {
        character = getc_unlocked(import->file);
    } while (character != '\n' && character != EOF);
}

/* Reads the next line; false at the end of the file. A line that is not a JSON object is an error, and `value` is NULL. */
static bool read_line(struct import *import)
{
    json_error_t reason;
    json_decref(import->value);
    import->value = NULL;
    if (fgets(import->text, LINE_MAX_BYTES + 2, import->file) == NULL)
        return false;
    import->line++;
    size_t length = strlen(import->text);
    if (length == LINE_MAX_BYTES + 1 && import->text[length - 1] != '\n') {
        skip_line(import);
        add_error(import, "%s", "The line is longer than 1 MiB.");
        return true;
    }
    import->value = json_loadb(import->text, length, JSON_REJECT_DUPLICATES, &reason);
    if (import->value == NULL) {
        add_error(import, "The line is not JSON: %s.", reason.text);
    } else if (!json_is_object(import->value)) {
        add_error(import, "%s", "The line is not a JSON object.");
        json_decref(import->value);
        import->value = NULL;
    }
    return true;
}

/* --- the parts of a run ------------------------------------------------------------------------------------------- */

/* Grows the array so that it can hold one more item. False when out of memory. */
static bool reserve(void **items, size_t size, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t larger = *capacity > 0 ? 2 * *capacity : 64;
    void *moved = realloc(*items, larger * size);
    if (moved == NULL)
        return false;
    *items = moved;
    *capacity = larger;
    return true;
}

/* Allocates memory for the samples that follow the measurement. */
static bool begin_samples(struct import *import, struct lab_measurement_row *row)
{
    struct run *run = &import->run;
    run->expected = row->sample_count;
    run->count = 0;
    run->sample_count += row->sample_count;
    if (run->sample_count > RUN_SAMPLES_MAX)
        return add_error(import, "%s", "The run has more than 10^8 samples.");
    run->samples = lab_import_memory_keep(&run->memory, malloc((run->expected + 1) * sizeof *run->samples));
    row->samples = run->samples;
    return true;
}

static bool add_measurement(struct import *import, struct lab_error *error)
{
    struct run *run = &import->run;
    if (run->count != run->expected)
        return add_error_at(import, import->line - 1, "%s", "The measurement has fewer samples than it says.");
    if (!reserve((void **)&run->measurements, sizeof *run->measurements, run->row.measurement_count,
                 &run->measurement_capacity)) {
        run->memory.failed = true;
        return false;
    }
    struct lab_measurement_row *row = &run->measurements[run->row.measurement_count++];
    return lab_import_read_measurement(import->value, row, &run->memory, error) && begin_samples(import, row);
}

static bool add_samples(struct import *import, struct lab_error *error)
{
    struct run *run = &import->run;
    struct lab_import_samples samples;
    if (!lab_import_read_samples(import->value, &samples, error))
        return false;
    if (samples.first != run->count || samples.count > run->expected - run->count)
        return add_error(import, "%s",
                         "The samples do not continue those before, or are more than the measurement says.");
    for (size_t i = 0; run->samples != NULL && i < samples.count; i++) {
        const json_t *value = json_array_get(samples.values, i);
        run->samples[run->count + i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    run->count += samples.count;
    return true;
}

static bool add_span(struct import *import, struct lab_error *error)
{
    struct run *run = &import->run;
    if (!reserve((void **)&run->spans, sizeof *run->spans, run->row.span_count, &run->span_capacity)) {
        run->memory.failed = true;
        return false;
    }
    return lab_import_read_span(import->value, &run->spans[run->row.span_count++], &run->memory, error);
}

static bool add_field(struct import *import, struct lab_error *error)
{
    struct run *run = &import->run;
    if (!reserve((void **)&run->fields, sizeof *run->fields, run->row.field_count, &run->field_capacity)) {
        run->memory.failed = true;
        return false;
    }
    return lab_import_read_field(import->value, &run->fields[run->row.field_count++], &run->memory, error);
}

/* Takes a line that belongs to the current run. */
static void take_part(struct import *import, enum lab_import_type type)
{
    static bool (*const adders[])(struct import * import,
                                  struct lab_error * error) = {[LAB_LINE_MEASUREMENT] = add_measurement,
                                                               [LAB_LINE_SAMPLES] = add_samples,
                                                               [LAB_LINE_SPAN] = add_span,
                                                               [LAB_LINE_FIELD] = add_field};
    struct run *run = &import->run;
    struct lab_error error = {0};
    const char *id = json_string_value(json_object_get(import->value, "run"));
    if (import->runs == 0)
        add_error(import, "%s", "The line belongs to no run: a line of type run must come before it.");
    if (run->row.run.id == NULL || run->is_known)
        return;
    if (type == LAB_LINE_UNKNOWN)
        run->is_good = add_error(import, "%s", "'type' must be run, measurement, samples, span, field or end.");
    else if (id == NULL || strcmp(id, run->row.run.id) != 0)
        run->is_good = add_error(import, "'run' must be that of the run before: %s.", run->row.run.id);
    else if (!adders[type](import, &error))
        run->is_good = error.detail[0] != '\0' ? add_error(import, "%s", error.detail) : false;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static void ignore_run(void *context, const struct lab_run_row *row)
{
    (void)context;
    (void)row;
}

/* Checks what the store relies on beside the types of the members. */
static bool check_run(struct import *import, const struct lab_run_row *row)
{
    int64_t at = 0, latest = lab_time_now() + future_us;
    if (!lab_run_id_time(row->id, &at))
        return add_error(import, "'id' must be a UUID of version 7; it is '%s'.", row->id);
    if (at > latest || row->created_at > latest)
        return add_error(import, "%s", "'id' and 'created_at' must not be in the future.");
    return true;
}

/* Begins the run of the current line. Returns LAB_STORE_OK also if the line is wrong; the run has then no id. */
static enum lab_store_result begin_run(struct import *import)
{
    struct run *run = &import->run;
    struct lab_error error = {0};
    const json_t *environment = json_object_get(import->value, "environment");
    *run = (struct run){.is_good = true};
    import->runs++;
    if (!lab_import_read_run(import->value, &run->row.run, &run->memory, &error)) {
        add_error(import, "%s", error.detail);
        run->row.run.id = NULL;
        return LAB_STORE_OK;
    }
    if (run->memory.failed)
        return LAB_STORE_FAILED;
    if (json_is_object(environment))
        run->row.environment_key = lab_import_memory_keep(&run->memory, lab_environment_key(environment));
    run->is_good = check_run(import, &run->row.run);
    enum lab_store_result result = lab_store_get_run(import->store, run->row.run.id, ignore_run, NULL);
    run->is_known = result == LAB_STORE_OK && run->is_good;
    import->skipped += run->is_known;
    return result == LAB_STORE_NOT_FOUND ? LAB_STORE_OK : result;
}

/* Checks that all lines of the run have come; the last one is number `line`. */
static bool check_end(struct import *import, int64_t line)
{
    const struct run *run = &import->run;
    if (run->count != run->expected)
        return add_error_at(import, line, "%s", "The measurement has fewer samples than it says.");
    if ((int64_t)run->row.measurement_count != run->row.run.measurement_count)
        return add_error_at(
            import, line, "%s",
            "The run that ends with this line has not as many measurements as 'measurement_count' says.");
    return true;
}

/* Stores the current run, whose last line is number `line`, unless a line was wrong. */
static enum lab_store_result end_run(struct import *import, int64_t line)
{
    struct run *run = &import->run;
    bool added = false;
    enum lab_store_result result = run->memory.failed ? LAB_STORE_FAILED : LAB_STORE_OK;
    if (result == LAB_STORE_OK && run->row.run.id != NULL && run->is_good && !run->is_known &&
        check_end(import, line)) {
        run->row.measurements = run->measurements;
        run->row.spans = run->spans;
        run->row.fields = run->fields;
        result = lab_store_import_run(import->store, &run->row, &added);
    }
    import->imported += added;
    lab_import_memory_free(&run->memory);
    free(run->measurements);
    free(run->spans);
    free(run->fields);
    *run = (struct run){0};
    return result;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void take_end(struct import *import)
{
    const json_t *runs = json_object_get(import->value, "runs");
    import->ended = true;
    if (!json_is_integer(runs) || json_integer_value(runs) != import->runs)
        add_error(import, "%s", "'runs' is not the number of runs before this line: the file is incomplete.");
}

static enum lab_store_result take_line(struct import *import)
{
    enum lab_import_type type = lab_import_type(import->value);
    enum lab_store_result result = LAB_STORE_OK;
    if (import->ended)
        add_error(import, "%s", "The line comes after the line of type end.");
    else if (type == LAB_LINE_RUN || type == LAB_LINE_END)
        result = end_run(import, import->line - 1);
    else
        take_part(import, type);
    if (result == LAB_STORE_OK && !import->ended && type == LAB_LINE_RUN)
        result = begin_run(import);
    if (!import->ended && type == LAB_LINE_END)
        take_end(import);
    return result;
}

static enum lab_store_result read_file(struct import *import)
{
    enum lab_store_result result = LAB_STORE_OK;
    while (result == LAB_STORE_OK && read_line(import)) {
        if (import->value == NULL)
            import->run.is_good = false;
        else
            result = take_line(import);
    }
    enum lab_store_result last = end_run(import, import->line);
    if (result == LAB_STORE_OK && !import->ended)
        add_error(import, "%s", "The file has no line of type end: it is incomplete.");
    return result == LAB_STORE_OK ? last : result;
}

void lab_api_import(const struct lab_request *request, struct lab_response *response)
{
    struct import import = {.store = lab_api_of(request)->store,
                            .file = lab_request_body_file(request),
                            .text = malloc(LINE_MAX_BYTES + 2),
                            .errors = json_array()};
    enum lab_store_result result = import.text != NULL ? read_file(&import) : LAB_STORE_FAILED;
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 200,
                         json_pack("{s:I, s:I, s:O}", "imported", import.imported, "skipped", import.skipped, "errors",
                                   import.errors));
    else
        lab_reply_store_error(request, response, result);
    json_decref(import.value);
    json_decref(import.errors);
    free(import.text);
}
