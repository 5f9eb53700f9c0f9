/* GET /api/v1/runs/{id}/normal: whether the headlines of a run are as usual: compared with earlier runs of the same
 * point and device model, and with published results. A route of its own, because lists of runs must not read the
 * history. */
#include "openapi/schemas.h"
#include "resources.h"

#include "analysis/rank.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "descriptor/metric.h"
#include "descriptor/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

/* Earlier runs that are looked at; a difference that is too small to matter. */
enum { HISTORY_RUNS = 200 };
static const double minimum_effect = 0.01;

/* What is needed of the run. */
struct subject {
    struct lab_run_row *run;
    json_t *headlines, *devices;
};

/* --- the lab's own history ---------------------------------------------------------------------------------------- */

struct medians {
    size_t count;
    double values[HISTORY_RUNS];
};

static void add_median(void *context, const struct lab_series_row *row)
{
    struct medians *medians = context;
    if (row->verified != 0)
        medians->values[medians->count++] = row->median;
}

static void keep_id(void *context, const struct lab_point_row *row)
{
    *(int64_t *)context = row->id;
}

static enum lab_store_result read_history(struct lab_store *store, const struct subject *subject,
                                          const json_t *headline, struct medians *medians)
{
    char *axes = json_dumps(json_object_get(headline, "axes"), JSON_COMPACT);
    struct lab_series_filter filter = {.model = subject->run->model, .before = subject->run->id, .limit = HISTORY_RUNS};
    enum lab_store_result result = axes == NULL
                                       ? lab_store_no_memory()
                                       : lab_store_find_point(store, subject->run->experiment,
                                                              json_string_value(json_object_get(headline, "metric")),
                                                              axes, keep_id, &filter.point);
    free(axes);
    if (result == LAB_STORE_OK)
        result = lab_store_series(store, &filter, add_median, medians);
    return result == LAB_STORE_NOT_FOUND ? LAB_STORE_OK : result;
}

static json_t *history_json(const struct lab_rank *rank)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "runs", (json_int_t)rank->count, "median",
                     lab_json_real_or_null(rank->median), "q1", lab_json_real_or_null(rank->q1), "q3",
                     lab_json_real_or_null(rank->q3), "low", lab_json_real_or_null(rank->low), "high",
                     lab_json_real_or_null(rank->high), "percentile", lab_json_real_or_null(100 * rank->share_below));
}

/* --- published results -------------------------------------------------------------------------------------------- */

struct matching {
    const struct subject *subject;
    const json_t *headline;
    json_t *list;
};

/* Whether the point is one of the reference, whose axes are JSON text. */
static bool is_point(const char *axes_text, const json_t *point)
{
    json_t *axes = lab_json_stored(axes_text);
    bool equal = axes != NULL && lab_reference_is_of_point(axes, point);
    json_decref(axes);
    return equal;
}

/* Whether the run has the parameters of the reference. */
static bool is_run(const struct lab_reference *reference, const struct lab_run_row *run)
{
    json_t *parameters = lab_json_stored(reference->parameters), *given = lab_json_stored(run->parameters);
    bool equal = lab_reference_is_of_run(parameters, given);
    json_decref(parameters);
    json_decref(given);
    return equal;
}

static void add_reference(void *context, const struct lab_experiment *experiment, const struct lab_reference *reference)
{
    struct matching *matching = context;
    (void)experiment;
    const json_t *headline = matching->headline;
    if (strcmp(reference->metric, json_string_value(json_object_get(headline, "metric"))) != 0 ||
        !lab_reference_is_of_system(reference->system, matching->subject->run->model,
                                    json_array_size(matching->subject->devices)) ||
        !is_point(reference->axes, json_object_get(headline, "axes")) || !is_run(reference, matching->subject->run))
        return;
    double value = json_number_value(json_object_get(headline, "value"));
    json_array_append_new(matching->list,
                          json_pack("{s:s, s:s, s:f, s:s?, s:o}", "system", reference->system, "source",
                                    reference->source, "value", reference->value, "remark", reference->remark, "share",
                                    lab_json_real_or_null(value / reference->value)));
}

/* --- the document ------------------------------------------------------------------------------------------------- */

