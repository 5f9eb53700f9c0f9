/* Picks the headlines of a run from its measurements. */
#include "descriptor/headline.h"

#include "core/json_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_headlines {
    const struct lab_experiment *experiment;
    json_t *chosen; /* for each headline its measurement, or null */
    json_t *shares; /* the measurements of metrics that a headline has as `share` */
};

/* --- what an experiment declares ---------------------------------------------------------------------------------- */

static json_t *texts_json(const char *const *texts)
{
    json_t *list = json_array();
    for (; *texts != NULL; texts++)
        json_array_append_new(list, json_string(*texts));
    return list;
}

static json_t *conditions_json(const struct lab_axis_text *conditions, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count && conditions[i].axis != NULL; i++)
        json_object_set_new(object, conditions[i].axis, json_string(conditions[i].text));
    return object;
}

json_t *lab_headlines_to_json(const struct lab_experiment *experiment)
{
    json_t *list = json_array();
    for (const struct lab_headline *h = experiment->headlines; h->title != NULL; h++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s?, s:s, s:s}", "title", h->title, "metric",
                                        h->metric, "at", conditions_json(h->at, LAB_HEADLINE_AXES_MAX), "except",
                                        conditions_json(&h->except, 1), "largest", texts_json(h->largest), "smallest",
                                        texts_json(h->smallest), "share", h->share, "best",
                                        h->lowest ? "lowest" : "highest", "open", h->worst ? "worst" : "best"));
    return list;
}

/* --- which measurement -------------------------------------------------------------------------------------------- */

static const json_t *axis_of(const json_t *measurement, const char *axis)
{
    return json_object_get(json_object_get(measurement, "axes"), axis);
}

static bool has_text(const json_t *value, const char *text)
{
    char number[32] = "";
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    const char *found = json_is_string(value)    ? json_string_value(value)
                        : json_is_true(value)    ? "true"
                        : json_is_false(value)   ? "false"
                        : json_is_integer(value) ? number
                                                 : NULL;
    return found != NULL && strcmp(found, text) == 0;
}

static bool is_at(const json_t *measurement, struct lab_axis_text condition)
{
    return has_text(axis_of(measurement, condition.axis), condition.text);
}

static bool stands_for(const struct lab_headline *headline, const json_t *measurement)
{
    if (!has_text(json_object_get(measurement, "metric"), headline->metric) ||
        (headline->except.axis != NULL && is_at(measurement, headline->except)))
        return false;
    for (const struct lab_axis_text *condition = headline->at; condition->axis != NULL; condition++)
        if (!is_at(measurement, *condition))
            return false;
    return true;
}

static bool counts(const json_t *measurement)
{
    return json_is_number(json_object_get(measurement, "median")) &&
           !json_is_string(json_object_get(measurement, "skipped")) &&
           !json_is_false(json_object_get(measurement, "verified")) &&
           !has_text(json_object_get(measurement, "side"), "base");
}

/* Whether it is at a point that was measured in bursts (METHOD.md 6). */
static bool is_burst(const json_t *measurement)
{
    return has_text(axis_of(measurement, "load"), "burst");
}

static double median_of(const json_t *measurement)
{
    return json_number_value(json_object_get(measurement, "median"));
}

/* Compares two points by the first of `axes` on which they differ: the largest value first if `direction` is 1, the
 * smallest first if it is -1. Positive: `one` comes first; negative: `other`; 0: they do not differ. A point without
 * the axis comes last. */
static double lead(const char *const *axes, const json_t *one, const json_t *other, double direction)
{
    for (; *axes != NULL; axes++) {
        const json_t *a = axis_of(one, *axes), *b = axis_of(other, *axes);
        if (json_is_number(a) != json_is_number(b))
            return json_is_number(a) ? 1 : -1;
        double difference = json_number_value(a) - json_number_value(b);
        if (difference != 0)
            return direction * difference;
    }
    return 0;
}

static bool is_better(const struct lab_headline *headline, const json_t *one, const json_t *other)
{
    if (is_burst(one) != is_burst(other))
        return is_burst(other);
    double first = lead(headline->largest, one, other, 1);
    if (first == 0)
        first = lead(headline->smallest, one, other, -1);
    if (first != 0)
        return first > 0;
    double gain = median_of(one) - median_of(other);
    return headline->lowest == headline->worst ? gain > 0 : gain < 0;
}

/* --- the headlines of a run --------------------------------------------------------------------------------------- */

struct lab_headlines *lab_headlines_create(const struct lab_experiment *experiment)
{
    struct lab_headlines *headlines = calloc(1, sizeof *headlines);
    if (headlines == NULL)
        return NULL;
    headlines->experiment = experiment;
    headlines->chosen = json_array();
    headlines->shares = json_array();
    for (const struct lab_headline *h = experiment->headlines; h->title != NULL; h++)
        json_array_append_new(headlines->chosen, json_null());
    return headlines;
}

void lab_headlines_free(struct lab_headlines *headlines)
{
    if (headlines == NULL)
        return;
    json_decref(headlines->chosen);
    json_decref(headlines->shares);
    free(headlines);
}

void lab_headlines_consider(struct lab_headlines *headlines, json_t *measurement)
{
    if (!counts(measurement))
        return;
    bool is_share = false;
    for (size_t i = 0; headlines->experiment->headlines[i].title != NULL; i++) {
        const struct lab_headline *headline = &headlines->experiment->headlines[i];
        const json_t *now = json_array_get(headlines->chosen, i);
        is_share |= headline->share != NULL && has_text(json_object_get(measurement, "metric"), headline->share);
        if (stands_for(headline, measurement) && (json_is_null(now) || is_better(headline, measurement, now)))
            json_array_set(headlines->chosen, i, measurement);
    }
    if (is_share)
        json_array_append(headlines->shares, measurement);
}

static const char *title_of(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_metric *metric = experiment->metrics;
    while (metric->name != NULL && strcmp(metric->name, name) != 0)
        metric++;
    return metric->name != NULL ? metric->title : name;
}

/* {title, value} of the share at the point of a measurement, or null. A new reference. */
static json_t *share_of(const struct lab_headlines *headlines, const char *metric, const json_t *measurement)
{
    const json_t *peak = json_object_get(measurement, "peak"), *share;
    double limit = json_number_value(json_object_get(peak, "value"));
    size_t index;
    if (metric == NULL)
        return limit > 0 ? json_pack("{s:o, s:f}", "title", json_sprintf("Share of %s", lab_text_of(peak, "what")),
                                     "value", median_of(measurement) / limit)
                         : json_null();
    json_array_foreach(headlines->shares, index, share)
    {
        if (has_text(json_object_get(share, "metric"), metric) &&
            json_equal(json_object_get(share, "axes"), json_object_get(measurement, "axes")))
            return json_pack("{s:s, s:f}", "title", title_of(headlines->experiment, metric), "value", median_of(share));
    }
    return json_null();
}

json_t *lab_headlines_so_far(const struct lab_headlines *headlines)
{
    json_t *list = json_array(), *measurement;
    size_t i;
    json_array_foreach(headlines->chosen, i, measurement)
    {
        const struct lab_headline *headline = &headlines->experiment->headlines[i];
        if (!json_is_null(measurement))
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:O, s:f, s:O, s:b, s:o}", "title", headline->title, "metric",
                                headline->metric, "unit", json_object_get(measurement, "unit"), "value",
                                median_of(measurement), "axes", json_object_get(measurement, "axes"), "lowest",
                                headline->lowest, "share", share_of(headlines, headline->share, measurement)));
    }
    return list;
}
