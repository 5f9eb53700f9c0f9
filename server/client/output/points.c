/* Groups a run's measurements by point. */
#include "points.h"

#include "lab/api_json.h"

#include "core/json_members.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* State of lab_table_points_gather. */
struct gathering {
    struct lab_table_points *points;
    const char *x;          /* name of the x axis; "" if there is none */
    json_t *point_numbers;  /* coordinates as JSON text -> number of the point */
    json_t *series_numbers; /* coordinates without x as JSON text -> number of the series */
};

static size_t find_text(const char *const *texts, size_t count, const char *text)
{
    size_t i = 0;
    while (i < count && strcmp(texts[i], text) != 0)
        i++;
    return i;
}

static void add_metric(struct lab_table_points *points, const char *metric)
{
    if (find_text(points->metrics, points->metric_count, metric) == points->metric_count)
        points->metrics[points->metric_count++] = metric;
}

/* Adds an axis in which the points differ, unless it is there. False when out of memory. */
static bool add_axis(struct lab_table_points *points, const char *axis)
{
    if (find_text(points->axes, points->axis_count, axis) < points->axis_count)
        return true;
    const char **larger = realloc(points->axes, (points->axis_count + 1) * sizeof *larger);
    if (larger == NULL)
        return false;
    points->axes = larger;
    points->axes[points->axis_count++] = axis;
    return true;
}

/* Chooses the metrics of the views of kind "table", or of all others with the x axis of the first of these. */
static void choose_viewed(struct gathering *gathering, const json_t *views, bool tables)
{
    size_t index;
    json_t *each;
    json_array_foreach(views, index, each)
    {
        if ((strcmp(lab_text_of(each, "kind"), "table") == 0) != tables)
            continue;
        if (gathering->x[0] == '\0' && !tables)
            gathering->x = lab_text_of(each, "x");
        add_metric(gathering->points, lab_text_of(each, "metric"));
    }
}

/* Chooses all measured metrics that are not in the list `declared`. */
static void choose_measured(struct gathering *gathering, const json_t *measurements, const json_t *declared)
{
    size_t index;
    json_t *each;
    json_array_foreach(measurements, index, each)
    {
        if (lab_list_find(declared, lab_text_of(each, "metric")) == NULL)
            add_metric(gathering->points, lab_text_of(each, "metric"));
    }
}

static void choose_metrics(struct gathering *gathering, const json_t *measurements, const json_t *experiment,
                           enum lab_table_metrics metrics)
{
    const json_t *views = json_object_get(experiment, "views");
    bool has_views = json_array_size(views) > 0;
    if (has_views && metrics == LAB_METRICS_UNDECLARED)
        choose_measured(gathering, measurements, json_object_get(experiment, "metrics"));
    else if (has_views)
        choose_viewed(gathering, views, metrics == LAB_METRICS_TABLED);
    else if (metrics == LAB_METRICS_CHARTED)
        choose_measured(gathering, measurements, NULL);
}

/* Removes the metrics without measurements, which would be empty columns. */
static void drop_absent_metrics(struct lab_table_points *points, const json_t *measurements)
{
    size_t index, kept = 0;
    for (size_t i = 0; i < points->metric_count; i++) {
        json_t *each;
        bool found = false;
        json_array_foreach(measurements, index, each)
        {
            found = found || strcmp(lab_text_of(each, "metric"), points->metrics[i]) == 0;
        }
        if (found)
            points->metrics[kept++] = points->metrics[i];
    }
    points->metric_count = kept;
}

/* The number of `key` in `numbers`, which maps JSON text to a number; a new key gets the next number. SIZE_MAX when out
 * of memory. */
static size_t number_of(json_t *numbers, const json_t *key)
{
    char *text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
    json_t *number = text != NULL ? json_object_get(numbers, text) : NULL;
    size_t result = json_object_size(numbers);
    if (number != NULL)
        result = (size_t)json_integer_value(number);
    else if (text == NULL || json_object_set_new(numbers, text, json_integer((json_int_t)result)) != 0)
        result = SIZE_MAX;
    free(text);
    return result;
}

static size_t series_of(const struct gathering *gathering, json_t *axes)
{
    json_t *others = json_copy(axes);
    json_object_del(others, gathering->x);
    size_t series = number_of(gathering->series_numbers, others);
    json_decref(others);
    return series;
}

