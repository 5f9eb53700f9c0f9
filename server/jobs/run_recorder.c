/* Turns the worker's events into rows of the store and published events. The worker is part of gpulab, but its process
 * may be corrupted. Therefore the form of each event is checked before it is stored, and the number of events is
 * bounded.
 */
#include "run_recorder.h"

#include "analysis/environment.h"
#include "core/clock.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/protocol.h"
#include "core/result_rows.h"
#include "core/shape.h"
#include "core/text.h"
#include "descriptor/headline.h"
#include "descriptor/results.h"
#include "run_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double progress_interval_s = 0.1;

static const char tracing_label[] = "tracing";

__attribute__((format(printf, 2, 3))) static void reject(struct lab_run_recorder *recorder, const char *format, ...)
{
    if (recorder->invalid)
        return;
    recorder->invalid = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(recorder->invalid_detail, sizeof recorder->invalid_detail, format, arguments);
    va_end(arguments);
    lab_utf8_drop_invalid(recorder->invalid_detail);
    size_t length = strlen(recorder->invalid_detail);
    if (length > 0 && recorder->invalid_detail[length - 1] == '.') /* it becomes a part of a sentence */
        recorder->invalid_detail[length - 1] = '\0';
    recorder->on_invalid(recorder->context);
}

/* --- measurements, spans and fields ------------------------------------------------------------------------------- */

/* The samples as an array, which the caller frees; NULL when there are none. */
static double *samples_of(const json_t *measurement, size_t *count)
{
    const json_t *list = json_object_get(measurement, "samples");
    *count = json_array_size(list);
    double *samples = *count > 0 ? malloc(*count * sizeof *samples) : NULL;
    if (samples == NULL)
        *count = 0;
    for (size_t i = 0; i < *count; i++) {
        const json_t *value = json_array_get(list, i);
        samples[i] = lab_number_or_nan(value);
    }
    return samples;
}

static void store_measurement(const struct lab_run_recorder *recorder, json_t *measurement)
{
    struct lab_measurement_row row = {0};
    double *samples = samples_of(measurement, &row.sample_count);
    char *shape = lab_shape_text(samples, row.sample_count);
    row.samples = samples;
    json_object_set_new(measurement, "shape", shape != NULL ? lab_json_stored(shape) : json_null());
    free(shape);
    lab_row_from_json(lab_measurement_row_members, &row, measurement);
    lab_store_add_measurement(recorder->store, recorder->run, &row);
    lab_count(&recorder->counters->measurements[row.verified > 0    ? LAB_CHECK_PASSED
                                                : row.verified == 0 ? LAB_CHECK_WRONG
                                                                    : LAB_CHECK_NONE]);
    lab_row_release(lab_measurement_row_members, &row);
    free(samples);
}

static void consider_headlines(struct lab_run_recorder *recorder, json_t *measurement)
{
    if (recorder->headlines == NULL && recorder->experiment != NULL)
        recorder->headlines = lab_headlines_create(recorder->experiment);
    if (recorder->headlines != NULL)
        lab_headlines_consider(recorder->headlines, measurement);
}

void lab_run_recorder_store_headlines(struct lab_run_recorder *recorder)
{
    if (recorder->headlines == NULL)
        return;
    json_t *list = lab_headlines_so_far(recorder->headlines);
    char *text = json_dumps(list, JSON_COMPACT);
    if (text != NULL)
        lab_store_set_headline(recorder->store, recorder->run, text);
    free(text);
    json_decref(list);
}

static void count_result(struct lab_run_recorder *recorder, const char *skipped)
{
    if (skipped == NULL)
        recorder->results++;
    else if (recorder->skip_reason[0] == '\0')
        lab_utf8_copy(recorder->skip_reason, sizeof recorder->skip_reason, skipped);
}

/* Stores and publishes a measurement that was checked. */
static void record_measurement(struct lab_run_recorder *recorder, json_t *measurement)
{
    store_measurement(recorder, measurement);
    json_t *shown = json_copy(measurement); /* shallow, so the samples are not copied before they are removed */
    json_object_del(shown, "samples");
    lab_measurement_add_cautions(shown);
    consider_headlines(recorder, shown);
    lab_events_publish(recorder->events, "measurement", &recorder->about,
                       json_pack("{s:s, s:o}", "run", recorder->run, "measurement", shown));
}

