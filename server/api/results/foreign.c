/* The results of a run for other tools: GET /api/v1/runs/{id}/bencher.json (Bencher Metric Format),
 * google-benchmark.json, and points.csv, a row for each point with a column for each metric. A point that was skipped
 * or is wrong has no value there.
 */
#include "csv.h"
#include "openapi/schemas.h"
#include "resources.h"

#include "core/json_members.h"
#include "core/json_text.h"
#include "jobs/run_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The points of a run, in the order of their first measurements. */
struct points {
    json_t *run;  /* experiment, host and created_at */
    json_t *list; /* name -> {"axes", "metrics": {metric: measurement}} */
    bool failed;
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const char *value_text(const json_t *value, char text[32])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    snprintf(text, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return text;
}

/* "transfer/direction:h2d/bytes:4096". The benchmark of an imported run is no part "benchmark:NAME". The caller frees
 * it. */
static char *point_name(const char *experiment, const json_t *axes)
{
    const char *benchmark = lab_optional_text_of(axes, "benchmark"), *axis;
    char *name = NULL, text[32];
    size_t size;
    json_t *value;
    FILE *out = open_memstream(&name, &size);
    if (out == NULL)
        return NULL;
    fputs(benchmark != NULL ? benchmark : experiment, out);
    json_object_foreach((json_t *)axes, axis, value)
    {
        if (benchmark == NULL || strcmp(axis, "benchmark") != 0)
            fprintf(out, "/%s:%s", axis, value_text(value, text));
    }
    if (fclose(out) == 0)
        return name;
    free(name);
    return NULL;
}

static void take_measurement(void *context, const struct lab_measurement_row *row)
{
    struct points *points = context;
    json_t *measurement = lab_measurement_row_json(row);
    json_t *axes = json_deep_copy(json_object_get(measurement, "axes"));
    if (row->side != NULL)
        json_object_set_new(axes, "side", json_string(row->side));
    char *name = point_name(lab_text_of(points->run, "experiment"), axes);
    json_t *point = name != NULL ? json_object_get(points->list, name) : NULL;
    if (name != NULL && point == NULL) {
        point = json_pack("{s:O, s:{}}", "axes", axes, "metrics");
        json_object_set_new(points->list, name, point);
    }
    points->failed |= name == NULL || json_object_set(json_object_get(point, "metrics"), row->metric, measurement) != 0;
    json_decref(axes);
    json_decref(measurement);
    free(name);
}

/* Reads the run of the request. False: the request was answered. `points` is released in any case. */
static bool read_points(const struct lab_request *request, struct lab_response *response, struct points *points)
{
    struct lab_store *store = lab_api_of(request)->store;
    const char *id = lab_request_part(request, "id");
    struct lab_run_row *row;
    *points = (struct points){.list = json_object()};
    enum lab_store_result result = lab_store_get_run(store, id, &row);
    if (result == LAB_STORE_OK) {
        points->run = json_pack("{s:s, s:s, s:o}", "experiment", row->experiment, "host", row->host, "created_at",
                                lab_json_time_or_null(row->created_at));
        free(row);
        result = lab_store_list_measurements(store, id, 0, SIZE_MAX, take_measurement, points);
    }
    if (result == LAB_STORE_OK && !points->failed)
        return true;
    lab_reply_store_error(request, response, result == LAB_STORE_OK ? lab_store_no_memory() : result);
    return false;
}

static void release_points(struct points *points)
{
    json_decref(points->run);
    json_decref(points->list);
}

/* The median; NAN where the measurement does not count. */
static double value_of(const json_t *measurement)
{
    return json_is_false(json_object_get(measurement, "verified")) ? (double)NAN : lab_number_of(measurement, "median");
}

/* --- Bencher ------------------------------------------------------------------------------------------------------ */

static json_t *bencher_metric(const json_t *measurement)
{
    json_t *metric = json_pack("{s:f}", "value", value_of(measurement));
    double low = lab_number_of(measurement, "q1"), high = lab_number_of(measurement, "q3");
    if (isfinite(low) && isfinite(high)) {
        json_object_set_new(metric, "lower_value", json_real(low));
        json_object_set_new(metric, "upper_value", json_real(high));
    }
    return metric;
}

void lab_api_get_bencher(const struct lab_request *request, struct lab_response *response)
{
    struct points points;
    const char *name, *metric;
    json_t *point, *measurement, *document = json_object();
    if (read_points(request, response, &points)) {
        json_object_foreach(points.list, name, point)
        {
            json_t *metrics = json_object();
            json_object_foreach(json_object_get(point, "metrics"), metric, measurement)
            {
                if (isfinite(value_of(measurement)))
                    json_object_set_new(metrics, metric, bencher_metric(measurement));
            }
            if (json_object_size(metrics) > 0)
                json_object_set(document, name, metrics);
            json_decref(metrics);
        }
        lab_respond_json(response, 200, json_incref(document));
    }
    json_decref(document);
    release_points(&points);
}

/* --- Google Benchmark --------------------------------------------------------------------------------------------- */

/* The metrics that Google Benchmark has members for, and their units there. */
static const struct {
    const char *metric, *unit, *member;
    double factor;
} members[] = {
    {"time", "s", "real_time", 1e9},
    {"cpu_time", "s", "cpu_time", 1e9},
    {"bandwidth", "GB/s", "bytes_per_second", 1e9},
    {"item_rate", "G/s", "items_per_second", 1e9},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* Sets the metric's member: that of the table, else a counter of its name, with its unit where it has one. */
static void set_metric(json_t *row, const json_t *measurement, double value)
{
    const char *metric = lab_text_of(measurement, "metric"), *unit = lab_text_of(measurement, "unit");
    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(members[i].metric, metric) == 0 && strcmp(members[i].unit, unit) == 0) {
            json_object_set_new(row, members[i].member, json_real(value * members[i].factor));
            return;
        }
    json_t *name =
        strcmp(unit, "1") == 0 || unit[0] == '\0' ? json_string(metric) : json_sprintf("%s [%s]", metric, unit);
    if (name != NULL && json_object_get(row, json_string_value(name)) == NULL)
        json_object_set_new(row, json_string_value(name), json_real(value));
    json_decref(name);
}

static json_t *benchmark_row(const char *name, const char *type, json_int_t n)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:s}", "name", name, "run_name", name, "run_type", type,
                     "repetitions", 1, "threads", 1, "iterations", n, "time_unit", "ns");
}

