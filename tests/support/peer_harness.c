#include "support/peer_harness.h"

int64_t run_node = LAB_UNKNOWN;

/* --- plans -------------------------------------------------------------------------------------------------------- */

void expect_duration(const char *experiment, const char *text, double least, double most)
{
    struct plan plan = plan_on(experiment, text, 2, INT64_C(1) << 40);
    assert_true(plan.good);
    if (!(plan.estimate.seconds >= least && plan.estimate.seconds <= most))
        fail_msg("%s: %g s, not %g to %g s", text, plan.estimate.seconds, least, most);
}

void expect_refusal_on(const char *experiment, const char *text, size_t count, const char *code, const char *pointer)
{
    struct plan plan = plan_on(experiment, text, count, PLAN_MEMORY);
    assert_false(plan.good);
    assert_string_equal(lab_error_name(plan.errors.items[0].code), code);
    assert_string_equal(plan.errors.items[0].pointer, pointer);
    assert_true(strlen(plan.errors.items[0].detail) > 20);
}

/* --- collected reports -------------------------------------------------------------------------------------------- */

struct reported reported[REPORTED_MAX];

size_t reported_count, warnings, notes, last_done, last_total;

size_t cancel_at;

static const struct lab_coordinate *axis_of(const struct lab_axes *axes, const char *name)
{
    for (size_t i = 0; i < axes->count; i++)
        if (strcmp(axes->items[i].axis, name) == 0)
            return &axes->items[i];
    return NULL;
}

static void copy_axis_text(const struct lab_axes *axes, const char *name, char *text, size_t size)
{
    const struct lab_coordinate *coordinate = axis_of(axes, name);
    snprintf(text, size, "%s", coordinate != NULL ? coordinate->text : "");
}

static int64_t number_of(const struct lab_axes *axes, const char *name)
{
    const struct lab_coordinate *coordinate = axis_of(axes, name);
    return coordinate != NULL ? coordinate->number : -1;
}

static int place_of(const struct lab_axes *axes, const char *name)
{
    const struct lab_coordinate *coordinate = axis_of(axes, name);
    for (int i = 0; coordinate != NULL && i < DEVICES; i++)
        if (strcmp(coordinate->text, devices[i]->facts.id) == 0)
            return i;
    assert_null(coordinate);
    return -1;
}

/* Every metric, unit and axis must be declared in the experiment's tables. */
static void expect_declared(const struct lab_experiment *experiment, const struct lab_measurement *m)
{
    const struct lab_metric *metric = experiment->metrics;
    while (metric->name != NULL && strcmp(metric->name, m->metric) != 0)
        metric++;
    assert_non_null(metric->name);
    assert_string_equal(metric->unit, m->unit);
    for (size_t i = 0; i < m->axes.count; i++) {
        const struct lab_axis *axis = experiment->axes;
        while (axis->name != NULL && strcmp(axis->name, m->axes.items[i].axis) != 0)
            axis++;
        assert_non_null(axis->name);
        assert_true(m->axes.items[i].boolean ==
                    (strcmp(axis->name, "opposing") == 0 || strcmp(axis->name, "peer_access") == 0));
    }
}

static void take_measurement(void *context, const struct lab_measurement *m)
{
    expect_declared(context, m);
    assert_true(reported_count < REPORTED_MAX);
    struct reported *s = &reported[reported_count++];
    *s = (struct reported){.bytes = number_of(&m->axes, "bytes"),
                           .n = number_of(&m->axes, "n"),
                           .devices = number_of(&m->axes, "device_count"),
                           .numa_node = m->numa_node,
                           .peer_access = (int)number_of(&m->axes, "peer_access"),
                           .source = place_of(&m->axes, "source"),
                           .target = place_of(&m->axes, "target"),
                           .verified_known = m->verified_known,
                           .verified = m->verified,
                           .nameless_kernel = m->kernel != NULL && m->kernel->name == NULL,
                           .wrong = m->wrong,
                           .summary = m->summary};
    snprintf(s->metric, sizeof s->metric, "%s", m->metric);
    snprintf(s->skipped, sizeof s->skipped, "%s", m->skipped != NULL ? m->skipped : "");
    copy_axis_text(&m->axes, "pattern", s->pattern, sizeof s->pattern);
    copy_axis_text(&m->axes, "variant", s->variant, sizeof s->variant);
    copy_axis_text(&m->axes, "engine", s->engine, sizeof s->engine);
    copy_axis_text(&m->axes, "access", s->access, sizeof s->access);
}

struct seen_span spans[REPORTED_MAX];

size_t span_count;

bool tracing;