/* Keeps a measurement until it is judged. */
static void withhold(struct lab_run_recorder *recorder, json_t *measurement)
{
    if (recorder->withheld == NULL)
        recorder->withheld = json_array();
    json_array_append(recorder->withheld, measurement);
}

size_t lab_run_recorder_judge(struct lab_run_recorder *recorder, const json_t *verdicts)
{
    size_t index, k, unjudged = 0;
    json_t *measurement, *verdict;
    json_array_foreach(recorder->withheld, index, measurement)
    {
        bool judged = lab_optional_text_of(measurement, "skipped") != NULL;
        json_array_foreach(verdicts, k, verdict)
        {
            if (judged || !json_equal(json_object_get(verdict, "axes"), json_object_get(measurement, "axes")))
                continue;
            json_int_t wrong = json_integer_value(json_object_get(verdict, "wrong"));
            json_object_set_new(measurement, "verified", json_boolean(wrong == 0));
            json_object_set_new(measurement, "wrong", json_integer(wrong));
            judged = true;
        }
        unjudged += !judged;
        record_measurement(recorder, measurement);
    }
    json_decref(recorder->withheld);
    recorder->withheld = NULL;
    return unjudged;
}

static void handle_measurement(struct lab_run_recorder *recorder, const json_t *event)
{
    json_t *measurement = json_object_get(event, "measurement");
    const json_t *samples = json_object_get(measurement, "samples");
    struct lab_error error;
    if (!json_is_object(json_object_get(measurement, "axes")) || lab_optional_text_of(measurement, "metric") == NULL ||
        lab_optional_text_of(measurement, "unit") == NULL) {
        reject(recorder, "it sent a measurement without axes, metric or unit");
    } else if (!lab_measurement_check(recorder->experiment, measurement, json_array_size(samples), &error) ||
               !lab_samples_check(measurement, samples, &error)) {
        reject(recorder, "it sent a measurement that is not possible: %s", error.detail);
    } else if (++recorder->measurements > LAB_MEASUREMENTS_MAX) {
        reject(recorder, "it sent more than %d measurements", LAB_MEASUREMENTS_MAX);
    } else {
        count_result(recorder, lab_optional_text_of(measurement, "skipped"));
        (recorder->withholds ? withhold : record_measurement)(recorder, measurement);
    }
}

static void handle_span(struct lab_run_recorder *recorder, const json_t *event)
{
    const json_t *span = json_object_get(event, "span");
    struct lab_span_row row = {0};
    struct lab_error error;
    if (!lab_span_check(span, &error)) {
        reject(recorder, "it sent a span that is not possible: %s", error.detail);
    } else if (++recorder->spans > LAB_SPANS_MAX) {
        reject(recorder, "it sent more than %d spans", LAB_SPANS_MAX);
    } else {
        lab_row_from_json(lab_span_row_members, &row, span);
        lab_store_add_span(recorder->store, recorder->run, &row);
        lab_row_release(lab_span_row_members, &row);
        recorder->traced_spans += recorder->tracing;
    }
}

static void handle_field(struct lab_run_recorder *recorder, const json_t *event)
{
    const json_t *field = json_object_get(event, "field");
    struct lab_error error;
    if (!lab_field_check(field, &error)) {
        reject(recorder, "it sent a field that is not possible: %s", error.detail);
    } else if (++recorder->fields > LAB_FIELDS_MAX) {
        reject(recorder, "it sent more than %d fields", LAB_FIELDS_MAX);
    } else {
        char *text = json_dumps(field, JSON_COMPACT);
        if (text != NULL)
            lab_store_add_field(recorder->store, recorder->run, text);
        free(text);
    }
}

/* --- the other events --------------------------------------------------------------------------------------------- */

static void store_environment(struct lab_run_recorder *recorder)
{
    char *text = json_dumps(recorder->environment, JSON_COMPACT), *key = lab_environment_key(recorder->environment);
    if (text != NULL)
        lab_store_set_environment(recorder->store, recorder->run, text, key);
    free(key);
    free(text);
}