/* Why the point has no value; NULL: it has one. A new reference. */
static json_t *fault_of(const json_t *metrics)
{
    const char *metric;
    json_t *measurement;
    json_object_foreach((json_t *)metrics, metric, measurement)
    {
        if (json_is_string(json_object_get(measurement, "skipped")))
            return json_incref(json_object_get(measurement, "skipped"));
        if (json_is_false(json_object_get(measurement, "verified")))
            return json_sprintf("%" JSON_INTEGER_FORMAT " wrong elements",
                                json_integer_value(json_object_get(measurement, "wrong")));
    }
    return NULL;
}

/* Adds the row of a point, or where it has several samples the aggregates of them. */
static void add_benchmark(json_t *list, const char *name, const json_t *metrics)
{
    static const char *const aggregates[][2] = {{"mean", "mean"}, {"median", "median"}, {"stddev", "stdev"}};
    const char *metric;
    json_t *measurement, *fault = fault_of(metrics);
    json_int_t n = 1;
    json_object_foreach((json_t *)metrics, metric, measurement)
    {
        json_int_t samples = json_integer_value(json_object_get(measurement, "n"));
        n = samples > n ? samples : n;
    }
    for (size_t i = 0; i < (n > 1 && fault == NULL ? sizeof aggregates / sizeof *aggregates : 1); i++) {
        bool is_aggregate = n > 1 && fault == NULL;
        json_t *row = benchmark_row(name, is_aggregate ? "aggregate" : "iteration", n);
        if (is_aggregate) {
            json_object_set_new(row, "name", json_sprintf("%s_%s", name, aggregates[i][0]));
            json_object_set_new(row, "repetitions", json_integer(n));
            json_object_set_new(row, "aggregate_name", json_string(aggregates[i][0]));
        }
        json_object_foreach((json_t *)metrics, metric, measurement)
        {
            double value = lab_number_of(measurement, is_aggregate ? aggregates[i][1] : "median");
            if (fault == NULL && isfinite(value))
                set_metric(row, measurement, value);
        }
        if (fault != NULL)
            json_object_update_new(row, json_pack("{s:b, s:O}", "error_occurred", 1, "error_message", fault));
        json_array_append_new(list, row);
    }
    json_decref(fault);
}

