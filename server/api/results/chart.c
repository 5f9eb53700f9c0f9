/* GET /api/v1/runs/{id}/chart.svg: a view of a run as a picture. */
#include "chart.h"
#include "resources.h"

#include "core/format.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "descriptor/experiment.h"
#include "descriptor/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is drawn: a view of the experiment, or a metric without one. */
struct wanted {
    const char *name;     /* of the query; NULL: the first that there is */
    struct lab_view view; /* its metric and x are those of the chart */
    json_t *measurements; /* that can be drawn: [{"axes", "median", "q1", "q3"}] */
    char metric[129], unit[129], x[129];
    size_t wrong;
};

static bool is_chart(const struct lab_view *view)
{
    return strcmp(view->kind, "line") == 0 || strcmp(view->kind, "bars") == 0;
}

/* The view of that name, or without a name the first one; NULL: none. */
static const struct lab_view *find_view(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_view *view = experiment != NULL ? experiment->views : NULL;
    while (view != NULL && view->name != NULL && !(is_chart(view) && (name == NULL || strcmp(view->name, name) == 0)))
        view++;
    return view != NULL && view->name != NULL ? view : NULL;
}

/* Takes a measurement of the metric; without a metric the first measurement decides which it is. */
static void take_measurement(void *context, const struct lab_measurement_row *row)
{
    struct wanted *wanted = context;
    if (!isfinite(row->median) || (wanted->metric[0] != '\0' && strcmp(row->metric, wanted->metric) != 0))
        return;
    if (wanted->measurements == NULL)
        wanted->measurements = json_array();
    snprintf(wanted->metric, sizeof wanted->metric, "%s", row->metric);
    snprintf(wanted->unit, sizeof wanted->unit, "%s", row->unit);
    if (row->verified == 0) {
        wanted->wrong++;
        return;
    }
    json_t *axes = lab_json_stored_object(row->axes);
    if (row->side != NULL)
        json_object_set_new(axes, "side", json_string(row->side));
    json_array_append_new(wanted->measurements,
                          json_pack("{s:o, s:f, s:o, s:o}", "axes", axes, "median", row->median, "q1",
                                    lab_json_real_or_null(row->q1), "q3", lab_json_real_or_null(row->q3)));
}

/* An axis that could be that of a chart. */
struct range {
    json_t *values; /* an object with a name for each value; NULL: not all measurements have a number there */
    double low, high;
};

static struct range range_of(const json_t *measurements, const char *axis)
{
    struct range range = {json_object(), INFINITY, -INFINITY};
    size_t index;
    json_t *measurement;
    json_array_foreach(measurements, index, measurement)
    {
        const json_t *value = json_object_get(json_object_get(measurement, "axes"), axis);
        char text[32];
        if (!json_is_integer(value)) {
            json_decref(range.values);
            return (struct range){0};
        }
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        json_object_set_new(range.values, text, json_true());
        range.low = fmin(range.low, json_number_value(value));
        range.high = fmax(range.high, json_number_value(value));
    }
    return range;
}

/* Chooses the axis of a metric without a view: of the numeric ones that all measurements have, that with the most
 * values. */
static void choose_axis(struct wanted *wanted)
{
    static const double wide = 32; /* the least ratio of the largest to the smallest value of a logarithmic axis */
    const json_t *first = json_object_get(json_array_get(wanted->measurements, 0), "axes");
    json_t *value;
    const char *axis;
    size_t most = 1;
    wanted->view.kind = "bars";
    json_object_foreach((json_t *)first, axis, value)
    {
        struct range range = range_of(wanted->measurements, axis);
        if (json_object_size(range.values) > most) {
            most = json_object_size(range.values);
            snprintf(wanted->x, sizeof wanted->x, "%s", axis);
            wanted->view.kind = "line";
            wanted->view.x = wanted->x;
            wanted->view.log_x = range.low > 0 && range.high >= wide * range.low;
        }
        json_decref(range.values);
    }
}

