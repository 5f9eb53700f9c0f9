/* Fuzzes the output of a worker as the server reads it: lines, events, and what is stored and published of a run. An
 * input is 'M' (the worker measures) or 'T' (it traces), followed by the bytes that the worker writes.
 *
 * Store and event stream are replaced by functions that check what they are given: a corrupted worker must not be able
 * to store or publish what a reader of the API could not read.
 */
#include "check.h"
#include "core/json_text.h"
#include "core/protocol.h"
#include "jobs/devices.h"
#include "jobs/run_recorder.h"
#include "workers/worker_state.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The worker's output is passed on in pieces of this many bytes, so that lines are read in parts. */
enum { PIECE = 61 };

static const char run_id[] = "0190b6a2-7c1e-7d0a-8f00-0123456789ab";

static void check_optional_text(const char *text, const char *what)
{
    if (text != NULL)
        check_text(text, what);
}

static void check_object(const char *text, const char *what)
{
    json_t *object = lab_json_stored(text);
    must(json_is_object(object), what);
    json_decref(object);
}

/* --- store and event stream --------------------------------------------------------------------------------------- */

void lab_store_set_environment(struct lab_store *store, const char *id, const char *environment, const char *key)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "the environment is stored for the run");
    check_object(environment, "the environment is a JSON object");
    check_object(key, "the environment's key is a JSON object");
}

void lab_store_add_warning(struct lab_store *store, const char *id, const char *warning)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "a warning is stored for the run");
    check_text(warning, "a warning is valid UTF-8");
}

void lab_store_add_output(struct lab_store *store, const char *id, const char *text)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "output is stored for the run");
    check_text(text, "output is valid UTF-8");
}

void lab_store_set_messages(struct lab_store *store, const char *id, const char *messages)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "messages are stored for the run");
    check_text(messages, "messages are valid UTF-8");
}

void lab_store_set_findings(struct lab_store *store, const char *id, const char *findings)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "findings are stored for the run");
    check_text(findings, "findings are valid UTF-8");
}

void lab_store_add_note(struct lab_store *store, const char *id, const char *note)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "a note is stored for the run");
    check_text(note, "a note is valid UTF-8");
}

void lab_store_add_measurement(struct lab_store *store, const char *id, const struct lab_measurement_row *row)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "a measurement is stored for the run");
    check_object(row->axes, "axes are a JSON object");
    check_text(row->metric, "a metric is valid UTF-8");
    check_text(row->unit, "a unit is valid UTF-8");
    check_optional_text(row->stop_reason, "a stop reason is valid UTF-8");
    check_optional_text(row->cache, "a cache state is valid UTF-8");
    check_optional_text(row->skipped, "a reason to skip is valid UTF-8");
    if (row->peak != NULL)
        check_object(row->peak, "a peak is a JSON object");
    if (row->conditions != NULL)
        check_object(row->conditions, "conditions are a JSON object");
    if (row->kernel != NULL)
        check_object(row->kernel, "a kernel is a JSON object");
    must((row->samples != NULL) == (row->sample_count > 0), "samples have a count");
}

void lab_store_set_headline(struct lab_store *store, const char *id, const char *headline)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "a headline is stored for the run");
    json_t *list = json_loads(headline, 0, NULL);
    must(json_is_array(list), "a headline is a JSON array");
    json_decref(list);
}

void lab_store_add_field(struct lab_store *store, const char *id, const char *content)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "a field is stored for the run");
    check_object(content, "a field is a JSON object");
}

void lab_store_add_span(struct lab_store *store, const char *id, const struct lab_span_row *row)
{
    (void)store;
    must(strcmp(id, run_id) == 0, "a span is stored for the run");
    check_text(row->lane, "a lane is valid UTF-8");
    check_text(row->kind, "a kind is valid UTF-8");
    check_text(row->label, "a label is valid UTF-8");
    check_object(row->axes, "a span's axes are a JSON object");
    must(row->start_ns <= row->end_ns, "a span ends after its start");
}