static void handle_started(struct lab_run_recorder *recorder, const json_t *event)
{
    json_t *environment = json_object_get(event, "environment");
    if (!json_is_object(environment))
        return;
    json_decref(recorder->environment);
    recorder->environment = json_incref(environment);
    lab_devices_place(recorder->devices, json_object_get(environment, "devices"));
    store_environment(recorder);
}

/* Adds the versions of the libraries that the worker has opened. A library may be opened by one attempt only: the
 * attempt that traces does not replace a version with null. */
static void record_libraries(struct lab_run_recorder *recorder, json_t *libraries)
{
    const char *name;
    json_t *version, *known = json_object_get(recorder->environment, "libraries");
    if (!json_is_object(libraries) || recorder->environment == NULL)
        return;
    if (!json_is_object(known)) {
        known = json_object();
        json_object_set_new(recorder->environment, "libraries", known);
    }
    json_object_foreach(libraries, name, version)
    {
        if (json_is_string(version) || json_object_get(known, name) == NULL)
            json_object_set(known, name, json_is_string(version) ? version : json_null());
    }
    store_environment(recorder);
}

static void publish_progress(struct lab_run_recorder *recorder, int64_t done, int64_t total, const char *label)
{
    recorder->progress_published_at = lab_clock_now();
    lab_events_publish(
        recorder->events, "run.progress", &recorder->about,
        json_pack("{s:s, s:I, s:I, s:s, s:o}", "id", recorder->run, "done", (json_int_t)done, "total",
                  (json_int_t)total, "label", label, "headline",
                  recorder->headlines != NULL ? lab_headlines_so_far(recorder->headlines) : json_null()));
}

static void handle_progress(struct lab_run_recorder *recorder, const json_t *event)
{
    int64_t done = lab_integer_of(event, "done", -1), total = lab_integer_of(event, "total", -1);
    const char *sent = lab_optional_text_of(event, "label");
    const char *label = recorder->tracing ? tracing_label : sent != NULL ? sent : "";
    if (done < 0 || total < done)
        return;
    recorder->on_progress(recorder->context, (size_t)done, (size_t)total, label);
    if (done >= total || lab_clock_now() - recorder->progress_published_at >= progress_interval_s)
        publish_progress(recorder, done, total, label);
}

/* Remembers a text. Returns false when it is in `texts` already or `texts` is full. */
static bool add_text(json_t **texts, const char *text)
{
    if (*texts == NULL)
        *texts = json_object();
    if (json_object_get(*texts, text) != NULL || json_object_size(*texts) >= LAB_SENTENCES_MAX)
        return false;
    return json_object_set_new(*texts, text, json_true()) == 0;
}

void lab_run_recorder_warn(struct lab_run_recorder *recorder, const char *text)
{
    if (add_text(&recorder->warnings, text))
        lab_store_add_warning(recorder->store, recorder->run, text);
}

static void handle_warning(struct lab_run_recorder *recorder, const json_t *event)
{
    const char *text = lab_optional_text_of(event, "text");
    if (text != NULL)
        lab_run_recorder_warn(recorder, text);
}

void lab_run_recorder_note(struct lab_run_recorder *recorder, const char *text)
{
    if (add_text(&recorder->notes, text))
        lab_store_add_note(recorder->store, recorder->run, text);
}

static void handle_note(struct lab_run_recorder *recorder, const json_t *event)
{
    const char *text = lab_optional_text_of(event, "text");
    if (text != NULL)
        lab_run_recorder_note(recorder, text);
}

/* Stores a list that the run has once. `what` it is called, `check` and `store` are its functions. */
static void set_list(struct lab_run_recorder *recorder, const json_t *list, const char *what,
                     bool (*check)(const json_t *list, struct lab_error *error),
                     void (*store)(struct lab_store *store, const char *id, const char *text))
{
    struct lab_error error;
    char *text = NULL;
    if (!check(list, &error))
        reject(recorder, "it sent %s that are not possible: %s", what, error.detail);
    else if ((text = json_dumps(list, JSON_COMPACT)) != NULL)
        store(recorder->store, recorder->run, text);
    free(text);
}

static void handle_messages(struct lab_run_recorder *recorder, const json_t *event)
{
    set_list(recorder, json_object_get(event, "messages"), "messages", lab_messages_check, lab_store_set_messages);
}

