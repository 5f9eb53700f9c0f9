/* Compares the sides of a run. Its measurements come pair by pair: those of a point of the base, then those of the point of
 * the head that is compared with it. Within a pair, measurements of the same metric belong together in their order.
 */
#include "sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

static bool is_of(const json_t *measurement, const char *side)
{
    return strcmp(text_of(measurement, "side"), side) == 0;
}

/* The rounds of a measurement, from malloc. */
static double *rounds_of(const json_t *measurement, size_t *count)
{
    const json_t *list = json_object_get(measurement, "rounds");
    *count = json_array_size(list);
    double *rounds = malloc((*count + 1) * sizeof *rounds);
    for (size_t i = 0; rounds != NULL && i < *count; i++)
        rounds[i] = json_number_value(json_array_get(list, i));
    return rounds;
}

static bool smaller_is_better(const char *unit)
{
    return strcmp(unit, "s") == 0 || strcmp(unit, "cycles") == 0;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *side_json(const json_t *measurement)
{
    return json_pack("{s:O?, s:O?}", "median", json_object_get(measurement, "median"), "axes",
                     json_object_get(measurement, "axes"));
}

static json_t *point_json(const json_t *base, const json_t *head, const struct lab_comparison *found)
{
    return json_pack("{s:s, s:s, s:O?, s:o, s:o, s:o, s:o, s:o, s:s, s:s?}", "metric", text_of(head, "metric"), "unit",
                     text_of(head, "unit"), "axes", json_object_get(head, "axes"), "base", side_json(base), "head",
                     side_json(head), "ratio", real_or_null(found->ratio), "low", real_or_null(found->low), "high",
                     real_or_null(found->high), "verdict", lab_verdict_name(found->verdict), "reason", found->reason);
}

/* Compares two measurements by the rounds that both have. A new reference; NULL when out of memory. */
static json_t *compare(const json_t *base, const json_t *head, const struct lab_comparison_options *given)
{
    struct lab_comparison_options options = *given;
    struct lab_comparison found;
    size_t base_count, head_count;
    double *base_rounds = rounds_of(base, &base_count), *head_rounds = rounds_of(head, &head_count);
    options.larger_is_better = !smaller_is_better(text_of(head, "unit"));
    bool good = base_rounds != NULL && head_rounds != NULL &&
                lab_compare_rounds(base_rounds, head_rounds, base_count < head_count ? base_count : head_count,
                                   &options, &found);
    free(base_rounds);
    free(head_rounds);
    return good ? point_json(base, head, &found) : NULL;
}

/* Removes the first measurement of the metric from the base's measurements of a pair. A new reference; NULL: none. */
static json_t *take_partner(json_t *bases, const char *metric)
{
    size_t index;
    json_t *base;
    json_array_foreach(bases, index, base)
    {
        if (strcmp(text_of(base, "metric"), metric) != 0)
            continue;
        json_incref(base);
        json_array_remove(bases, index);
        return base;
    }
    return NULL;
}

static void count_verdict(json_t *summary, const json_t *point)
{
    const char *verdict = text_of(point, "verdict");
    json_int_t count = json_integer_value(json_object_get(summary, verdict));
    json_object_set_new(summary, verdict, json_integer(count + 1));
}

json_t *lab_compare_sides(const json_t *measurements, const struct lab_comparison_options *options)
{
    json_t *result = json_pack("{s:[], s:{s:i, s:i, s:i, s:i}}", "points", "summary", "faster", 0, "slower", 0, "same",
                               0, "unclear", 0);
    json_t *bases = json_array(), *each;
    bool good = result != NULL && bases != NULL, of_head = false;
    size_t index;
    json_array_foreach(measurements, index, each)
    {
        if (of_head && is_of(each, "base"))
            json_array_clear(bases); /* the next pair */
        of_head = is_of(each, "head");
        if (!json_is_array(json_object_get(each, "rounds")))
            continue;
        if (!of_head) {
            json_array_append(bases, each);
            continue;
        }
        json_t *base = take_partner(bases, text_of(each, "metric"));
        json_t *point = base != NULL ? compare(base, each, options) : NULL;
        good = good && (base == NULL || point != NULL);
        if (point != NULL)
            count_verdict(json_object_get(result, "summary"), point);
        if (point != NULL)
            json_array_append_new(json_object_get(result, "points"), point);
        json_decref(base);
    }
    json_decref(bases);
    if (good)
        return result;
    json_decref(result);
    return NULL;
}
