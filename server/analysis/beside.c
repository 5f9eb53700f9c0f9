/* Finds the best neighbour of a point, and what is different there. */
#include "analysis/beside.h"

#include "analysis/counter_changes.h"
#include "core/format.h"
#include "core/hardware_counters.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double better_min = 1.05; /* a ratio that is worth an explanation */

/* Experiments in which the axis "variant" says what is to be done. */
static bool has_work_variants(const char *experiment)
{
    static const char *const names[] = {"atomic-operations", "bank-conflicts", "block-shape", "default-stream",
                                        "gather-scatter",    "host-work",      "intrinsics",  "memory-hierarchy",
                                        "occupancy-ilp",     "pitch",          "stream"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(experiment, names[i]) == 0)
            return true;
    return false;
}

/* Whether the axis says what is to be done, or how much of it, and not how. */
static bool is_task(const char *experiment, const char *axis)
{
    static const char *const names[] = {
        "bytes",   "working_set", "m",        "n",          "k",     "elements",     "side",    "length",  "blocks",
        "taps",    "launches",    "weight",   "type",       "kind",  "kernel",       "problem", "content", "operation",
        "scaling", "direction",   "opposing", "derivative", "phase", "device_count", "check",   "function"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(axis, names[i]) == 0)
            return true;
    return strcmp(axis, "variant") == 0 && has_work_variants(experiment);
}

/* Whether one of two points is the copy with which an experiment compares its kernels: it does less than they do. */
static bool is_of_copy(const json_t *measurement, const json_t *other, const char *axis)
{
    static const char copy[] = "copy";
    return strcmp(lab_text_of(json_object_get(measurement, "axes"), axis), copy) == 0 ||
           strcmp(lab_text_of(json_object_get(other, "axes"), axis), copy) == 0;
}

/* --- the neighbour ------------------------------------------------------------------------------------------------ */

/* How many times as good the value of `other` is; NAN: it is of another metric, wrong or not known. */
static double ratio_to(const struct lab_point_facts *point, const json_t *other)
{
    const char *metric = lab_text_of(point->main, "metric");
    double value = lab_number_of(point->main, "median"), its = lab_number_of(other, "median");
    bool lower = strcmp(lab_text_of(lab_point_metric(point, metric), "better"), "lower") == 0;
    if (strcmp(lab_text_of(other, "metric"), metric) != 0 || json_is_false(json_object_get(other, "verified")) ||
        !(value > 0) || !(its > 0))
        return (double)NAN;
    return lower ? value / its : its / value;
}

/* The position of the best neighbour, with *ratio; SIZE_MAX: none is better. */
static size_t find_best(const struct lab_point_facts *point, double *ratio)
{
    size_t index, best = SIZE_MAX;
    json_t *each;
    *ratio = better_min;
    json_array_foreach(json_object_get(point->run, "measurements"), index, each)
    {
        double its = ratio_to(point, each);
        const char *axis = its > *ratio ? lab_point_other_axis(point->main, each) : NULL;
        if (axis == NULL || is_task(lab_text_of(point->run, "experiment"), axis) || is_of_copy(point->main, each, axis))
            continue;
        *ratio = its;
        best = index;
    }
    return best;
}

/* --- what is different -------------------------------------------------------------------------------------------- */

static void add_difference(json_t *list, const char *name, const char *title, const char *unit, double value,
                           double other)
{
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", name, "title", title, "unit", unit,
                                          "value", value, "other", other));
}

/* Whether a measurement describes how the work is done: it is neither a result, which is better or worse, nor a
 * prediction or a bound of one. */
static bool is_cause(const struct lab_point_facts *point, const json_t *measurement)
{
    const char *metric = lab_text_of(measurement, "metric");
    return !lab_is_sampled(measurement) && json_is_null(json_object_get(lab_point_metric(point, metric), "better")) &&
           strncmp(metric, "predicted_", strlen("predicted_")) != 0 && strcmp(metric, "bound") != 0;
}

