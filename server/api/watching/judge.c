#include "judge.h"

#include "figures.h"

#include "history/health_runs.h"

#include "analysis/rank.h"
#include "analysis/shifts.h"
#include "core/clock.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "descriptor/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lab_watch_kinds[] = {
    [LAB_WATCH_SLOWER] = "slower",
    [LAB_WATCH_SHIFT] = "shift",
    [LAB_WATCH_LIMIT] = "limit",
    [LAB_WATCH_HEALTH] = "health",
    [LAB_WATCH_NODE] = "node",
    [LAB_WATCH_DISK] = "disk",
    NULL,
};

/* Earlier runs that are looked at; lines about points in a notice. */
enum { HISTORY_RUNS = 200, LINES_MAX = 8, LINE_SIZE = 640 };
static const double minimum_effect = 0.01;

/* What a notice is made of. */
struct report {
    size_t count; /* points, or findings, of which the text has the first LINES_MAX */
    char text[LINES_MAX * LINE_SIZE + 512];
    size_t used;
};

static void add_line(struct report *report, const char *line)
{
    if (report->count++ >= LINES_MAX || report->used >= sizeof report->text)
        return;
    int written = snprintf(report->text + report->used, sizeof report->text - report->used, "%s%.600s",
                           report->used > 0 ? "\n" : "", line);
    report->used += written > 0 ? (size_t)written : 0;
}

/* --- points ------------------------------------------------------------------------------------------------------- */

/* A point of the run. */
struct point {
    char *title, *metric, *unit, *axes; /* title: of a headline, else that of the metric */
    double value;
};
struct points {
    struct point *items;
    size_t count;
    const char *metric; /* only points of this metric */
};

static void add_point(struct points *points, const char *title, const char *metric, const char *unit, const char *axes,
                      double value)
{
    struct point *larger = realloc(points->items, (points->count + 1) * sizeof *larger);
    if (larger == NULL)
        return;
    points->items = larger;
    struct point *point = &larger[points->count];
    *point = (struct point){strdup(title), strdup(metric), strdup(unit), strdup(axes), value};
    points->count += point->title != NULL && point->metric != NULL && point->unit != NULL && point->axes != NULL;
}

static void add_measurement(void *context, const struct lab_measurement_row *row)
{
    struct points *points = context;
    if (row->skipped == NULL && row->side == NULL && isfinite(row->median) && row->verified != 0 &&
        strcmp(row->metric, points->metric) == 0)
        add_point(points, row->metric, row->metric, row->unit, row->axes, row->median);
}

/* The points of the watched metric; without one, those of the run's headlines. */
static void read_points(const struct lab_api *api, const struct lab_run_row *run, struct points *points)
{
    size_t i;
    json_t *headline, *list = points->metric == NULL ? lab_json_stored(run->headline) : NULL;
    if (points->metric != NULL)
        lab_store_list_measurements(api->store, run->id, 0, SIZE_MAX, add_measurement, points);
    json_array_foreach(list, i, headline)
    {
        char *axes = json_dumps(json_object_get(headline, "axes"), JSON_COMPACT);
        const json_t *value = json_object_get(headline, "value");
        if (axes != NULL && json_is_number(value))
            add_point(points, lab_text_of(headline, "title"), lab_text_of(headline, "metric"),
                      lab_text_of(headline, "unit"), axes, json_number_value(value));
        free(axes);
    }
    json_decref(list);
}

static void release_points(struct points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        free(points->items[i].title);
        free(points->items[i].metric);
        free(points->items[i].unit);
        free(points->items[i].axes);
    }
    free(points->items);
}

struct medians {
    size_t count;
    double values[HISTORY_RUNS + 1]; /* the newest first */
};

static void add_median(void *context, const struct lab_series_row *row)
{
    struct medians *medians = context;
    medians->values[medians->count++] = row->median;
}

static void keep_id(void *context, const struct lab_point_row *row)
{
    *(int64_t *)context = row->id;
}

/* What earlier runs on the device model have measured at the point. */
static void read_history(const struct lab_api *api, const struct lab_run_row *run, const struct point *point,
                         struct medians *medians)
{
    struct lab_series_filter filter = {.model = run->model, .before = run->id, .right = true, .limit = HISTORY_RUNS};
    if (lab_store_find_point(api->store, run->experiment, point->metric, point->axes, keep_id, &filter.point) ==
        LAB_STORE_OK)
        lab_store_series(api->store, &filter, add_median, medians);
}