static const char *axis_unit(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_axis *axis = experiment != NULL ? experiment->axes : NULL;
    const struct lab_schema *parameter = experiment != NULL ? experiment->parameters : NULL;
    while (axis != NULL && axis->name != NULL && strcmp(axis->name, name) != 0)
        axis++;
    if (axis != NULL && axis->name != NULL && axis->title != NULL)
        return axis->unit;
    while (parameter != NULL && parameter->name != NULL && strcmp(parameter->name, name) != 0)
        parameter++;
    return parameter != NULL && parameter->name != NULL ? parameter->unit : strcmp(name, "bytes") == 0 ? "B" : NULL;
}

/* Draws what is wanted. The caller frees the text; NULL when out of memory. */
static char *draw(const struct wanted *wanted, const struct lab_experiment *experiment, const char *heading,
                  size_t *size)
{
    const struct lab_view *view = &wanted->view;
    const char *x = view->x, *x_unit = x != NULL ? axis_unit(experiment, x) : NULL;
    bool shows_unit = strcmp(wanted->unit, "1") != 0 && !lab_format_has_unit(wanted->unit);
    char y_title[300], *text = NULL;
    snprintf(y_title, sizeof y_title, "%.120s%s%.120s", view->title, shows_unit ? ", " : "",
             shows_unit ? wanted->unit : "");
    struct lab_chart chart = {.title = view->title,
                              .heading = heading,
                              .x_title = x != NULL ? x : "",
                              .y_title = y_title,
                              .x_unit = x_unit,
                              .y_unit = wanted->unit,
                              .is_bars = strcmp(view->kind, "bars") == 0,
                              .log_x = view->log_x,
                              .log_y = view->log_y,
                              .wrong = wanted->wrong};
    FILE *out = lab_chart_group(&chart, wanted->measurements, x) ? open_memstream(&text, size) : NULL;
    if (out != NULL) {
        lab_chart_write(&chart, out);
        fclose(out);
    }
    lab_chart_release(&chart);
    return text;
}

/* "transfer on NVIDIA H200, node7". The caller frees it. */
static char *heading_of(const struct lab_run_row *row)
{
    char *heading = NULL;
    json_t *devices = lab_json_stored_list(row->devices);
    const char *name = lab_text_of(json_array_get(devices, 0), "name");
    if (asprintf(&heading, "%s%s%s%s%s", row->experiment, name[0] != '\0' ? " on " : "", name,
                 row->host[0] != '\0' ? ", " : "", row->host) < 0)
        heading = NULL;
    json_decref(devices);
    return heading;
}

static void respond(struct lab_response *response, struct wanted *wanted, const struct lab_run_row *row)
{
    const struct lab_experiment *experiment = lab_experiment_find(row->experiment);
    char *heading = heading_of(row), *text = NULL;
    size_t size = 0;
    if (wanted->view.name == NULL) {
        wanted->view.title = wanted->metric;
        choose_axis(wanted);
    }
    if (heading != NULL)
        text = draw(wanted, experiment, heading, &size);
    if (text != NULL)
        lab_respond_text(response, 200, "image/svg+xml", text, size);
    else
        lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
    free(text);
    free(heading);
}

void lab_api_get_chart(const struct lab_request *request, struct lab_response *response)
{
    struct lab_store *store = lab_api_of(request)->store;
    const char *id = lab_request_part(request, "id");
    struct wanted wanted = {.name = lab_request_query(request, "view")};
    struct lab_run_row *row = NULL;
    enum lab_store_result result = lab_store_get_run(store, id, &row);
    if (result == LAB_STORE_OK) {
        const struct lab_view *view = find_view(lab_experiment_find(row->experiment), wanted.name);
        if (view != NULL)
            wanted.view = *view;
        const char *metric = view != NULL ? view->metric : wanted.name;
        snprintf(wanted.metric, sizeof wanted.metric, "%s", metric != NULL ? metric : "");
        result = lab_store_list_measurements(store, id, 0, SIZE_MAX, take_measurement, &wanted);
    }
    if (result != LAB_STORE_OK)
        lab_reply_store_error(request, response, result);
    else if (wanted.measurements == NULL)
        lab_respond_problem(
            response, LAB_ERROR_NOT_FOUND,
            "The run has no results for this view: 'view' must name a line chart or a bar chart of the experiment, "
            "or a metric.",
            NULL);
    else
        respond(response, &wanted, row);
    json_decref(wanted.measurements);
    free(row);
}
