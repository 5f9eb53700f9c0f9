/* Makes of a result file the document of a run, which is then imported as any other. What the file does not say is a
 * note of the run, so that nobody takes it for measured.
 */
#include "import_file.h"

#include "auth/secret.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "core/order.h"
#include "descriptor/metric.h"
#include "descriptor/results.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct content {
    char *text;
    size_t size;
};

/* --- the file ----------------------------------------------------------------------------------------------------- */

static bool read_all(FILE *file, const struct lab_error *unreadable, struct content *content, struct lab_errors *errors)
{
    size_t capacity = 1 << 16, read = 1;
    content->text = malloc(capacity);
    while (content->text != NULL && read > 0 && content->size <= LAB_RESULT_SIZE_MAX) {
        if (content->size == capacity) {
            char *larger = realloc(content->text, capacity *= 2);
            if (larger == NULL)
                free(content->text);
            content->text = larger;
            continue;
        }
        read = fread(content->text + content->size, 1, capacity - content->size, file);
        content->size += read;
    }
    if (content->text == NULL)
        return lab_errors_add(errors, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
    if (content->size > LAB_RESULT_SIZE_MAX)
        return lab_errors_add(errors, LAB_ERROR_TOO_LONG, "", "The file must have at most %d bytes.",
                              LAB_RESULT_SIZE_MAX);
    return !ferror(file) ||
           lab_errors_add(errors, LAB_ERROR_MALFORMED_BODY, "", "%s",
                          unreadable->detail[0] != '\0' ? unreadable->detail : "The file cannot be read.");
}

/* --- measurements ------------------------------------------------------------------------------------------------- */

/* The figures of samples, or those that the file has instead. */
static struct lab_summary summary_of(const struct lab_result_measurement *measurement)
{
    const struct lab_result_figures *figures = &measurement->figures;
    struct lab_summary summary;
    if (measurement->sample_count > 0)
        lab_summarise(measurement->samples, measurement->sample_count, &summary);
    else
        summary = (struct lab_summary){.n = figures->n,
                                       .median = lab_result_figures_value(figures),
                                       .q1 = figures->q1,
                                       .q3 = figures->q3,
                                       .min = figures->min,
                                       .max = figures->max,
                                       .mean = figures->mean,
                                       .stdev = figures->stdev,
                                       .noise = lab_noise(figures->median, figures->q1, figures->q3)};
    return summary;
}

static json_t *samples_of(const struct lab_result_measurement *measurement)
{
    json_t *samples = json_array();
    for (size_t i = 0; i < measurement->sample_count; i++)
        json_array_append_new(samples, json_real(measurement->samples[i]));
    return samples;
}

/* The measurement as a document has it: what gpulab would have recorded beside the figures is null. */
static json_t *measurement_json(const struct lab_result_measurement *measurement)
{
    struct lab_summary summary = summary_of(measurement);
    json_t *json = json_object();
    for (const struct lab_schema *member = lab_measurement_members; member->name != NULL; member++)
        if (member->required)
            json_object_set_new(json, member->name, json_null());
    json_t *known =
        json_pack("{s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "axes",
                  lab_result_axes(measurement->axes), "metric", measurement->metric, "unit", measurement->unit, "n",
                  (json_int_t)summary.n, "median", lab_json_real_or_null(summary.median), "q1",
                  lab_json_real_or_null(summary.q1), "q3", lab_json_real_or_null(summary.q3), "min",
                  lab_json_real_or_null(summary.min), "max", lab_json_real_or_null(summary.max), "mean",
                  lab_json_real_or_null(summary.mean), "stdev", lab_json_real_or_null(summary.stdev), "noise",
                  lab_json_real_or_null(summary.noise), "samples", samples_of(measurement));
    json_object_update(json, known);
    json_decref(known);
    if (measurement->wrong >= 0) {
        json_object_set_new(json, "verified", json_boolean(measurement->wrong == 0));
        json_object_set_new(json, "wrong", json_integer(measurement->wrong));
    }
    return json;
}

static json_t *measurements_json(const struct lab_result_file *file)
{
    json_t *list = json_array();
    for (size_t i = 0; i < file->count; i++)
        json_array_append_new(list, measurement_json(&file->measurements[i]));
    return list;
}

/* The first measurement of the file stands for the run in lists and histories. */
static json_t *headline_json(const struct lab_result_file *file)
{
    if (file->count == 0)
        return json_null();
    const struct lab_result_measurement *first = &file->measurements[0];
    bool is_lowest = lab_metric_better(first->metric, first->unit) == LAB_BETTER_LOWER;
    return json_pack("[{s:s, s:s, s:s, s:o, s:o, s:b}]", "title", first->metric, "metric", first->metric, "unit",
                     first->unit, "value", lab_json_real_or_null(summary_of(first).median), "axes",
                     lab_result_axes(first->axes), "lowest", is_lowest);
}

/* --- where and when ----------------------------------------------------------------------------------------------- */

/* The name of the machine: "" where it is not known. A new reference. */
static json_t *host_json(const struct lab_result_file *file, const struct lab_import_origin *origin)
{
    const char *host = origin->host != NULL ? origin->host : json_string_value(json_array_get(file->hosts, 0));
    return json_string(host != NULL ? host : "");
}

/* The devices: without one the machine is the device. */
static json_t *devices_json(const struct lab_result_file *file, const struct lab_import_origin *origin,
                            const json_t *host)
{
    json_t *devices = json_array(), *names = json_array(), *name;
    size_t index;
    const char *machine = json_string_value(host);
    if (origin->device != NULL)
        json_array_append_new(names, json_string(origin->device));
    else if (json_array_size(file->devices) > 0)
        json_array_extend(names, file->devices);
    else
        json_array_append_new(names, json_string(machine[0] != '\0' ? machine : "unknown device"));
    json_array_foreach(names, index, name)
    {
        json_t *id =
            json_array_size(names) > 1 ? json_sprintf("%s #%zu", json_string_value(name), index) : json_incref(name);
        json_array_append_new(devices, json_pack("{s:o, s:O, s:o}", "id", id, "name", name, "node",
                                                 machine[0] != '\0' ? json_string(machine) : json_null()));
    }
    json_decref(names);
    return devices;
}

/* The versions of the tool and of what it used. */
static json_t *environment_json(const struct lab_result_file *file, const struct lab_result_format *format)
{
    json_t *libraries = json_copy(file->versions);
    if (file->version != NULL)
        json_object_set_new(libraries, format->name, json_string(file->version));
    return json_object_size(libraries) > 0 ? json_pack("{s:o}", "libraries", libraries)
                                           : (json_decref(libraries), json_null());
}

/* How many measurements have a mean and no median. */
static size_t count_means(const struct lab_result_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++)
        count += file->measurements[i].sample_count == 0 && isnan(file->measurements[i].figures.median);
    return count;
}