/* --- the judgements ----------------------------------------------------------------------------------------------- */

/* How the point stands to earlier runs: -1 for worse, 1 for better, 0 for as usual. False when there are too few of
 * them, or no value is better. */
static bool compare(const struct point *point, const struct medians *medians, struct lab_rank *rank, int *deviation)
{
    enum lab_better better = lab_metric_better(point->metric, point->unit);
    if (better == LAB_BETTER_NONE ||
        !lab_rank(point->value, medians->values, medians->count, better == LAB_BETTER_HIGHER, minimum_effect, rank))
        return false;
    *deviation = rank->verdict == LAB_RANK_AS_USUAL ? 0 : rank->better ? 1 : -1;
    return rank->verdict != LAB_RANK_TOO_FEW;
}

static void judge_slower(struct report *report, const struct point *point, const struct medians *medians)
{
    char line[LINE_SIZE];
    struct lab_rank rank;
    int deviation;
    if (!compare(point, medians, &rank, &deviation) || deviation >= 0)
        return;
    snprintf(line, sizeof line, "%s of %.300s: %.6g %s, usually %.6g to %.6g (median of %zu earlier runs: %.6g)",
             point->metric, point->axes, point->value, point->unit, rank.low, rank.high, rank.count, rank.median);
    add_line(report, line);
}

/* Finds the lasting change that the run of the point shows. False when there is none; *runs: since how many runs it
 * lasts. */
static bool find_shift(const struct point *point, const struct medians *medians, struct lab_shift *shift, size_t *runs)
{
    double values[HISTORY_RUNS + 1];
    size_t count = medians->count + 1;
    struct lab_shift shifts[(HISTORY_RUNS + 1) / LAB_SHIFT_RUNS_AFTER + 1];
    const struct lab_shift_options options = LAB_SHIFT_DEFAULTS;
    for (size_t i = 0; i < medians->count; i++)
        values[i] = medians->values[medians->count - 1 - i];
    values[medians->count] = point->value;
    size_t found = lab_shifts_find(values, NULL, count, &options, shifts);
    if (found == 0 || shifts[found - 1].found != count - 1)
        return false;
    *shift = shifts[found - 1];
    *runs = count - shift->index;
    return true;
}

static void judge_shift(struct report *report, const struct point *point, const struct medians *medians)
{
    char line[LINE_SIZE];
    struct lab_shift shift;
    size_t runs;
    if (!find_shift(point, medians, &shift, &runs))
        return;
    snprintf(line, sizeof line, "%s of %.300s: from %.6g to %.6g %s (%+.2f %%) since %zu runs", point->metric,
             point->axes, shift.before, shift.after, point->unit, 100 * shift.size, runs);
    add_line(report, line);
}

static void judge_limit(struct report *report, const struct point *point, const struct lab_watch_row *watch)
{
    char line[LINE_SIZE];
    bool low = point->value<watch->low, high = point->value> watch->high; /* false where there is no limit */
    if (!low && !high)
        return;
    snprintf(line, sizeof line, "%s of %.300s: %.6g %s, which is %s the limit of %.6g", point->metric, point->axes,
             point->value, point->unit, low ? "below" : "above", low ? watch->low : watch->high);
    add_line(report, line);
}

static void judge_health(struct report *report, const struct lab_api *api, const struct lab_run_row *run)
{
    size_t i;
    json_t *finding, *health = lab_machine_health(api, run->id);
    if (strcmp(lab_text_of(health, "verdict"), "unhealthy") == 0) {
        add_line(report, lab_text_of(health, "summary"));
        json_array_foreach(json_object_get(health, "findings"), i, finding)
        {
            if (strcmp(lab_text_of(finding, "level"), lab_health_level_names[LAB_HEALTH_FAILURE]) == 0)
                add_line(report, lab_text_of(finding, "text"));
        }
    }
    json_decref(health);
}

