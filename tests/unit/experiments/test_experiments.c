/* Every experiment on the host runtime: everything that it reports is declared in its tables, verified and plausible.
 */
#include "benchmark/streams.h"
#include "descriptor/parameters.h"
#include "host/host.h"
#include "measure/run.h"
#include "support/test.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2 };

/* What a run has reported so far: counts, and a hash of the points with their metrics, in order. */
struct report {
    const struct lab_experiment *experiment;
    size_t measurements, timed, skipped, warnings, notes, last_done, last_total;
    size_t rounds, blocks; /* of all measurements */
    uint64_t points;
};

static bool declares_axis(const struct lab_experiment *experiment, const char *name)
{
    for (const struct lab_axis *axis = experiment->axes; axis->name != NULL; axis++)
        if (strcmp(axis->name, name) == 0)
            return true;
    return false;
}

static const struct lab_metric *declared_metric(const struct lab_experiment *experiment, const char *name)
{
    for (const struct lab_metric *metric = experiment->metrics; metric->name != NULL; metric++)
        if (strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

/* Metrics without a result to verify: a single phase writes only a part of the result, a compute ceiling writes none,
 * and the others are taken in jobs after the verified ones. */
static bool has_no_result_to_verify(const char *metric)
{
    static const char *const metrics[] = {"phase_time",   "compute_ceiling", "cpu_time",
                                          "enqueue_time", "polls",           "imbalance"};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (strcmp(metric, metrics[i]) == 0)
            return true;
    return false;
}

static void hash_point(struct report *report, const struct lab_measurement *m)
{
    json_t *axes = lab_axes_to_json(&m->axes);
    char *text = json_dumps(axes, JSON_COMPACT);
    for (const char *c = text; *c != '\0'; c++)
        report->points = (report->points ^ (unsigned char)*c) * UINT64_C(1099511628211);
    for (const char *c = m->metric; *c != '\0'; c++)
        report->points = (report->points ^ (unsigned char)*c) * UINT64_C(1099511628211);
    free(text);
    json_decref(axes);
}

/* The rounds of a comparison lie within the samples, and each block has two of a side. */
static void check_rounds(struct report *report, const struct lab_measurement *m)
{
    size_t rounds = m->block_count > 0 ? m->block_ends[m->block_count - 1] : 0;
    assert_true(m->block_count == 0 || (m->rounds != NULL && m->side != NULL));
    assert_true(rounds <= m->sample_count && rounds == 2 * m->block_count);
    for (size_t i = 0; i < rounds; i++)
        assert_true(m->rounds[i] >= m->summary.min && m->rounds[i] <= m->summary.max);
    report->rounds += rounds;
    report->blocks += m->block_count;
}

static void take_measurement(void *context, const struct lab_measurement *m)
{
    struct report *report = context;
    hash_point(report, m);
    check_rounds(report, m);
    for (size_t i = 0; i < m->axes.count; i++)
        if (!declares_axis(report->experiment, m->axes.items[i].axis))
            fail_msg("axis %s is not declared", m->axes.items[i].axis);
    const struct lab_metric *metric = declared_metric(report->experiment, m->metric);
    if (metric == NULL)
        fail_msg("metric %s is not declared", m->metric);
    assert_string_equal(metric->unit, m->unit);
    report->measurements++;
    report->timed += m->skipped == NULL && strcmp(m->metric, "time") == 0;
    if (m->skipped != NULL) {
        report->skipped++;
        return;
    }
    assert_true(isfinite(m->summary.median) && m->summary.median >= 0);
    if (m->samples != NULL) {
        assert_non_null(m->stop_reason);
        assert_true(m->verified_known ? m->verified : has_no_result_to_verify(m->metric));
        assert_int_equal(m->summary.n, m->sample_count);
    }
}

static void take_span(void *context, const struct lab_span *span)
{
    (void)context;
    assert_true(span->end_ns >= span->start_ns);
}

static void take_field(void *context, const struct lab_field *field)
{
    const float *values = field->values;
    (void)context;
    assert_true(field->rows >= 1 && field->columns >= 1);
    for (size_t i = 0; i < field->rows * field->columns; i++)
        assert_true(isfinite(values[i]));
}

static void take_progress(void *context, size_t done, size_t total, const char *label)
{
    struct report *report = context;
    assert_true(done <= total && strlen(label) > 0);
    report->last_done = done;
    report->last_total = total;
}

static void take_warning(void *context, const char *text)
{
    struct report *report = context;
    assert_true(strlen(text) > 0);
    report->warnings++;
}

static void take_note(void *context, const char *text)
{
    struct report *report = context;
    assert_true(strlen(text) > 0);
    report->notes++;
}

static atomic_bool cancel;

static struct lab_run run_of(const struct lab_parameters *parameters, struct report *report)
{
    const struct lab_experiment *experiment = parameters->experiment;
    *report = (struct report){.experiment = experiment};
    return (struct lab_run){
        .experiment = experiment,
        .parameters = parameters,
        .device_count = experiment->devices_max < DEVICES ? experiment->devices_max : DEVICES,
        .sink = {report, take_measurement, take_span, take_progress, take_warning, take_note, take_field},
        .numa_node = LAB_UNKNOWN,
        .cancel = &cancel};
}

static void execute(struct lab_run *run)
{
    struct lab_error error;
    for (size_t i = 0; i < run->device_count; i++) {
        assert_non_null(run->devices[i] = lab_host_runtime.open(i, &error));
        run->facts[i] = &run->devices[i]->facts;
        if (run->base != NULL) {
            run->base->devices[i] = run->devices[i];
            run->base->facts[i] = run->facts[i];
        }
    }
    if (!run->experiment->run(run))
        fail_msg("%s: %s", run->experiment->name, run->error.detail);
    assert_false(run->any_wrong);
    if (run->streams != NULL)
        lab_streams_release(run->streams);
    for (size_t i = 0; i < run->device_count; i++)
        lab_host_runtime.close(run->devices[i]);
}

static struct lab_parameters *parse(const struct lab_experiment *experiment, json_t *given)
{
    struct lab_errors errors = {0};
    struct lab_parameters *parameters = lab_parameters_parse(experiment, given, &errors);
    assert_non_null(parameters);
    return parameters;
}

static void run_experiment(const struct lab_experiment *experiment, json_t *given, struct report *report)
{
    struct lab_parameters *parameters = parse(experiment, given);
    struct lab_run run = run_of(parameters, report);
    execute(&run);
    assert_int_equal(report->last_done, report->last_total);
    lab_parameters_free(parameters);
}

/* Runs an experiment compared with itself. */
static void compare_experiment(const struct lab_experiment *experiment, json_t *given, struct report *base_report,
                               struct report *head_report)
{
    struct lab_parameters *parameters = parse(experiment, given);
    struct lab_run base = run_of(parameters, base_report), head = run_of(parameters, head_report);
    struct lab_streams streams = {0};
    json_t *calibrated = json_object();
    base.calibrated = head.calibrated = calibrated;
    base.side = "base";
    head.side = "head";
    head.base = &base;
    head.streams = base.streams = &streams;
    execute(&head);
    assert_int_equal(head_report->last_done, head_report->last_total);
    assert_int_equal(base_report->last_total, 0); /* the head reports the progress of both */
    json_decref(calibrated);
    lab_parameters_free(parameters);
}

static bool has_parameter(const struct lab_experiment *experiment, const char *name)
{
    for (const struct lab_schema *p = experiment->parameters; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

/* Reduces the work of a quick preset where it sets a larger number, so that it takes a second also under sanitizers.
 * Arrays are smaller than by default. */
static void reduce(const struct lab_experiment *experiment, json_t *quick)
{
    static const struct {
        const char *name;
        int value;
    } smaller[] = {{"weight", 8},          {"m", 512},       {"n", 64},        {"min_bytes", 65536}, {"max_n", 65536},
                   {"max_bytes", 1048576}, {"min_size", 48}, {"max_size", 48}, {"side", 256}};
    json_object_set_new(quick, "time_budget_s", json_real(600));
    json_object_set_new(quick, "settle_s", json_real(0));
    json_object_set_new(quick, "min_samples", json_integer(3));
    json_object_set_new(quick, "max_samples", json_integer(3));
    for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++)
        if (json_integer_value(json_object_get(quick, smaller[i].name)) > smaller[i].value)
            json_object_set_new(quick, smaller[i].name, json_integer(smaller[i].value));
    if (has_parameter(experiment, "bytes"))
        json_object_set_new(quick, "bytes", json_integer(262144));
}

/* What host devices do not have, and mpi, because gpulab-mpi is not beside this program. */
static bool cannot_run(const char *experiment)
{
    static const char *const names[] = {"bank-conflicts", "collectives", "local-memory", "mpi"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(experiment, names[i]) == 0)
            return true;
    return false;
}

TEST(the_quick_preset_of_every_experiment_runs)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        struct report report;
        json_t *quick = json_loads(lab_experiment_preset(lab_experiments[i], "quick"), 0, NULL);
        reduce(lab_experiments[i], quick);
        run_experiment(lab_experiments[i], quick, &report);
        if (cannot_run(lab_experiments[i]->name))
            assert_int_equal(report.measurements, report.skipped);
        else
            assert_true(report.measurements > report.skipped);
        json_decref(quick);
    }
}

/* Compared with itself, an experiment measures the same points on both sides, in as many blocks. */
TEST(experiments_can_be_compared_with_themselves)
{
    /* kernels and copies as data, a baseline and a calibrated weight, several devices, peer access, spans, no
     * kernels */
    static const char *const names[] = {"transfer",    "overlap", "scaling", "peer",   "thread-map",
                                        "collectives", "health",  "launch",  "matmul", "peer-transpose"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct lab_experiment *experiment = lab_experiment_find(names[i]);
        struct report base, head;
        json_t *quick = json_loads(lab_experiment_preset(experiment, "quick"), 0, NULL);
        reduce(experiment, quick);
        json_object_set_new(quick, "max_samples", json_integer(16));
        json_object_set_new(quick, "min_time_s", json_real(0));
        /* On a machine that stands still for a second, a latch times out and a point of one side cannot be measured, or
         * the budget is used up before a block. */
        for (int attempt = 1; attempt <= 10; attempt++) {
            json_object_set_new(quick, "time_budget_s", json_real(2 * attempt)); /* a slow machine measures less */
            compare_experiment(experiment, quick, &base, &head);
            if (base.skipped == head.skipped && base.measurements == head.measurements && base.points == head.points &&
                base.blocks == head.blocks && (head.blocks > 0 || cannot_run(experiment->name)))
                break;
        }
        assert_int_equal(base.measurements, head.measurements);
        assert_int_equal(base.points, head.points);
        assert_int_equal(base.skipped, head.skipped);
        assert_int_equal(base.blocks, head.blocks);
        assert_int_equal(head.blocks > 0, !cannot_run(experiment->name));
        json_decref(quick);
    }
}

TEST(transfer_measures_or_skips_every_combination)
{
    struct report report;
    json_t *given = json_loads(
        "{\"direction\": [\"h2d\", \"d2h\", \"d2d\"], \"opposing\": [false, true],"
        "\"memory\": [\"pageable\", \"pinned\", \"write-combined\", \"mapped\"], \"engine\": [\"copy\", \"sm\"],"
        "\"pattern\": [\"contiguous\", \"pieces\", \"pitched\", \"rows\"],"
        "\"min_bytes\": 4093, \"max_bytes\": 65536, \"factor\": 16, \"max_samples\": 2, \"time_budget_s\": 600,"
        "\"row_bytes\": 1024, \"pitch_bytes\": 1536}",
        0, NULL);
    assert_non_null(given);
    run_experiment(lab_experiment_find("transfer"), given, &report);
    /* 4 memories x 2 engines x 4 patterns x (2 alone, 2 loaded, 1 together) x 3 sizes, plus copies within the device */
    assert_int_equal(report.last_total, 4 * 2 * 4 * 5 * 3 + 2 * 4 * 3);
    assert_int_equal(report.timed + report.skipped, report.last_total);
    /* at least these are measured: contiguous and pieces, one direction, copy engine; pageable, pinned, mapped
     * memory */
    assert_true(report.timed >= 3 * 2 * 2 * 3);
    /* one note about copies that fit in the cache, if its size is known */
    assert_int_equal(report.notes, lab_host_runtime.facts(0)->l2_bytes != LAB_UNKNOWN);
    assert_int_equal(report.warnings, 0);
    json_decref(given);
}

static bool is_subject(const char *name)
{
    for (const struct lab_subject *s = lab_subjects; s->name != NULL; s++)
        if (strcmp(s->name, name) == 0)
            return true;
    return false;
}

static bool is_choice(struct lab_choices choices, const char *text)
{
    return choices.texts != NULL && lab_choice_text(choices, lab_choice_find(choices, text)) != NULL;
}

/* Whether an axis can have a value with this text: one of its own choices, or of those of the parameter of its name. */
static bool may_be_text(const struct lab_experiment *experiment, const char *axis, const char *text)
{
    for (const struct lab_axis *a = experiment->axes; a->name != NULL; a++)
        if (strcmp(a->name, axis) == 0 && is_choice((struct lab_choices){.texts = a->choices}, text))
            return true;
    for (const struct lab_schema *p = experiment->parameters; p->name != NULL; p++)
        if (strcmp(p->name, axis) == 0 && is_choice(lab_schema_choices(p), text))
            return true;
    return false;
}

/* A value of a headline is one of the choices of its axis; numbers have none. */
static void assert_is_at_an_axis(const struct lab_experiment *experiment, struct lab_axis_text condition)
{
    if (!declares_axis(experiment, condition.axis) ||
        !(may_be_text(experiment, condition.axis, condition.text) || isdigit((unsigned char)condition.text[0])))
        fail_msg("%s: a headline has the axis %s = %s", experiment->name, condition.axis, condition.text);
}

static bool pins(const struct lab_headline *headline, const char *axis)
{
    for (const struct lab_axis_text *condition = headline->at; condition->axis != NULL; condition++)
        if (strcmp(condition->axis, axis) == 0)
            return true;
    return is_choice((struct lab_choices){.texts = headline->largest}, axis) ||
           is_choice((struct lab_choices){.texts = headline->smallest}, axis);
}

/* A size is bytes or elements of the data. The experiment that runs what people write knows no sizes. */
TEST(every_headline_is_at_one_size)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        const struct lab_experiment *e = lab_experiments[i];
        for (const struct lab_headline *h = e->headlines; h->title != NULL && strcmp(e->name, "kernel") != 0; h++)
            for (const struct lab_axis *a = e->axes; a->name != NULL; a++) {
                const char *unit = lab_axis_unit(e, a);
                bool is_size = (unit != NULL && strcmp(unit, "B") == 0) || strcmp(a->name, "n") == 0;
                if (is_size && !pins(h, a->name))
                    fail_msg("%s: the headline %s is of any %s", e->name, h->title, a->name);
            }
    }
}