/* Whether the list has the figure already of which the metric is the counted value. */
static bool is_repeated(const json_t *list, const char *metric)
{
    static const char counted[] = "counted_";
    size_t index;
    json_t *each;
    if (strncmp(metric, counted, strlen(counted)) != 0)
        return false;
    json_array_foreach(list, index, each)
    {
        if (strcmp(lab_text_of(each, "name"), metric + strlen(counted)) == 0)
            return true;
    }
    return false;
}

static void add_figures(const struct lab_point_facts *point, const struct lab_point_facts *other, json_t *list)
{
    size_t index;
    json_t *each;
    json_array_foreach(point->measurements, index, each)
    {
        const char *metric = lab_text_of(each, "metric");
        double value = lab_number_of(each, "median"), its = lab_point_median(other, metric);
        if (is_cause(point, each) && !is_repeated(list, metric) && lab_figures_differ(value, its))
            add_difference(list, metric, lab_point_title(point, metric), lab_text_of(each, "unit"), value, its);
    }
}

static void add_counters(const struct lab_point_facts *point, const struct lab_point_facts *other, json_t *list)
{
    const json_t *counters = lab_point_counters(point), *others = lab_point_counters(other);
    size_t index;
    json_t *each;
    json_array_foreach(counters, index, each)
    {
        const char *name = lab_text_of(each, "name");
        if (lab_counter_differs(counters, others, name))
            add_difference(list, name, lab_hardware_counter_title(name), lab_text_of(each, "unit"),
                           lab_number_of(each, "value"), lab_point_counter(other, name));
    }
}

/* --- the sentence ------------------------------------------------------------------------------------------------- */

/* ": Bank conflicts is 1.000 there and 32.00 here" of the first figures; "" if there are none. */
static void say_figures(const json_t *differences, size_t figures, char *text, size_t size)
{
    enum { SAID = 3 };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < figures && i < SAID && used < size; i++) {
        const json_t *each = json_array_get(differences, i);
        const char *unit = lab_text_of(each, "unit");
        char value[LAB_FORMAT_SIZE], other[LAB_FORMAT_SIZE];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s is %s there and %s here", i == 0 ? ": " : "; ",
                             lab_text_of(each, "title"), lab_format_quantity(lab_number_of(each, "other"), unit, other),
                             lab_format_quantity(lab_number_of(each, "value"), unit, value));
    }
}

static json_t *sentence(const char *axis, const json_t *value, double ratio, const json_t *differences, size_t figures)
{
    char why[512], number[LAB_FORMAT_SIZE];
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    say_figures(differences, figures, why, sizeof why);
    json_t *said = json_sprintf("With %s %s it is %s times as good%s.", axis,
                                text != NULL ? text : json_string_value(value), lab_format_number(ratio, number), why);
    free(text);
    return said;
}

json_t *lab_point_beside(const struct lab_point_facts *point)
{
    double ratio;
    size_t best = lab_point_is_single(point) ? SIZE_MAX : find_best(point, &ratio);
    struct lab_point_facts other = {0};
    json_t *result = NULL;
    if (best == SIZE_MAX || !lab_point_facts_init(&other, point->run, point->experiment, best)) {
        lab_point_facts_release(&other);
        return json_null();
    }
    const char *axis = lab_point_other_axis(point->main, other.main);
    json_t *differences = json_array(), *value = json_object_get(json_object_get(other.main, "axes"), axis);
    add_figures(point, &other, differences);
    size_t figures = json_array_size(differences);
    add_counters(point, &other, differences);
    result =
        json_pack("{s:s, s:O, s:I, s:f, s:o, s:o}", "axis", axis, "value", value, "position", (json_int_t)best, "ratio",
                  ratio, "differences", differences, "text", sentence(axis, value, ratio, differences, figures));
    lab_point_facts_release(&other);
    return result;
}