static json_t *notes_json(const struct lab_result_file *file, const struct lab_import_origin *origin)
{
    json_t *notes = json_array();
    size_t means = count_means(file), dropped = file->notes_dropped, i = 0;
    json_array_append_new(notes, json_sprintf("Imported from a file of %s.", origin->format->title));
    if (origin->at == LAB_NO_TIME && file->at == LAB_NO_TIME)
        json_array_append_new(
            notes, json_string(file->date == NULL ? "The file has no date: the time is that of the import."
                                                  : "The date of the file has no offset from UTC: the time is that of "
                                                    "the import."));
    if (origin->host == NULL && json_array_size(file->hosts) == 0)
        json_array_append_new(notes, json_string("The file does not name the machine."));
    if (origin->device == NULL && json_array_size(file->devices) == 0)
        json_array_append_new(notes, json_string("The file does not name the device."));
    if (means > 0)
        json_array_append_new(notes, json_sprintf("The file has means without medians: the medians of %zu results are "
                                                  "their means.",
                                                  means));
    for (; i < file->note_count && json_array_size(notes) + 1 < LAB_SENTENCES_MAX; i++)
        json_array_append_new(notes, json_sprintf("The file says: %s", file->notes[i]));
    dropped += file->note_count - i;
    if (dropped > 0)
        json_array_append_new(notes, json_sprintf("%zu further notes were left out.", dropped));
    return notes;
}

