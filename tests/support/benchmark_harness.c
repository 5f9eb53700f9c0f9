#include "support/benchmark_harness.h"

static void keep_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text != NULL ? text : "");
}

static void keep_measurement(void *context, const struct lab_measurement *m)
{
    struct results *results = context;
    assert_true(results->count < REPORTED_MAX);
    struct reported *r = &results->items[results->count++];
    json_t *axes = lab_axes_to_json(&m->axes);
    char *text = json_dumps(axes, JSON_COMPACT | JSON_SORT_KEYS);
    *r = (struct reported){
        .verified_known = m->verified_known, .verified = m->verified, .wrong = m->wrong, .summary = m->summary};
    keep_text(r->axes, sizeof r->axes, text);
    keep_text(r->metric, sizeof r->metric, m->metric);
    keep_text(r->stop_reason, sizeof r->stop_reason, m->stop_reason);
    keep_text(r->cache, sizeof r->cache, m->skipped == NULL ? m->cache : NULL);
    keep_text(r->peak, sizeof r->peak, m->skipped == NULL && m->peak != NULL ? m->peak->what : NULL);
    keep_text(r->skipped, sizeof r->skipped, m->skipped);
    free(text);
    json_decref(axes);
}

/* The fields as one text of JSON after the other. */
static void keep_field(void *context, const struct lab_field *field)
{
    struct results *results = context;
    json_t *object = lab_field_to_json(field);
    char *text = json_dumps(object, JSON_COMPACT);
    size_t used = strlen(results->fields);
    snprintf(results->fields + used, sizeof results->fields - used, "%s", text);
    free(text);
    json_decref(object);
}

static void keep_verdict(void *context, const struct lab_axes *axes, uint64_t wrong, const char *text)
{
    struct results *results = context;
    json_t *object = lab_axes_to_json(axes);
    char *shown = json_dumps(object, JSON_COMPACT);
    size_t used = strlen(results->verdicts);
    snprintf(results->verdicts + used, sizeof results->verdicts - used, "%s %llu", shown, (unsigned long long)wrong);
    keep_text(results->first_wrong, sizeof results->first_wrong, text);
    free(shown);
    json_decref(object);
}

static void ignore_span(void *context, const struct lab_span *span)
{
    (void)context, (void)span;
}

static void ignore_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context, (void)done, (void)total, (void)label;
}

static void ignore_output(void *context, const char *stream, const char *text)
{
    (void)context, (void)stream, (void)text;
}

static void ignore_messages(void *context, const json_t *messages)
{
    (void)context, (void)messages;
}

static void keep_warning(void *context, const char *text)
{
    struct results *results = context;
    results->warning_count++;
    keep_text(results->warning, sizeof results->warning, text);
}

static void keep_note(void *context, const char *text)
{
    struct results *results = context;
    results->note_count++;
    keep_text(results->note, sizeof results->note, text);
}

struct lab_sink sink_of(struct results *results)
{
    *results = (struct results){0};
    return (struct lab_sink){.context = results,
                             .output = ignore_output,
                             .messages = ignore_messages,
                             .measurement = keep_measurement,
                             .span = ignore_span,
                             .progress = ignore_progress,
                             .warning = keep_warning,
                             .note = keep_note,
                             .verdict = keep_verdict,
                             .field = keep_field};
}

void run_as(struct lab_run run, struct lab_device *device, const char *text, struct results *results)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(text, 0, NULL);
    struct lab_parameters *parameters = lab_parameters_parse(run.experiment, given, &errors);
    assert_non_null(parameters);
    atomic_bool cancel = false;
    run.parameters = parameters;
    run.device_count = 1;
    run.devices[0] = device;
    run.sink = sink_of(results);
    run.numa_node = LAB_UNKNOWN;
    run.cancel = &cancel;
    results->good = run.experiment->run(&run);
    results->any_wrong = run.any_wrong;
    results->error = run.error;
    lab_parameters_free(parameters);
    json_decref(given);
    json_decref(run.sandbox);
}

void run_monitored(const struct lab_experiment *experiment, struct lab_device *device, const char *text,
                   const struct lab_own_kernels *own, struct lab_monitor monitor, struct results *results)
{
    run_as((struct lab_run){.experiment = experiment, .own_kernels = own, .monitor = monitor}, device, text, results);
}

void run_with_kernels(const struct lab_experiment *experiment, struct lab_device *device, const char *text,
                      const struct lab_own_kernels *own, struct results *results)
{
    run_monitored(experiment, device, text, own, (struct lab_monitor){0}, results);
}

void run_experiment(const struct lab_experiment *experiment, struct lab_device *device, const char *text,
                    struct results *results)
{
    run_with_kernels(experiment, device, text, NULL, results);
}

const struct reported *find_reported(const struct results *results, const char *metric, const char *axes)
{
    const struct reported *found = NULL;
    for (size_t i = 0; i < results->count; i++)
        if (strcmp(results->items[i].metric, metric) == 0 && strstr(results->items[i].axes, axes) != NULL) {
            assert_null(found);
            found = &results->items[i];
        }
    return found;
}