/* One headline; NULL with *result set on a failure. */
static json_t *judge(struct lab_store *store, const struct subject *subject, const json_t *headline,
                     enum lab_store_result *result)
{
    const char *metric = json_string_value(json_object_get(headline, "metric")),
               *unit = json_string_value(json_object_get(headline, "unit"));
    enum lab_better better = lab_metric_better(metric, unit);
    struct medians medians = {0};
    struct lab_rank rank;
    *result = read_history(store, subject, headline, &medians);
    if (*result == LAB_STORE_OK && !lab_rank(json_number_value(json_object_get(headline, "value")), medians.values,
                                             medians.count, better == LAB_BETTER_HIGHER, minimum_effect, &rank))
        *result = lab_store_no_memory();
    if (*result != LAB_STORE_OK)
        return NULL;
    struct matching matching = {subject, headline, json_array()};
    lab_references_each(subject->run->experiment, add_reference, &matching);
    bool deviates = rank.verdict == LAB_RANK_HIGHER || rank.verdict == LAB_RANK_LOWER;
    return json_pack("{s:O, s:s, s:s, s:O, s:O, s:s, s:o, s:o, s:o}", "title", json_object_get(headline, "title"),
                     "metric", metric, "unit", unit, "value", json_object_get(headline, "value"), "axes",
                     json_object_get(headline, "axes"), "verdict", lab_rank_verdict_names[rank.verdict], "better",
                     deviates ? json_boolean(rank.better) : json_null(), "history", history_json(&rank), "references",
                     matching.list);
}

static bool is_headline(const json_t *headline)
{
    return json_is_string(json_object_get(headline, "title")) && json_is_string(json_object_get(headline, "metric")) &&
           json_is_string(json_object_get(headline, "unit")) && json_is_number(json_object_get(headline, "value")) &&
           json_is_object(json_object_get(headline, "axes"));
}

void lab_api_get_normal(const struct lab_request *request, struct lab_response *response)
{
    struct lab_store *store = lab_api_of(request)->store;
    struct subject subject = {0};
    json_t *list = json_array(), *headline;
    size_t index;
    enum lab_store_result result = lab_store_get_run(store, lab_request_part(request, "id"), &subject.run);
    if (result == LAB_STORE_OK) {
        subject.headlines = lab_json_stored(subject.run->headline);
        subject.devices = lab_json_stored(subject.run->devices);
    }
    json_array_foreach(subject.headlines, index, headline)
    {
        if (result == LAB_STORE_OK && is_headline(headline))
            json_array_append_new(list, judge(store, &subject, headline, &result));
    }
    if (result == LAB_STORE_OK) {
        lab_respond_json(response, 200, json_pack("{s:s?, s:o}", "model", subject.run->model, "headlines", list));
    } else {
        json_decref(list);
        lab_reply_store_error(request, response, result);
    }
    json_decref(subject.headlines);
    json_decref(subject.devices);
    free(subject.run);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema normal_headlines_history_members[] = {
    {LAB_GIVEN(INTEGER, "runs")},
    {LAB_GIVEN(NUMBER, "median"), .nullable = true},
    {LAB_GIVEN(NUMBER, "q1"), .nullable = true},
    {LAB_GIVEN(NUMBER, "q3"), .nullable = true},
    {LAB_GIVEN(NUMBER, "percentile"), .nullable = true},
    {LAB_GIVEN(NUMBER, "low"), .nullable = true, .text = "The lower end of the usual range."},
    {LAB_GIVEN(NUMBER, "high"), .nullable = true},
    {0},
};

static const struct lab_schema normal_headlines_references_members[] = {
    {LAB_GIVEN(STRING, "system")},
    {LAB_GIVEN(STRING, "source")},
    {LAB_GIVEN(NUMBER, "value")},
    {LAB_GIVEN(STRING, "remark"), .nullable = true},
    {LAB_GIVEN(NUMBER, "share"), .nullable = true, .text = "The run's value / this value."},
    {0},
};

static const struct lab_schema normal_headlines_members[] = {
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "metric")},
    {LAB_GIVEN(STRING, "unit")},
    {LAB_GIVEN(NUMBER, "value")},
    {LAB_GIVEN(OBJECT, "axes"), .component = "Axes"},
    {LAB_GIVEN(CHOICE, "verdict"), .choices = lab_rank_verdict_names},
    {LAB_GIVEN(BOOLEAN, "better"), .nullable = true, .text = "Whether the deviation is a good one."},
    {LAB_GIVEN(OBJECT, "history"), .members = normal_headlines_history_members,
     .text = "The usual range of earlier runs; null where there are too few."},
    {LAB_GIVEN(OBJECT, "references"), .count = LAB_LIST, .members = normal_headlines_references_members},
    {0},
};

static const struct lab_schema normal_members[] = {
    {LAB_GIVEN(STRING, "model")},
    {LAB_GIVEN(OBJECT, "headlines"), .count = LAB_LIST, .members = normal_headlines_members},
    {0},
};

const struct lab_schema lab_normal_documents[] = {
    {.name = "Normal", .type = LAB_TYPE_OBJECT, .members = normal_members},
    {0},
};