void lab_events_publish(struct lab_events *events, const char *type, const struct lab_event_subject *about,
                        json_t *data)
{
    (void)events;
    must(strcmp(about->run, run_id) == 0 && type != NULL, "an event is about the run");
    char *text = json_dumps(data, JSON_COMPACT);
    must(text != NULL, "an event's data can be written as JSON");
    must(strchr(text, '\n') == NULL, "an event's data is one line");
    free(text);
    json_decref(data);
}

/* --- the worker --------------------------------------------------------------------------------------------------- */

static void on_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    must(done <= total, "progress is at most its total");
    check_text(label, "a label is valid UTF-8");
}

static void on_invalid(void *context)
{
    bool *invalid = context;
    must(!*invalid, "invalid data are reported once");
    *invalid = true;
}

/* The description of the devices is read by another function than the events of a run. */
static void check_description(const json_t *event)
{
    static const struct lab_devices_node here = {"here", true};
    struct lab_devices *devices = lab_devices_create(&here, 1);
    struct lab_error error = {0};
    must(devices != NULL, "memory is sufficient");
    lab_devices_update(devices, 0, event, &error);
    lab_devices_update(devices, 0, event, &error); /* known devices are updated */
    lab_devices_free(devices);
}

static void handle_events(struct lab_worker *worker, struct lab_run_recorder *recorder)
{
    const char *name;
    for (json_t *event; (event = lab_worker_next_event(worker, &name)) != NULL; json_decref(event)) {
        if (strcmp(name, "description") == 0)
            check_description(event);
        else if (!recorder->finished)
            lab_run_recorder_event(recorder, name, event);
    }
}

static void check_end(struct lab_worker *worker, const struct lab_run_recorder *recorder, bool invalid)
{
    char log[4096];
    lab_log_tail_text(&worker->log, log, sizeof log);
    check_text(log, "the log is valid UTF-8");
    must(invalid == recorder->invalid, "invalid data are reported");
    must(!recorder->finished || !lab_status_live(recorder->status), "a finished run has a final status");
    if (worker->violation == NULL)
        return;
    struct lab_error error = {0};
    lab_worker_explain_end(worker, &error);
    must(error.code == LAB_ERROR_WORKER_PROTOCOL, "a violation is explained");
    check_text(error.detail, "an explanation is valid UTF-8");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    if (size == 0 || (data[0] != 'M' && data[0] != 'T'))
        return 0;
    must(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0, "a pipe can be created");
    struct lab_worker worker = {.process = {.pidfd = -1, .input = -1, .output = ends[0], .errors = -1}, .wake = -1};
    bool invalid = false;
    static const struct lab_devices_node here = {"here", true};
    static struct lab_jobs_counters counters;
    static struct lab_devices *devices;
    if (devices == NULL)
        devices = lab_devices_create(&here, 1);
    struct lab_run_recorder recorder = {.run = run_id,
                                        .about = {.run = run_id},
                                        .counters = &counters,
                                        .devices = devices,
                                        .experiment = lab_experiments[0],
                                        .on_progress = on_progress,
                                        .on_invalid = on_invalid,
                                        .context = &invalid};
    if (data[0] == 'T')
        lab_run_recorder_begin_trace(&recorder);
    for (size_t at = 1; at < size; at += PIECE) {
        size_t length = size - at < PIECE ? size - at : PIECE;
        must(write(ends[1], data + at, length) == (ssize_t)length, "the pipe takes a piece");
        lab_worker_transfer(&worker);
        must(worker.reader.capacity <= LAB_LINE_MAX, "the memory for a line is bounded");
        handle_events(&worker, &recorder);
    }
    close(ends[1]);
    check_end(&worker, &recorder, invalid);
    lab_run_recorder_store_headlines(&recorder);
    lab_run_recorder_release(&recorder);
    lab_line_reader_release(&worker.reader);
    lab_log_tail_release(&worker.log);
    close(ends[0]);
    return 0;
}
