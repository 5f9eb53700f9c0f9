/* Picks the headlines of a run from its measurements. */
#include "experiment/headline.h"

#include <string.h>

json_t *lab_headlines_to_json(const struct lab_experiment *experiment)
{
    json_t *list = json_array();
    for (const struct lab_headline *h = experiment->headlines; h->title != NULL; h++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s}", "title", h->title, "metric",
                                              h->metric, "axis", h->axis, "value", h->value, "largest", h->largest,
                                              "best", h->lowest ? "lowest" : "highest"));
    return list;
}

json_t *lab_headlines_create(const struct lab_experiment *experiment)
{
    json_t *list = json_array();
    for (const struct lab_headline *h = experiment->headlines; h->title != NULL; h++)
        json_array_append_new(list, json_null());
    return list;
}

static bool has_text(const json_t *value, const char *text)
{
    if (json_is_boolean(value))
        return strcmp(text, json_is_true(value) ? "true" : "false") == 0;
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static bool stands_for(const struct lab_headline *headline, const json_t *measurement)
{
    const json_t *axes = json_object_get(measurement, "axes");
    return has_text(json_object_get(measurement, "metric"), headline->metric) &&
           (headline->axis == NULL || has_text(json_object_get(axes, headline->axis), headline->value));
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
    return has_text(json_object_get(json_object_get(measurement, "axes"), "load"), "burst");
}

/* `value` is the median of the measurement. */
static bool is_better(const struct lab_headline *headline, const json_t *measurement, double value, const json_t *best)
{
    if (json_is_null(best))
        return true;
    if (is_burst(measurement) != is_burst(best))
        return is_burst(best);
    if (headline->largest != NULL) {
        double size = json_number_value(json_object_get(json_object_get(measurement, "axes"), headline->largest));
        double size_now = json_number_value(json_object_get(json_object_get(best, "axes"), headline->largest));
        if (size != size_now)
            return size > size_now;
    }
    double now = json_number_value(json_object_get(best, "value"));
    return headline->lowest ? value < now : value > now;
}

void lab_headlines_consider(json_t *headlines, const struct lab_experiment *experiment, const json_t *measurement)
{
    if (!counts(measurement))
        return;
    double value = json_number_value(json_object_get(measurement, "median"));
    for (size_t i = 0; experiment->headlines[i].title != NULL; i++) {
        const struct lab_headline *headline = &experiment->headlines[i];
        if (!stands_for(headline, measurement) ||
            !is_better(headline, measurement, value, json_array_get(headlines, i)))
            continue;
        json_array_set_new(headlines, i,
                           json_pack("{s:s, s:s, s:O, s:f, s:O, s:b}", "title", headline->title, "metric",
                                     headline->metric, "unit", json_object_get(measurement, "unit"), "value", value,
                                     "axes", json_object_get(measurement, "axes"), "lowest", headline->lowest));
    }
}

void lab_headlines_finish(json_t *headlines)
{
    for (size_t i = json_array_size(headlines); i > 0; i--)
        if (json_is_null(json_array_get(headlines, i - 1)))
            json_array_remove(headlines, i - 1);
}
