/* GET /api/v1/series: one point over time on one device model. GET /api/v1/series/points: which points have a
 * series. */
#include "openapi/schemas.h"
#include "resources.h"

#include "analysis/cautions.h"
#include "analysis/shifts.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/result_rows.h"
#include "core/throttle.h"
#include "descriptor/metric.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

/* Older runs than those of the page, so that shifts are the same whatever the page begins with. */
enum { CONTEXT = LAB_SHIFT_WINDOW, MODEL_SIZE = 512 };

/* --- the runs of a page ------------------------------------------------------------------------------------------- */

/* A run of the series, newest first. */
struct run {
    char id[LAB_RUN_ID_SIZE];
    double median, error; /* error: relative standard error of the median, 0 for unknown */
    int64_t environment_key;
    bool wrong;
};

/* The page and the older runs that follow it. */
struct page {
    const char *unit;
    size_t limit, count;
    const int64_t *since; /* the page ends before the first older run; NULL: at `limit` */
    bool is_last;         /* that run was found */
    struct run *runs;
    json_t *values, *baseline;
    bool failed;
};

static bool is_throttled(const json_t *measurement)
{
    json_t *reasons = lab_throttle_cautions(json_object_get(json_object_get(measurement, "conditions"), "throttle"));
    bool any = json_array_size(reasons) > 0;
    json_decref(reasons);
    return any;
}

static json_t *value_of(const struct lab_series_row *row, const char *unit)
{
    json_t *measurement = lab_row_to_json(lab_series_value_members, row, NULL);
    json_object_set_new(measurement, "unit", json_string(unit));
    json_t *value = json_pack("{s:s, s:o, s:O, s:O, s:O, s:O, s:O, s:O, s:b, s:b, s:o, s:b, s:b}", "run", row->id, "at",
                              lab_json_time_or_null(row->created_at), "median", json_object_get(measurement, "median"),
                              "q1", json_object_get(measurement, "q1"), "q3", json_object_get(measurement, "q3"),
                              "noise", json_object_get(measurement, "noise"), "n", json_object_get(measurement, "n"),
                              "verified", json_object_get(measurement, "verified"), "contended", row->contended,
                              "throttled", is_throttled(measurement), "cautions", lab_cautions_of(measurement),
                              "pinned", row->pinned, "environment_changed", 0);
    json_decref(measurement);
    return value;
}

/* The standard error of the median of normal samples; 0 when it is not known. */
static double relative_error(const struct lab_series_row *row)
{
    static const double of_median = 1.2533141373155; /* sqrt(pi / 2), against that of the mean */
    static const double quartiles = 1.3489795003922; /* their distance in standard deviations */
    return row->n > 1 && isfinite(row->noise) ? of_median * row->noise / quartiles / sqrt((double)row->n) : 0;
}

/* Marks the value before, which is newer, when its environment differs from that of this run. */
static void mark_change(struct page *page, const struct lab_series_row *row)
{
    const struct run *newer = page->count > 0 ? &page->runs[page->count - 1] : NULL;
    if (newer != NULL && page->count <= page->limit && newer->environment_key != INT64_MIN &&
        row->environment_key != INT64_MIN && newer->environment_key != row->environment_key)
        json_object_set_new(json_array_get(page->values, page->count - 1), "environment_changed", json_true());
}

static void series_add_run(void *context, const struct lab_series_row *row)
{
    struct page *page = context;
    struct run *run = &page->runs[page->count];
    if (page->since != NULL && row->created_at < *page->since && page->count <= page->limit) {
        page->limit = page->count;
        page->is_last = true;
    }
    mark_change(page, row);
    *run = (struct run){.median = row->median,
                        .error = relative_error(row),
                        .environment_key = row->environment_key,
                        .wrong = row->verified == 0};
    memcpy(run->id, row->id, sizeof run->id);
    if (page->count++ < page->limit && json_array_append_new(page->values, value_of(row, page->unit)) != 0)
        page->failed = true;
}

/* --- shifts ------------------------------------------------------------------------------------------------------- */