/* Whether all axes of a list, separated by spaces, are declared. */
static bool declares_axes(const struct lab_experiment *experiment, const char *names)
{
    char name[64];
    for (int length; sscanf(names, "%63s%n", name, &length) == 1; names += length)
        if (!declares_axis(experiment, name))
            return false;
    return true;
}

TEST(tables_are_complete)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        const struct lab_experiment *e = lab_experiments[i];
        assert_true(strlen(e->summary) > 20 && strlen(e->explanation) > 200);
        for (const struct lab_metric *m = e->metrics; m->name != NULL; m++)
            assert_true(strlen(m->formula) > 10 && strlen(m->unit) > 0);
        for (const struct lab_view *v = e->views; v->name != NULL; v++) {
            assert_non_null(declared_metric(e, v->metric));
            if (strcmp(v->kind, "scatter") == 0)
                assert_non_null(declared_metric(e, v->x));
            else
                assert_true(declares_axis(e, v->x));
            assert_true(v->beside == NULL || declared_metric(e, v->beside) != NULL);
            assert_true(v->y == NULL || declares_axes(e, v->y));
        }
        for (const struct lab_headline *h = e->headlines; h->title != NULL; h++) {
            assert_non_null(declared_metric(e, h->metric));
            if (h->share != NULL)
                assert_string_equal(declared_metric(e, h->share)->unit, "1");
            for (const struct lab_axis_text *condition = h->at; condition->axis != NULL; condition++)
                assert_is_at_an_axis(e, *condition);
            if (h->except.axis != NULL)
                assert_is_at_an_axis(e, h->except);
            for (const char *const *axis = h->largest; *axis != NULL; axis++)
                assert_true(declares_axis(e, *axis));
            for (const char *const *axis = h->smallest; *axis != NULL; axis++)
                assert_true(declares_axis(e, *axis));
        }
        assert_non_null(e->headlines[0].title);
        json_t *json = lab_experiment_to_json(e);
        assert_non_null(json);
        const json_t *parameters = json_object_get(json_object_get(json, "parameters"), "properties");
        for (const struct lab_schema *p = e->parameters; p->name != NULL; p++) {
            const json_t *description = json_object_get(json_object_get(parameters, p->name), "description");
            assert_true(strlen(p->title) > 0 && json_string_length(description) > 10 && p->fallback != NULL);
        }
        assert_true(json_is_object(json_object_get(json_object_get(json, "presets"), "quick")));
        assert_true(is_subject(e->subject));
        json_decref(json);
    }
}

