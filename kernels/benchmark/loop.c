/* Visits the points of a run in order. */
#include "benchmark/loop.h"

#include "experiment/points.h"

#include <stdio.h>
#include <string.h>

enum { TRACED_MAX = 32 };

struct visit {
    struct lab_run *run;
    const struct lab_loop *loop;
    void *context;
    struct lab_measurer *measurer;
    size_t traced;
    bool untraceable; /* tracing was refused or its limit was reached: no further point is traced */
};

/* --- metrics ------------------------------------------------------------------------------------------------------ */

static bool report_metric(const struct lab_case *c, const struct lab_report *report, const struct lab_metric *metric)
{
    bool main_metric = strcmp(metric->name, c->metric) == 0;
    switch (metric->counter) {
    case LAB_COUNT_NONE:
        return true;
    case LAB_COUNT_SECONDS:
        return lab_report_time(report, metric->name);
    case LAB_COUNT_STEPS:
    case LAB_COUNT_PARTS:
        return !(c->counts[metric->counter] > 0) || lab_report_step(report, metric->name, c->counts[metric->counter]);
    case LAB_COUNT_BASELINE:
        return lab_report_ratio(report, metric->name, c->counts[LAB_COUNT_BASELINE]);
    default:
        return !(c->counts[metric->counter] > 0) ||
               lab_report_rate(report, metric->name, c->counts[metric->counter] * lab_unit_scale(metric->unit),
                               main_metric ? &c->peak : NULL);
    }
}

static bool report_point(const struct visit *visit, const struct lab_point *point, const struct lab_case *c,
                         const struct lab_outcome *outcome)
{
    const struct lab_report report = {visit->run, point, outcome, c->host_memory, c->kernel};
    for (const struct lab_metric *m = visit->run->experiment->metrics; m->name != NULL; m++)
        if (!report_metric(c, &report, m))
            return false;
    return visit->loop->report == NULL || visit->loop->report(visit->context, c, &report);
}