/* The shifts at runs of the page, oldest first, and in *missing how many runs more a first one needs; NULL when out of
 * memory. Wrong results are no part of a level. */
static json_t *shifts_of(const struct page *page, size_t *missing)
{
    const struct lab_shift_options options = LAB_SHIFT_DEFAULTS;
    size_t count = page->count, first = count > page->limit ? count - page->limit : 0;
    double *values = calloc(count + 1, sizeof *values), *errors = calloc(count + 1, sizeof *errors);
    struct lab_shift *shifts = calloc(count / LAB_SHIFT_RUNS_AFTER + 1, sizeof *shifts);
    json_t *list = values != NULL && errors != NULL && shifts != NULL ? json_array() : NULL;
    for (size_t i = 0; list != NULL && i < count; i++) {
        const struct run *run = &page->runs[count - 1 - i];
        values[i] = run->wrong ? (double)NAN : run->median;
        errors[i] = run->error;
    }
    size_t found = list != NULL ? lab_shifts_find(values, errors, count, &options, shifts) : 0;
    *missing = list != NULL ? lab_shift_runs_missing(values, count) : 0;
    for (size_t i = 0; i < found; i++)
        if (shifts[i].index >= first)
            json_array_append_new(list,
                                  json_pack("{s:s, s:f, s:f, s:f, s:f}", "run",
                                            page->runs[count - 1 - shifts[i].index].id, "before", shifts[i].before,
                                            "after", shifts[i].after, "relative", shifts[i].size, "p", shifts[i].p));
    free(values);
    free(errors);
    free(shifts);
    return list;
}

/* --- the series --------------------------------------------------------------------------------------------------- */

/* The point of the request. */
struct point {
    int64_t id;
    json_t *document;
};

static void keep_point(void *context, const struct lab_point_row *row)
{
    struct point *point = context;
    point->id = row->id;
    const char *better = lab_better_name(lab_metric_better(row->metric, row->unit));
    point->document = json_pack("{s:o, s:s, s:s, s:s?}", "axes", lab_json_stored_object(row->axes), "metric",
                                row->metric, "unit", row->unit, "better", better);
}

static void keep_baseline(void *context, const struct lab_series_row *row)
{
    *(json_t **)context = json_pack("{s:s, s:o}", "run", row->id, "median", lab_json_real_or_null(row->median));
}

/* Reads the page, and what is shown beside it. */
static enum lab_store_result read_page(struct lab_store *store, const struct lab_series_filter *filter,
                                       struct page *page)
{
    struct lab_series_filter wider = *filter;
    const struct lab_series_filter pinned = {
        .point = filter->point, .model = filter->model, .device = filter->device, .pinned = true, .limit = 1};
    wider.limit = filter->limit + CONTEXT;
    page->limit = filter->limit;
    page->values = json_array();
    page->runs = calloc(wider.limit, sizeof *page->runs);
    if (page->runs == NULL)
        return lab_store_no_memory();
    enum lab_store_result result = lab_store_series(store, &wider, series_add_run, page);
    if (result == LAB_STORE_OK)
        result = lab_store_series(store, &pinned, keep_baseline, &page->baseline);
    return result == LAB_STORE_OK && page->failed ? lab_store_no_memory() : result;
}

/* Writes the model whose series is asked for: `device` itself if that is a model that has the point, otherwise that of
 * the newest run on the device. *device becomes NULL if it is the model. */
static enum lab_store_result find_model(struct lab_store *store, int64_t point, const char **device, char *model)
{
    enum lab_store_result result = lab_store_series_model(store, point, *device, model, MODEL_SIZE);
    if (result == LAB_STORE_OK && *device != NULL && strcmp(*device, model) == 0)
        *device = NULL;
    return result;
}

/* A point that only runs have measured whose values are in no series is answered like one that does not exist. */
static void respond_unmeasured(const struct lab_request *request, struct lab_response *response)
{
    lab_respond_problem(response, LAB_ERROR_NOT_FOUND,
                        lab_request_query(request, "device") != NULL ? "No run has measured this point on this device."
                                                                     : "No run has measured this point.",
                        NULL);
}