/* Adds a measurement to its point if its metric is chosen; points->items has space for one point per measurement. */
static bool add_measurement(struct gathering *gathering, const json_t *measurement)
{
    struct lab_table_points *points = gathering->points;
    size_t metric = find_text(points->metrics, points->metric_count, lab_text_of(measurement, "metric"));
    if (metric == points->metric_count)
        return true;
    json_t *axes = json_object_get(measurement, "axes");
    size_t position = number_of(gathering->point_numbers, axes);
    if (position == SIZE_MAX)
        return false;
    struct lab_table_point *point = &points->items[position];
    if (position == points->count) {
        *point = (struct lab_table_point){.axes = axes,
                                          .series = series_of(gathering, axes),
                                          .position = position,
                                          .found = calloc(points->metric_count, sizeof *point->found)};
        points->count++;
    }
    if (point->found != NULL)
        point->found[metric] = measurement;
    return point->found != NULL && point->series != SIZE_MAX;
}

static int by_series(const void *left, const void *right)
{
    const struct lab_table_point *a = left, *b = right;
    size_t first = a->series != b->series ? a->series : a->position;
    size_t second = a->series != b->series ? b->series : b->position;
    return (first > second) - (first < second);
}

/* Whether the axis has the same value at all points. */
static bool is_fixed(const struct lab_table_points *points, const char *axis)
{
    const json_t *value = json_object_get(points->items[0].axes, axis);
    for (size_t i = 1; i < points->count; i++)
        if (!json_equal(value, json_object_get(points->items[i].axes, axis)))
            return false;
    return true;
}

/* Separates the axes in which the points differ, with `x` last, from those with one value. */
static bool separate_axes(struct lab_table_points *points, const char *x)
{
    points->fixed = json_object();
    for (size_t i = 0; i < points->count; i++) {
        const char *name;
        json_t *value;
        json_object_foreach((json_t *)points->items[i].axes, name, value)
        {
            if (strcmp(name, x) == 0)
                points->has_x = true;
            else if (is_fixed(points, name))
                json_object_set(points->fixed, name, value);
            else if (!add_axis(points, name))
                return false;
        }
    }
    return points->fixed != NULL && (!points->has_x || add_axis(points, x));
}

bool lab_table_points_gather(struct lab_table_points *points, const json_t *run, const json_t *experiment,
                             enum lab_table_metrics metrics)
{
    const json_t *measurements = json_object_get(run, "measurements");
    struct gathering gathering = {points, "", json_object(), json_object()};
    size_t index;
    json_t *each;
    size_t most = json_array_size(measurements) + json_array_size(json_object_get(experiment, "views"));
    *points = (struct lab_table_points){.items = calloc(most + 1, sizeof *points->items),
                                        .metrics = calloc(most + 1, sizeof *points->metrics)};
    bool good = points->items != NULL && points->metrics != NULL && gathering.point_numbers != NULL &&
                gathering.series_numbers != NULL;
    if (good) {
        choose_metrics(&gathering, measurements, experiment, metrics);
        drop_absent_metrics(points, measurements);
    }
    json_array_foreach(measurements, index, each)
    {
        good = good && add_measurement(&gathering, each);
    }
    if (good && points->count > 0) {
        qsort(points->items, points->count, sizeof *points->items, by_series);
        good = separate_axes(points, gathering.x);
    }
    json_decref(gathering.point_numbers);
    json_decref(gathering.series_numbers);
    return good;
}

void lab_table_points_release(struct lab_table_points *points)
{
    json_decref(points->fixed);
    for (size_t i = 0; i < points->count; i++)
        free(points->items[i].found);
    free(points->items);
    free(points->metrics);
    free(points->axes);
    *points = (struct lab_table_points){0};
}

const json_t *lab_table_point_first(const struct lab_table_point *point, const struct lab_table_points *points)
{
    for (size_t i = 0; i < points->metric_count; i++)
        if (point->found[i] != NULL)
            return point->found[i];
    return NULL;
}

char *lab_cautions_text(const json_t *measurement)
{
    char *text = NULL;
    size_t size, index;
    json_t *caution;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    json_array_foreach(json_object_get(measurement, "cautions"), index, caution)
    {
        fprintf(out, "%s%s", index > 0 ? ", " : "", lab_text_of(caution, "name"));
    }
    fclose(out);
    return text;
}
