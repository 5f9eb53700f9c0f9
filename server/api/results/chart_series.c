/* Groups measurements into the series of a chart. */
#include "chart.h"

#include "core/format.h"
#include "core/json_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text of a value on an axis. The caller frees it; NULL when out of memory. */
static char *value_text(const json_t *value, const char *unit)
{
    char text[LAB_FORMAT_SIZE];
    if (json_is_string(value))
        return strdup(json_string_value(value));
    if (json_is_boolean(value))
        return strdup(json_is_true(value) ? "true" : "false");
    if (unit != NULL && lab_format_has_unit(unit))
        return strdup(lab_format_value(json_number_value(value), unit, text));
    return strdup(lab_format_digits(json_number_value(value), text));
}

/* The axes, other than x, on which the measurements differ: an object of names. */
static json_t *varying_axes(const json_t *measurements, const char *x)
{
    json_t *varying = json_object(), *first = json_object(), *measurement, *value;
    const char *axis;
    size_t index;
    json_array_foreach(measurements, index, measurement)
    {
        json_object_foreach(json_object_get(measurement, "axes"), axis, value)
        {
            const json_t *before = json_object_get(first, axis);
            if (before == NULL && index == 0)
                json_object_set(first, axis, value);
            else if (before == NULL || !json_equal(before, value))
                json_object_set_new(varying, axis, json_true());
        }
    }
    if (x != NULL)
        json_object_del(varying, x);
    json_decref(first);
    return varying;
}

/* The values on the varying axes, which name a series: "h2d, pinned". The caller frees it; NULL when out of memory. */
static char *series_label(const json_t *axes, const json_t *varying)
{
    const char *axis, *separator = "";
    char *label = NULL;
    size_t size;
    json_t *each;
    FILE *out = open_memstream(&label, &size);
    if (out == NULL)
        return NULL;
    json_object_foreach((json_t *)varying, axis, each)
    {
        const json_t *value = json_object_get(axes, axis);
        char *text = value != NULL ? value_text(value, NULL) : NULL;
        if (text != NULL)
            fprintf(out, "%s%s%s%s", separator, json_is_string(value) ? "" : axis, json_is_string(value) ? "" : " ",
                    text);
        separator = text != NULL ? ", " : separator;
        free(text);
    }
    fclose(out);
    return label;
}

/* The series of that label, a new one where there is none; takes the label. NULL when out of memory. */
static struct lab_chart_series *find_series(struct lab_chart *chart, char *label)
{
    for (size_t i = 0; label != NULL && i < chart->count; i++)
        if (strcmp(chart->series[i].label, label) == 0) {
            free(label);
            return &chart->series[i];
        }
    struct lab_chart_series *larger =
        label != NULL ? realloc(chart->series, (chart->count + 1) * sizeof *larger) : NULL;
    if (larger == NULL) {
        free(label);
        return NULL;
    }
    chart->series = larger;
    larger[chart->count] = (struct lab_chart_series){.label = label};
    return &larger[chart->count++];
}

static bool add_point(struct lab_chart *chart, struct lab_chart_series *series, const json_t *measurement,
                      const json_t *x)
{
    struct lab_chart_point *larger = realloc(series->points, (series->count + 1) * sizeof *larger);
    if (larger == NULL)
        return false;
    series->points = larger;
    larger[series->count] = (struct lab_chart_point){.x = x != NULL ? lab_number_or_nan(x) : (double)NAN,
                                                     .median = lab_number_of(measurement, "median"),
                                                     .q1 = lab_number_of(measurement, "q1"),
                                                     .q3 = lab_number_of(measurement, "q3"),
                                                     .label = x != NULL ? value_text(x, chart->x_unit) : strdup("")};
    return larger[series->count++].label != NULL;
}

static int compare_points(const void *left, const void *right)
{
    const struct lab_chart_point *a = left, *b = right;
    return (a->x > b->x) - (a->x < b->x);
}

bool lab_chart_group(struct lab_chart *chart, const json_t *measurements, const char *x)
{
    json_t *varying = varying_axes(measurements, x), *measurement;
    size_t index;
    bool good = varying != NULL;
    json_array_foreach(measurements, index, measurement)
    {
        const json_t *axes = json_object_get(measurement, "axes"), *value = x != NULL ? json_object_get(axes, x) : NULL;
        if (!chart->is_bars && !json_is_number(value))
            continue;
        struct lab_chart_series *series = find_series(chart, series_label(axes, varying));
        good = good && series != NULL && add_point(chart, series, measurement, value);
    }
    for (size_t i = 0; good && !chart->is_bars && i < chart->count; i++)
        qsort(chart->series[i].points, chart->series[i].count, sizeof *chart->series[i].points, compare_points);
    json_decref(varying);
    return good;
}

void lab_chart_release(struct lab_chart *chart)
{
    for (size_t i = 0; i < chart->count; i++) {
        for (size_t k = 0; k < chart->series[i].count; k++)
            free(chart->series[i].points[k].label);
        free(chart->series[i].points);
        free(chart->series[i].label);
    }
    free(chart->series);
    chart->series = NULL;
    chart->count = 0;
}