void lab_api_get_google_benchmark(const struct lab_request *request, struct lab_response *response)
{
    struct points points;
    const char *name;
    json_t *point, *list = json_array();
    if (read_points(request, response, &points)) {
        json_object_foreach(points.list, name, point)
        {
            add_benchmark(list, name, json_object_get(point, "metrics"));
        }
        lab_respond_json(response, 200,
                         json_pack("{s:{s:O, s:O, s:s}, s:O}", "context", "date",
                                   json_object_get(points.run, "created_at"), "host_name",
                                   json_object_get(points.run, "host"), "executable",
                                   lab_text_of(points.run, "experiment"), "benchmarks", list));
    }
    json_decref(list);
    release_points(&points);
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

/* The columns of the axes, then those of the metrics: {"axes": {name: null}, "metrics": {name: unit}}. */
static json_t *columns_of(const json_t *list)
{
    json_t *columns = json_pack("{s:{}, s:{}}", "axes", "metrics"), *point, *value;
    const char *name, *each;
    json_object_foreach((json_t *)list, name, point)
    {
        json_object_foreach(json_object_get(point, "axes"), each, value)
        {
            json_object_set_new(json_object_get(columns, "axes"), each, json_null());
        }
        json_object_foreach(json_object_get(point, "metrics"), each, value)
        {
            json_object_set(json_object_get(columns, "metrics"), each, json_object_get(value, "unit"));
        }
    }
    return columns;
}

static void write_titles(FILE *out, const json_t *columns)
{
    const char *name, *separator = "";
    json_t *unit;
    json_object_foreach(json_object_get(columns, "axes"), name, unit)
    {
        fputs(separator, out);
        lab_csv_write_text(out, name);
        separator = ",";
    }
    json_object_foreach(json_object_get(columns, "metrics"), name, unit)
    {
        json_t *title = json_sprintf("%s [%s]", name, json_string_value(unit));
        fputs(separator, out);
        lab_csv_write_text(out, title != NULL ? json_string_value(title) : name);
        json_decref(title);
        separator = ",";
    }
    fputs("\r\n", out);
}

static void write_row(FILE *out, const json_t *columns, const json_t *point)
{
    const char *name, *separator = "";
    char text[32];
    json_t *unit;
    json_object_foreach(json_object_get(columns, "axes"), name, unit)
    {
        const json_t *value = json_object_get(json_object_get(point, "axes"), name);
        fputs(separator, out);
        if (value != NULL)
            lab_csv_write_text(out, value_text(value, text));
        separator = ",";
    }
    json_object_foreach(json_object_get(columns, "metrics"), name, unit)
    {
        double value = value_of(json_object_get(json_object_get(point, "metrics"), name));
        fputs(separator, out);
        if (isfinite(value))
            fprintf(out, "%.15g", value);
        separator = ",";
    }
    fputs("\r\n", out);
}

void lab_api_get_points_csv(const struct lab_request *request, struct lab_response *response)
{
    struct points points;
    const char *name;
    char *text = NULL;
    size_t size = 0;
    if (read_points(request, response, &points)) {
        json_t *columns = columns_of(points.list), *point;
        FILE *out = open_memstream(&text, &size);
        if (out != NULL) {
            write_titles(out, columns);
            json_object_foreach(points.list, name, point)
            {
                write_row(out, columns, point);
            }
        }
        if (out != NULL && fclose(out) == 0)
            lab_respond_text(response, 200, "text/csv; charset=utf-8; header=present", text, size);
        else
            lab_respond_problem(response, LAB_ERROR_OUT_OF_MEMORY, NULL, NULL);
        free(text);
        json_decref(columns);
    }
    release_points(&points);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema bencher_metric_members[] = {
    {LAB_GIVEN(NUMBER, "value"), .text = "The median."},
    {.name = "lower_value", .type = LAB_TYPE_NUMBER, .text = "The lower quartile."},
    {.name = "upper_value", .type = LAB_TYPE_NUMBER, .text = "The upper quartile."},
    {0},
};
static const struct lab_schema bencher_metric_row = {.type = LAB_TYPE_OBJECT, .members = bencher_metric_members};
static const struct lab_schema bencher_point = {.type = LAB_TYPE_OBJECT, .each = &bencher_metric_row};

static const struct lab_schema context_members[] = {
    {LAB_GIVEN(TIME, "date"), .component = "Time"},
    {LAB_GIVEN(STRING, "host_name")},
    {LAB_GIVEN(STRING, "executable"), .text = "The experiment."},
    {0},
};
static const struct lab_schema google_benchmark_members[] = {
    {LAB_GIVEN(OBJECT, "context"), .members = context_members},
    {LAB_GIVEN(OBJECT, "benchmarks"), .count = LAB_LIST, .text = "As Google Benchmark writes them."},
    {0},
};

const struct lab_schema lab_foreign_documents[] = {
    {.name = "BencherMetrics",
     .type = LAB_TYPE_OBJECT,
     .each = &bencher_point,
     .text = "The metrics of each point in the Bencher Metric Format."},
    {.name = "GoogleBenchmark", .type = LAB_TYPE_OBJECT, .members = google_benchmark_members},
    {0},
};