static void respond_series(const struct lab_request *request, struct lab_response *response, struct point *point)
{
    struct lab_store *store = lab_api_of(request)->store;
    const char *device = lab_request_query(request, "device");
    char model[MODEL_SIZE];
    int64_t since, until;
    struct page page = {.unit = lab_text_of(point->document, "unit"),
                        .since = lab_request_time(request, "since", &since) ? &since : NULL};
    enum lab_store_result result = find_model(store, point->id, &device, model);
    const struct lab_series_filter filter = {.point = point->id,
                                             .model = model,
                                             .device = device,
                                             .before = lab_request_query(request, "before"),
                                             .until = lab_request_time(request, "until", &until) ? &until : NULL,
                                             .limit = (size_t)lab_request_integer(request, "limit")};
    if (result == LAB_STORE_OK)
        result = read_page(store, &filter, &page);
    if (result == LAB_STORE_OK) {
        size_t missing;
        json_t *shifts = shifts_of(&page, &missing);
        lab_respond_json(response, 200,
                         json_pack("{s:O, s:s, s:O, s:o, s:I, s:O?, s:s?}", "point", point->document, "model", model,
                                   "values", page.values, "shifts", shifts, "shift_runs_missing", (json_int_t)missing,
                                   "baseline", page.baseline, "next",
                                   !page.is_last && page.count > page.limit ? page.runs[page.limit - 1].id : NULL));
    } else if (result == LAB_STORE_NOT_FOUND)
        respond_unmeasured(request, response);
    else
        lab_reply_store_error(request, response, result);
    json_decref(page.values);
    json_decref(page.baseline);
    free(page.runs);
}

void lab_api_get_series(const struct lab_request *request, struct lab_response *response)
{
    struct lab_errors errors = {0};
    struct point point = {0};
    const char *text = lab_request_query(request, "axes");
    struct lab_json_fault fault;
    json_t *axes = lab_json_parse(text, strlen(text), &fault);
    if (!json_is_object(axes)) {
        json_decref(axes);
        lab_errors_add(&errors, LAB_ERROR_WRONG_TYPE, "/query/axes",
                       "Must be a JSON object, such as {\"bytes\":4096}.");
        lab_reply_invalid(response, &errors);
        return;
    }
    json_decref(axes);
    enum lab_store_result result =
        lab_store_find_point(lab_api_of(request)->store, lab_request_query(request, "experiment"),
                             lab_request_query(request, "metric"), text, keep_point, &point);
    if (result == LAB_STORE_OK)
        respond_series(request, response, &point);
    else if (result == LAB_STORE_NOT_FOUND)
        respond_unmeasured(request, response);
    else
        lab_reply_store_error(request, response, result);
    json_decref(point.document);
}

/* --- the points --------------------------------------------------------------------------------------------------- */

struct points {
    json_t *list;
    bool failed;
};

static void series_add_point(void *context, const struct lab_point_summary *row)
{
    struct points *points = context;
    const struct lab_series_row *last = &row->last;
    json_t *point = json_pack(
        "{s:o, s:s, s:s, s:s, s:I, s:{s:s, s:o, s:o}}", "axes", lab_json_stored_object(row->point.axes), "metric",
        row->point.metric, "unit", row->point.unit, "model", row->model, "runs", (json_int_t)row->runs, "last", "run",
        last->id, "at", lab_json_time_or_null(last->created_at), "median", lab_json_real_or_null(last->median));
    if (json_array_append_new(points->list, point) != 0)
        points->failed = true;
}

void lab_api_list_series_points(const struct lab_request *request, struct lab_response *response)
{
    struct points points = {.list = json_array()};
    size_t limit = (size_t)lab_request_integer(request, "limit");
    enum lab_store_result result = lab_store_list_points(
        lab_api_of(request)->store, lab_request_query(request, "experiment"), lab_request_query(request, "metric"),
        lab_request_query(request, "device"), limit + 1, series_add_point, &points);
    bool more = json_array_size(points.list) > limit;
    if (more)
        json_array_remove(points.list, limit);
    if (result == LAB_STORE_OK && !points.failed) {
        lab_respond_json(response, 200, json_pack("{s:o, s:b}", "points", points.list, "more", more));
        return;
    }
    json_decref(points.list);
    lab_reply_store_error(request, response, result == LAB_STORE_OK ? lab_store_no_memory() : result);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema series_point_members[] = {
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(CHOICE, "better"), .nullable = true, .choices = LAB_TEXTS("higher", "lower")},
    {0},
};