static void judge_points(struct report *report, const struct lab_api *api, const struct lab_run_row *run,
                         const struct lab_watch_row *watch, enum lab_watch_kind kind)
{
    struct points points = {.metric = watch->metric};
    read_points(api, run, &points);
    for (size_t i = 0; i < points.count; i++) {
        struct medians medians = {0};
        if (kind != LAB_WATCH_LIMIT)
            read_history(api, run, &points.items[i], &medians);
        if (kind == LAB_WATCH_SLOWER)
            judge_slower(report, &points.items[i], &medians);
        else if (kind == LAB_WATCH_SHIFT)
            judge_shift(report, &points.items[i], &medians);
        else
            judge_limit(report, &points.items[i], watch);
    }
    release_points(&points);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static void set_figure(const struct lab_api *api, const struct lab_run_row *run, const struct point *point)
{
    struct lab_headline_figure figure = {.value = point->value};
    struct medians medians = {0};
    struct lab_rank rank;
    struct lab_shift shift;
    size_t runs;
    read_history(api, run, point, &medians);
    snprintf(figure.experiment, sizeof figure.experiment, "%s", run->experiment);
    snprintf(figure.headline, sizeof figure.headline, "%s", point->title);
    snprintf(figure.unit, sizeof figure.unit, "%s", point->unit);
    snprintf(figure.model, sizeof figure.model, "%s", run->model);
    snprintf(figure.host, sizeof figure.host, "%s", run->host);
    figure.judged = compare(point, &medians, &rank, &figure.deviation);
    if (figure.judged) {
        figure.low = rank.low;
        figure.high = rank.high;
    }
    if (find_shift(point, &medians, &shift, &runs))
        figure.shift = shift.size;
    lab_figures_set(api->figures, &figure);
}

static bool is_comparable(const struct lab_run_row *run)
{
    return run->kernel == NULL && run->program == NULL && run->compare_with == NULL;
}

void lab_judge_figures(const struct lab_api *api, const struct lab_run_row *run)
{
    struct points points = {0};
    json_t *health = lab_machine_health(api, run->id);
    const char *verdict = lab_optional_text_of(health, "verdict");
    if (verdict != NULL)
        lab_figures_set_health(api->figures, run->host, verdict);
    if (health == NULL && is_comparable(run) && run->status == LAB_STATUS_SUCCEEDED)
        read_points(api, run, &points);
    for (size_t i = 0; i < points.count; i++)
        set_figure(api, run, &points.items[i]);
    release_points(&points);
    json_decref(health);
}

/* --- notices ------------------------------------------------------------------------------------------------------ */

static json_t *content_of(enum lab_watch_kind kind, json_t *title, json_t *text)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "kind", lab_watch_kinds[kind], "at", lab_json_time_or_null(lab_time_now()),
                     "title", title, "text", text);
}

static enum lab_watch_kind kind_of(const struct lab_watch_row *watch)
{
    size_t kind = 0;
    while (lab_watch_kinds[kind + 1] != NULL && strcmp(lab_watch_kinds[kind], watch->kind) != 0)
        kind++;
    return (enum lab_watch_kind)kind;
}

json_t *lab_judge_run(const struct lab_api *api, const struct lab_run_row *run, const struct lab_watch_row *watch)
{
    static const char *const said[] = {
        [LAB_WATCH_SLOWER] = "is slower than usual",
        [LAB_WATCH_SHIFT] = "has another level since some runs",
        [LAB_WATCH_LIMIT] = "is outside of its limits",
        [LAB_WATCH_HEALTH] = "found a device unhealthy",
    };
    struct report report = {0};
    enum lab_watch_kind kind = kind_of(watch);
    if (kind == LAB_WATCH_HEALTH)
        judge_health(&report, api, run);
    else if (kind <= LAB_WATCH_LIMIT && is_comparable(run) &&
             (watch->experiment == NULL || strcmp(watch->experiment, run->experiment) == 0))
        judge_points(&report, api, run, watch, kind);
    if (report.count == 0)
        return NULL;
    char more[40] = "";
    if (report.count > LINES_MAX)
        snprintf(more, sizeof more, "\nand %zu more", report.count - LINES_MAX);
    json_t *content = content_of(kind, json_sprintf("%s on %s %s", run->experiment, run->host, said[kind]),
                                 json_sprintf("%s%s\nRun %s", report.text, more, run->id));
    json_object_update_new(content, json_pack("{s:s, s:s, s:s, s:o?}", "run", run->id, "experiment", run->experiment,
                                              "host", run->host, "tags", lab_json_stored_list(run->tags)));
    return content;
}

json_t *lab_judge_lab(enum lab_watch_kind kind, const char *subject, const char *reason)
{
    json_t *content = content_of(kind,
                                 kind == LAB_WATCH_NODE ? json_sprintf("No run can be started on %s", subject)
                                                        : json_string("The lab cannot store results"),
                                 json_string(reason));
    if (subject != NULL)
        json_object_set_new(content, "host", json_string(subject));
    return content;
}