/* The time of the run. False where it cannot be one. */
static bool find_time(const struct lab_result_file *file, const struct lab_import_origin *origin, int64_t *at,
                      struct lab_errors *errors)
{
    static const int64_t day_us = INT64_C(86400) * 1000000;
    int64_t now = lab_time_now();
    *at = origin->at != LAB_NO_TIME ? origin->at : file->at != LAB_NO_TIME ? file->at : now;
    return (*at >= 0 && *at <= now + day_us) ||
           lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, origin->at != LAB_NO_TIME ? "/query/at" : "",
                          "The results are of a time before 1970 or in the future; 'at' says when they were measured.");
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Sets the members of a run that are the same for all files. */
static json_t *plain_run(void)
{
    return json_pack("{s:i, s:{}, s:[], s:s, s:b, s:s, s:n, s:n, s:n, s:n, s:b, s:[]}", "revision", 1, "parameters",
                     "tags", "note", "", "pinned", 0, "priority", "normal", "compare_with", "time_limit_s",
                     "started_at", "finished_at", "contended", 0, "warnings");
}

/* Why a run has no measurement. */
static json_t *error_json(const struct lab_result_file *file)
{
    return file->count > 0 ? json_null()
                           : json_pack("{s:s, s:s, s:s}", "type", "/problems/no-result", "title", "No result", "detail",
                                       "The file has no measurements; the notes of the run say why.");
}

/* The document of the run with the id, as an import takes it. A new reference. */
static json_t *run_json(const struct lab_result_file *file, const struct lab_import_origin *origin, const char *id,
                        int64_t at)
{
    json_t *run = plain_run(), *host = host_json(file, origin);
    json_t *known =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:s?, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "id", id, "experiment",
                  origin->format->name, "status", file->count > 0 ? "succeeded" : "failed", "devices",
                  devices_json(file, origin, host), "host", host, "requested_by", origin->requested_by, "created_at",
                  lab_json_time_or_null(at), "measurement_count", (json_int_t)file->count, "headline",
                  headline_json(file), "notes", notes_json(file, origin), "error", error_json(file), "environment",
                  environment_json(file, origin->format), "measurements", measurements_json(file));
    json_object_update(run, known);
    json_decref(known);
    return run;
}

static enum lab_store_result store_run(struct lab_store *store, const json_t *document, json_t **answer,
                                       struct lab_errors *errors)
{
    struct lab_import_run run = {0};
    struct lab_error error = {0};
    enum lab_import_outcome outcome = LAB_IMPORT_REFUSED;
    enum lab_store_result result = LAB_STORE_OK;
    char id[LAB_RUN_ID_SIZE];
    bool is_read = lab_import_run_read_document(&run, document, &error);
    if (run.memory.failed)
        result = lab_store_no_memory();
    else if (is_read) {
        run.row.of_file = true;
        snprintf(id, sizeof id, "%s", run.row.run.id);
        result = lab_import_run_store(&run, store, &outcome, &error);
        if (result == LAB_STORE_OK && outcome == LAB_IMPORT_SKIPPED)
            result = lab_store_find_file(store, run.row.run.id, id);
    }
    lab_import_run_release(&run);
    if (result == LAB_STORE_OK && outcome == LAB_IMPORT_REFUSED)
        lab_errors_add(errors, error.code, "", "%s", error.detail);
    else if (result == LAB_STORE_OK)
        *answer = json_pack("{s:i, s:i, s:i, s:[], s:[s]}", "imported", outcome == LAB_IMPORT_ADDED, "completed", 0,
                            "skipped", outcome == LAB_IMPORT_SKIPPED, "errors", "runs", id);
    return result;
}

enum lab_store_result lab_import_file(struct lab_store *store, FILE *file, const struct lab_error *unreadable,
                                      const struct lab_import_origin *origin, json_t **answer,
                                      struct lab_errors *errors)
{
    struct content content = {0};
    struct lab_result_file results = {0};
    enum lab_store_result result = LAB_STORE_OK;
    unsigned char digest[LAB_DIGEST_BYTES];
    char id[LAB_RUN_ID_SIZE];
    int64_t at;
    *answer = NULL;
    if (read_all(file, unreadable, &content, errors) &&
        lab_result_format_read(origin->format, content.text, content.size, &results, errors) &&
        find_time(&results, origin, &at, errors)) {
        lab_secret_digest(content.text, content.size, digest);
        lab_run_id_of_file(at, digest, id);
        json_t *document = run_json(&results, origin, id, at);
        result = store_run(store, document, answer, errors);
        json_decref(document);
    }
    lab_result_file_release(&results);
    free(content.text);
    return result;
}