static const struct lab_schema series_values_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(TIME, "at"), .component = "Time"},
    {LAB_GIVEN(NUMBER, "median")},
    {LAB_GIVEN(NUMBER, "q1"), .nullable = true},
    {LAB_GIVEN(NUMBER, "q3"), .nullable = true},
    {LAB_GIVEN(NUMBER, "noise"), .nullable = true},
    {LAB_GIVEN(INTEGER, "n")},
    {LAB_GIVEN(BOOLEAN, "verified"), .nullable = true},
    {LAB_GIVEN(BOOLEAN, "contended")},
    {LAB_GIVEN(BOOLEAN, "throttled")},
    {LAB_GIVEN(OBJECT, "cautions"), .component = "Cautions"},
    {LAB_GIVEN(BOOLEAN, "pinned")},
    {LAB_GIVEN(BOOLEAN, "environment_changed"), .text = "Since the run before."},
    {0},
};

static const struct lab_schema series_shifts_members[] = {
    {LAB_GIVEN(STRING, "run"), .text = "The first run of the new level."},
    {LAB_GIVEN(NUMBER, "before")},
    {LAB_GIVEN(NUMBER, "after")},
    {LAB_GIVEN(NUMBER, "relative"), .text = "after / before - 1."},
    {LAB_GIVEN(NUMBER, "p")},
    {0},
};

static const struct lab_schema series_baseline_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(NUMBER, "median")},
    {0},
};

static const struct lab_schema series_members[] = {
    {LAB_GIVEN(OBJECT, "point"), .members = series_point_members},
    {LAB_GIVEN(STRING, "model"), .text = "The names of the runs' devices."},
    {LAB_GIVEN(OBJECT, "values"), .count = LAB_LIST, .members = series_values_members, .text = "Newest first."},
    {LAB_GIVEN(OBJECT, "shifts"), .count = LAB_LIST, .members = series_shifts_members,
     .text = "Lasting changes of the level, oldest first."},
    {LAB_GIVEN(INTEGER, "shift_runs_missing"), .maximum = INFINITY,
     .text = "How many runs more are needed before a first shift can be found."},
    {LAB_GIVEN(OBJECT, "baseline"), .nullable = true, .members = series_baseline_members,
     .text = "The newest pinned run."},
    {LAB_GIVEN(STRING, "next"), .nullable = true, .text = "`before` of the next page."},
    {0},
};

static const struct lab_schema series_points_points_last_members[] = {
    {LAB_GIVEN(STRING, "run")},
    {LAB_GIVEN(TIME, "at"), .component = "Time"},
    {LAB_GIVEN(NUMBER, "median")},
    {0},
};

static const struct lab_schema series_points_points_members[] = {
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(STRING, "model")},
    {LAB_GIVEN(INTEGER, "runs"), .maximum = 1000, .text = "1000 stands for 1000 or more."},
    {LAB_GIVEN(OBJECT, "last"), .members = series_points_points_last_members},
    {0},
};

static const struct lab_schema series_points_members[] = {
    {LAB_GIVEN(OBJECT, "points"), .count = LAB_LIST, .members = series_points_points_members},
    {LAB_GIVEN(BOOLEAN, "more"), .text = "Whether there are more points than the limit."},
    {0},
};

const struct lab_schema lab_series_documents[] = {
    {.name = "Series",
     .type = LAB_TYPE_OBJECT,
     .members = series_members,
     .text = "One point on one device model over time."},
    {.name = "SeriesPoints", .type = LAB_TYPE_OBJECT, .members = series_points_members},
    {0},
};