static void handle_findings(struct lab_run_recorder *recorder, const json_t *event)
{
    set_list(recorder, json_object_get(event, "findings"), "findings", lab_findings_check, lab_store_set_findings);
}

static bool is_output_stream(const char *name)
{
    static const char *const names[] = {LAB_OUTPUT_STREAMS};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Appends what a program has printed to the run's output, and publishes it. */
static void handle_output(struct lab_run_recorder *recorder, const json_t *event)
{
    const char *text = lab_optional_text_of(event, "text"), *stream = lab_optional_text_of(event, "stream");
    size_t length = text != NULL ? strlen(text) : 0;
    if (stream == NULL || !is_output_stream(stream)) {
        reject(recorder, "it sent output of a stream that programs do not have");
        return;
    }
    size_t offset = recorder->output_bytes;
    if ((recorder->output_bytes += length) > LAB_OUTPUT_MAX) {
        reject(recorder, "it sent more than %d bytes of output", LAB_OUTPUT_MAX);
        return;
    }
    lab_store_add_output(recorder->store, recorder->run, text);
    lab_events_publish(recorder->events, "run.output", &recorder->about,
                       json_pack("{s:s, s:s, s:I, s:s}", "run", recorder->run, "stream", stream, "offset",
                                 (json_int_t)offset, "text", text));
}

static void handle_finished(struct lab_run_recorder *recorder, const json_t *event)
{
    const char *status = lab_optional_text_of(event, "status");
    json_t *error = json_object_get(event, "error"), *calibrated = json_object_get(event, "calibrated");
    if (status == NULL || !lab_status_parse(status, &recorder->status) || lab_status_live(recorder->status) ||
        recorder->status == LAB_STATUS_INTERRUPTED) {
        reject(recorder, "it sent `finished` with an invalid status");
        return;
    }
    recorder->finished = true;
    recorder->contended = json_is_true(json_object_get(event, "contended"));
    recorder->lost = json_is_true(json_object_get(event, "lost"));
    recorder->error = json_is_object(error) ? json_incref(error) : NULL;
    record_libraries(recorder, json_object_get(event, "libraries"));
    if (json_is_object(calibrated)) {
        json_decref(recorder->calibrated);
        recorder->calibrated = json_incref(calibrated);
    }
}

static const struct {
    const char *name;
    void (*handle)(struct lab_run_recorder *recorder, const json_t *event);
    bool while_tracing; /* accepted from the attempt that traces, too */
} handlers[] = {
    {"started", handle_started, false},
    {"progress", handle_progress, true},
    {"measurement", handle_measurement, false},
    {"span", handle_span, true},
    {"field", handle_field, false},
    {"warning", handle_warning, true},
    {"note", handle_note, true},
    {"output", handle_output, false},
    {"messages", handle_messages, false},
    {"findings", handle_findings, false},
    {"finished", handle_finished, true},
};

void lab_run_recorder_event(void *context, const char *name, const json_t *event)
{
    struct lab_run_recorder *recorder = context;
    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
        if (strcmp(handlers[i].name, name) == 0 && (handlers[i].while_tracing || !recorder->tracing))
            handlers[i].handle(recorder, event);
}

void lab_run_recorder_restart(struct lab_run_recorder *recorder)
{
    recorder->finished = recorder->contended = false;
    json_decref(recorder->error);
    recorder->error = NULL;
}

void lab_run_recorder_begin_trace(struct lab_run_recorder *recorder)
{
    lab_run_recorder_restart(recorder);
    recorder->tracing = true;
    recorder->on_progress(recorder->context, 0, 0, tracing_label);
    publish_progress(recorder, 0, 0, tracing_label);
}

void lab_run_recorder_release(struct lab_run_recorder *recorder)
{
    json_decref(recorder->error);
    json_decref(recorder->warnings);
    lab_headlines_free(recorder->headlines);
    recorder->headlines = NULL;
    json_decref(recorder->notes);
    json_decref(recorder->calibrated);
    json_decref(recorder->environment);
    json_decref(recorder->withheld);
    recorder->withheld = NULL;
    recorder->error = recorder->warnings = recorder->notes = recorder->calibrated = recorder->environment = NULL;
}