static void report_skipped(const struct visit *visit, const struct lab_point *point, const struct lab_case *c,
                           const char *reason)
{
    const struct lab_report report = {.run = visit->run, .point = point};
    if (!visit->run->tracing)
        lab_report_skipped(&report, c->metric, reason);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* A point is measured with a cold cache if it has the second value of the axis `cache`. */
static bool is_cold(const struct lab_run *run, const struct lab_point *point)
{
    for (size_t i = 0; run->experiment->axes[i].name != NULL; i++)
        if (strcmp(run->experiment->axes[i].name, "cache") == 0)
            return point->values[i] == 1;
    return false;
}

static bool measure(struct visit *visit, const struct lab_point *point, struct lab_case *c)
{
    struct lab_outcome outcome;
    c->work.cold = c->work.cold || is_cold(visit->run, point);
    if (!lab_measure(visit->measurer, &c->work, &outcome))
        return false;
    if (outcome.unmeasurable == NULL)
        return report_point(visit, point, c, &outcome);
    report_skipped(visit, point, c, outcome.unmeasurable);
    return true;
}

static bool trace(struct visit *visit, const struct lab_point *point)
{
    struct lab_timeline timeline = {0};
    if (visit->untraceable || visit->loop->trace == NULL || !visit->loop->trace(visit->context, point, &timeline))
        return true;
    if (visit->traced++ == TRACED_MAX) {
        char text[64];
        snprintf(text, sizeof text, "only the first %d points have a timeline", TRACED_MAX);
        visit->run->sink.note(visit->run->sink.context, text);
        visit->untraceable = true;
        return true;
    }
    enum lab_timeline_result result = lab_timeline_trace(visit->run, point, &timeline);
    visit->untraceable = result == LAB_TIMELINE_REFUSED;
    return result != LAB_TIMELINE_FAILED;
}

/* Skips a point, without preparing it, because the time budget is used up. */
static bool pass_over(struct visit *visit, const struct lab_point *point, const struct lab_case *c, const char *reason)
{
    if (visit->run->tracing && !visit->untraceable)
        visit->run->sink.note(visit->run->sink.context,
                              "not all points have a timeline: a quarter of the time budget is used up");
    visit->untraceable = true;
    report_skipped(visit, point, c, reason);
    return true;
}

/* Prepares a point. What a device does not support is skipped, unless the device has failed. */
static bool begin(const struct visit *visit, struct lab_point *point, struct lab_case *c)
{
    struct lab_run *run = visit->run;
    struct lab_error *error = &run->error;
    if (visit->loop->begin(visit->context, point, c))
        return true;
    bool ends = strcmp(error->code, "unsupported") != 0;
    for (size_t i = 0; i < run->device_count; i++)
        ends = ends || run->devices[i]->lost;
    if (ends)
        return false;
    snprintf(c->skipped, sizeof c->skipped, "%s", error->detail);
    *error = (struct lab_error){0};
    return true;
}

static bool visit_point(struct visit *visit, struct lab_point point)
{
    const struct lab_loop *loop = visit->loop;
    struct lab_case c = {.measurer = visit->measurer, .metric = visit->run->experiment->metrics[0].name};
    const char *used_up = lab_measurer_used_up(visit->measurer);
    if (used_up != NULL)
        return pass_over(visit, &point, &c, used_up);
    c.peak.what = c.peak_text;
    bool good = begin(visit, &point, &c);
    if (good && c.skipped[0] != '\0') {
        report_skipped(visit, &point, &c, c.skipped);
        lab_measurer_skip(visit->measurer);
    } else if (good) {
        good = visit->run->tracing ? trace(visit, &point) : measure(visit, &point, &c);
    }
    if (loop->end != NULL)
        loop->end(visit->context);
    return good;
}

/* --- all points --------------------------------------------------------------------------------------------------- */

static bool visit_points(struct visit *visit, const struct lab_points *points)
{
    struct lab_run *run = visit->run;
    for (size_t i = 0; i < points->count; i++) {
        char label[192] = "tracing ";
        size_t prefix = run->tracing ? strlen(label) : 0;
        if (lab_run_cancelled(run))
            return lab_error_set(&run->error, "cancelled", "", "the run was cancelled");
        lab_point_label(run->experiment, &points->items[i], label + prefix, sizeof label - prefix);
        run->sink.progress(run->sink.context, i, points->count, label);
        if (!visit_point(visit, points->items[i]))
            return false;
    }
    run->sink.progress(run->sink.context, points->count, points->count, "done");
    return true;
}

bool lab_loop_points(struct lab_run *run, struct lab_points *points)
{
    struct lab_errors errors = {0};
    const struct lab_device_facts *devices[LAB_RUN_DEVICES_MAX];
    for (size_t i = 0; i < run->device_count; i++)
        devices[i] = &run->devices[i]->facts;
    bool good = lab_points_create(points, run->parameters, devices, run->device_count, &errors);
    if (!good)
        run->error = errors.items[0];
    return good;
}

bool lab_loop_run(struct lab_run *run, const struct lab_loop *loop, void *context)
{
    struct visit visit = {.run = run, .loop = loop, .context = context};
    struct lab_points points;
    if (!lab_loop_points(run, &points))
        return false;
    visit.measurer = lab_measurer_create(run, points.count + loop->extra_points);
    bool good = visit.measurer != NULL && visit_points(&visit, &points);
    lab_measurer_release(visit.measurer);
    lab_points_free(&points);
    return good;
}

void lab_loop_warn_once(struct lab_run *run, const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    for (size_t i = 0; i < run->warned_count; i++)
        if (run->warned[i] == hash)
            return;
    if (run->warned_count < LAB_RUN_WARNINGS_MAX)
        run->warned[run->warned_count++] = hash;
    run->sink.warning(run->sink.context, text);
}

void lab_loop_warn_of_cache(struct lab_run *run, const struct lab_device *device, size_t bytes)
{
    int64_t cache = device->facts.l2_bytes;
    char text[160];
    if (run->tracing || cache == LAB_UNKNOWN || bytes > (size_t)cache)
        return;
    snprintf(
        text, sizeof text,
        "points whose data fit in the device's last-level cache (%.0f MiB) may be limited by the cache, not by the "
        "memory",
        (double)cache / 1048576);
    lab_loop_warn_once(run, text);
}