/* An axis without a title has title and unit of its parameter, so none needs to repeat them. */
TEST(axes_repeat_nothing_of_their_parameters)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_axis *a = lab_experiments[i]->axes; a->name != NULL; a++) {
            const struct lab_schema *p = lab_schema_find(lab_experiments[i]->parameters, a->name);
            if (a->title == NULL && p == NULL)
                fail_msg("%s: axis %s has neither a title nor a parameter", lab_experiments[i]->name, a->name);
            if (a->title != NULL && p != NULL && strcmp(a->title, p->title) == 0)
                fail_msg("%s: axis %s repeats the title of its parameter", lab_experiments[i]->name, a->name);
        }
}

TEST(every_subject_is_listed_once)
{
    for (const struct lab_subject *subject = lab_subjects; subject->name != NULL; subject++)
        for (const struct lab_subject *other = lab_subjects; other < subject; other++)
            assert_string_not_equal(other->name, subject->name);
}

static int start_runtime(void **state)
{
    (void)state;
    struct lab_error error;
    return lab_host_runtime.start(&(struct lab_runtime_options){.host_devices = DEVICES}, &error) ? 0 : -1;
}

static int stop_runtime(void **state)
{
    (void)state;
    lab_host_runtime.stop();
    return 0;
}

AROUND_EACH_TEST(.setup = start_runtime, .teardown = stop_runtime)
