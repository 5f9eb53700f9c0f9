/* Finds what limits a point, by a list of rules: the first that applies is said. */
#include "analysis/limit.h"

#include "analysis/beside.h"
#include "analysis/limit_rules.h"
#include "analysis/predictions.h"
#include "core/format.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const lab_limit_bases[] = {"not-measured", "latency",   "fixed-time", "counters", "peak",
                                       "prediction",   "neighbour", "unknown",    NULL};

static const struct lab_limit none = {0};

static struct lab_limit not_measured(const struct lab_point_facts *point)
{
    const char *why = lab_optional_text_of(point->main, "skipped");
    if (why != NULL)
        return (struct lab_limit){"not-measured", NULL, (double)NAN,
                                  json_sprintf("The point was not measured: %s.", why)};
    if (json_is_false(json_object_get(point->main, "verified")))
        return (struct lab_limit){"not-measured", NULL, (double)NAN,
                                  json_string("The results of the point are wrong, so its values say nothing.")};
    if (lab_point_is_single(point))
        return (struct lab_limit){
            "not-measured", NULL, (double)NAN,
            json_string("The value was computed or read once, not sampled; what limits it cannot be said.")};
    return none;
}

/* A metric that is a latency is limited by nothing else. */
static struct lab_limit latency(const struct lab_point_facts *point)
{
    const char *metric = lab_text_of(point->main, "metric");
    if (strncmp(metric, "latency", strlen("latency")) != 0)
        return none;
    return (struct lab_limit){"latency", "latency", (double)NAN,
                              json_sprintf("The limit is latency, which is what was measured: %s.",
                                           lab_text_of(lab_point_metric(point, metric), "formula"))};
}

/* --- a fixed time ------------------------------------------------------------------------------------------------- */

/* The measurement of the same metric that differs in `bytes` alone and is nearest in size; NULL: there is none. */
static const json_t *nearest_size(const struct lab_point_facts *point, const json_t *measurement)
{
    double bytes = lab_number_of(json_object_get(measurement, "axes"), "bytes"), least = INFINITY;
    const json_t *nearest = NULL;
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(point->run, "measurements"), index, each)
    {
        double distance = fabs(log(lab_number_of(json_object_get(each, "axes"), "bytes") / bytes));
        const char *axis =
            distance < least && strcmp(lab_text_of(each, "metric"), lab_text_of(measurement, "metric")) == 0
                ? lab_point_other_axis(measurement, each)
                : NULL;
        if (axis == NULL || strcmp(axis, "bytes") != 0 || !lab_is_sampled(each))
            continue;
        nearest = each;
        least = distance;
    }
    return nearest;
}

/* The line through this size and the nearest one says how much of the time remains for no bytes. */
static struct lab_limit fixed_time(const struct lab_point_facts *point)
{
    const json_t *time = lab_point_measurement(point, "time");
    const json_t *other = time != NULL && lab_is_sampled(time) ? nearest_size(point, time) : NULL;
    if (other == NULL)
        return none;
    double bytes = lab_number_of(json_object_get(time, "axes"), "bytes"), seconds = lab_number_of(time, "median");
    double its_bytes = lab_number_of(json_object_get(other, "axes"), "bytes");
    double its_seconds = lab_number_of(other, "median");
    double fixed = (its_seconds * bytes - seconds * its_bytes) / (bytes - its_bytes);
    char of[LAB_FORMAT_SIZE], all[LAB_FORMAT_SIZE], its[LAB_FORMAT_SIZE], size[LAB_FORMAT_SIZE];
    if (!(fixed > seconds / 2))
        return none;
    return (struct lab_limit){
        "fixed-time", NULL, fmin(fixed / seconds, 1),
        json_sprintf("The limit is a fixed time, which does not depend on the size: %s of %s would remain for no "
                     "bytes, because %s take %s.",
                     lab_format_seconds(fmin(fixed, seconds), of), lab_format_seconds(seconds, all),
                     lab_format_bytes(its_bytes, size), lab_format_seconds(its_seconds, its))};
}

/* --- predictions -------------------------------------------------------------------------------------------------- */

static struct lab_limit predicted(const struct lab_point_facts *point)
{
    json_t *rows = lab_point_predictions(point), *each;
    struct lab_limit result = none;
    size_t index;
    json_array_foreach(rows, index, each)
    {
        double value = lab_number_of(each, "predicted"), measured = lab_number_of(each, "measured");
        const char *unit = lab_text_of(each, "unit"), *formula = lab_text_of(each, "formula");
        char its[LAB_FORMAT_SIZE], found[LAB_FORMAT_SIZE];
        const json_t *of = lab_point_measurement(point, lab_text_of(each, "of"));
        if (result.text != NULL || of == NULL || !lab_is_sampled(of) || !(fabs(measured - value) <= 0.1 * value))
            continue;
        result = (struct lab_limit){
            "prediction", NULL, measured / value,
            json_sprintf("It is as predicted (%s %s, measured %s), so the limit is what the prediction counts: %s.",
                         lab_text_of(each, "title"), lab_format_quantity(value, unit, its),
                         lab_format_quantity(measured, unit, found), formula)};
    }
    json_decref(rows);
    return result;
}

/* --- the neighbour, and nothing ----------------------------------------------------------------------------------- */

/* The point beside it is much better, and figures say why. */
static struct lab_limit neighbour(const struct lab_point_facts *point)
{
    enum { TIMES = 2 };
    char peak[240];
    json_t *beside = lab_point_beside(point);
    struct lab_limit result = none;
    bool has_figure = false, counted = lab_point_counters(point) != NULL;
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(beside, "differences"), index, each)
    {
        has_figure = has_figure || lab_point_measurement(point, lab_text_of(each, "name")) != NULL;
    }
    double share = lab_limit_say_peak(point, peak, sizeof peak);
    if (!counted && has_figure && lab_number_of(beside, "ratio") > TIMES)
        result = (struct lab_limit){"neighbour", NULL, share, json_sprintf("%s%s", peak, lab_text_of(beside, "text"))};
    json_decref(beside);
    return result;
}

static struct lab_limit unknown(const struct lab_point_facts *point)
{
    char peak[240];
    double share = lab_limit_say_peak(point, peak, sizeof peak);
    bool lacks_counters = lab_point_reads_counters(point) && lab_point_counters(point) == NULL;
    return (struct lab_limit){"unknown", NULL, share,
                              json_sprintf("%sWhat limits it is not known%s%s.", peak,
                                           lacks_counters ? " without hardware counters" : "",
                                           lab_limit_fits_cache(point)
                                               ? "; arrays of this size may be in the L2 cache, whose peak is not known"
                                               : "")};
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

json_t *lab_point_limit(const struct lab_point_facts *point)
{
    static lab_limit_rule *const rules[] = {not_measured,      latency,   fixed_time, lab_limit_by_counters,
                                            lab_limit_by_peak, predicted, neighbour,  unknown};
    struct lab_limit limit = none;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && limit.text == NULL; i++)
        limit = rules[i](point);
    return json_pack("{s:s, s:s?, s:o, s:o}", "basis", limit.basis, "what", limit.what, "share",
                     lab_json_real_or_null(limit.share), "text", limit.text);
}