static void take_span(void *context, const struct lab_span *span)
{
    (void)context;
    assert_true(span_count < REPORTED_MAX);
    struct seen_span *s = &spans[span_count++];
    *s = (struct seen_span){
        .peer_access = (int)number_of(span->axes, "peer_access"), .start_ns = span->start_ns, .end_ns = span->end_ns};
    snprintf(s->lane, sizeof s->lane, "%s", span->lane);
    snprintf(s->kind, sizeof s->kind, "%s", span->kind);
    snprintf(s->label, sizeof s->label, "%s", span->label);
    copy_axis_text(span->axes, "variant", s->variant, sizeof s->variant);
}

static void take_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    assert_true(done <= total && strlen(label) > 0);
    last_done = done;
    last_total = total;
    if (cancel_at > 0 && done == cancel_at)
        atomic_store(&cancel, true);
}

static void take_warning(void *context, const char *text)
{
    (void)context;
    assert_true(strlen(text) > 0);
    warnings++;
}

static void take_note(void *context, const char *text)
{
    (void)context;
    assert_true(strlen(text) > 0);
    notes++;
}

bool run_on(const char *experiment, const char *text, size_t count, struct lab_run *result)
{
    struct lab_parameters *parameters = parse(experiment, text);
    struct lab_run run = {.experiment = parameters->experiment,
                          .parameters = parameters,
                          .device_count = count,
                          .cancel = &cancel,
                          .numa_node = run_node};
    run.sink = (struct lab_sink){.context = (void *)(uintptr_t)parameters->experiment,
                                 .measurement = take_measurement,
                                 .span = take_span,
                                 .progress = take_progress,
                                 .warning = take_warning,
                                 .note = take_note};
    memcpy(run.devices, devices, count * sizeof devices[0]);
    for (size_t i = 0; i < count; i++)
        run.facts[i] = &devices[i]->facts;
    run.tracing = tracing;
    reported_count = span_count = warnings = notes = last_done = last_total = 0;
    atomic_store(&cancel, false);
    bool good = parameters->experiment->run(&run);
    run.parameters = NULL;
    lab_parameters_free(parameters);
    *result = run;
    return good;
}

struct lab_run run_to_end(const char *experiment, const char *text, size_t count)
{
    struct lab_run run;
    if (!run_on(experiment, text, count, &run))
        fail_msg("%s: %s", text, run.error.detail);
    assert_int_equal(last_done, last_total);
    return run;
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

struct lab_runtime_peer changed_peer;

size_t place_of_device(const struct lab_device *device)
{
    size_t i = 0;
    while (i < DEVICES && devices[i] != device)
        i++;
    assert_true(i < DEVICES);
    return i;
}

struct watch watch;

static bool watched_allow(struct lab_device *device, struct lab_device *other)
{
    size_t who = place_of_device(device), whose = place_of_device(other);
    if (watch.all_missing || (int)who == watch.missing_one || (int)whose == watch.missing_one)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "no peer access between %zu and %zu", who,
                             whose);
    watch.allowed[who][whose] = true;
    watch.allowances++;
    return lab_host_runtime.peer->allow(device, other);
}

static bool watched_deny(struct lab_device *device, struct lab_device *other)
{
    watch.allowed[place_of_device(device)][place_of_device(other)] = false;
    return lab_host_runtime.peer->deny(device, other);
}

static bool watched_copy(const struct lab_lane *lane, struct lab_device *target, void *destination,
                         struct lab_device *source, const void *from, size_t bytes)
{
    if (watch.copies < REPORTED_MAX) {
        watch.from[watch.copies] = place_of_device(source);
        watch.to[watch.copies] = place_of_device(target);
    }
    if (++watch.copies == watch.failing)
        return lab_error_set(&lane->device->error, LAB_ERROR_DEVICE_LOST, "", "the copy of the test failed");
    peer_copy *copy = watch.copy != NULL ? watch.copy : lab_host_runtime.peer->copy;
    return copy(lane, target, destination, source, from, bytes);
}

void watch_peers(void)
{
    watch = (struct watch){.missing_one = -1};
    changed_peer.allow = watched_allow;
    changed_peer.deny = watched_deny;
    changed_peer.copy = watched_copy;
    use_runtime(&changed);
}

void set_cache(int64_t bytes)
{
    for (size_t i = 0; i < DEVICES; i++)
        devices[i]->facts.l2_bytes = bytes;
}

void expect_nothing_allowed(void)
{
    for (size_t i = 0; i < DEVICES; i++)
        for (size_t k = 0; k < DEVICES; k++)
            assert_false(watch.allowed[i][k]);
}

int open_peers(void **state)
{
    if (lab_host_runtime.peer == NULL || open_devices(state) != 0)
        return -1;
    changed_peer = *lab_host_runtime.peer;
    changed.peer = &changed_peer;
    set_cache(LAB_UNKNOWN); /* no notes that data fit in it */
    return 0;
}
