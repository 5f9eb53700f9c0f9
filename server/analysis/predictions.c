/* Pairs the predictions of a point with what was counted and measured, by the names of the metrics. */
#include "analysis/predictions.h"

#include "core/format.h"
#include "core/json_members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128 };
static const char of_prediction[] = "predicted_", of_count[] = "counted_";

/* What follows the prefix in a name; NULL: it does not begin so. */
static const char *after(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : NULL;
}

/* The metric that a view of the experiment says to predict `counted`; NULL: none does. */
static const char *predictor_of(const struct lab_point_facts *point, const char *counted)
{
    size_t index;
    json_t *view;
    json_array_foreach(json_object_get(point->experiment, "views"), index, view)
    {
        if (json_is_true(json_object_get(view, "predicted")) && strcmp(lab_text_of(view, "metric"), counted) == 0)
            return lab_optional_text_of(view, "x");
    }
    return NULL;
}

/* The text of a metric, without the words that say how it is known. */
static const char *formula_of(const struct lab_point_facts *point, const char *metric)
{
    static const char computed[] = "computed, not measured: ";
    const char *formula = lab_text_of(lab_point_metric(point, metric), "formula");
    return after(formula, computed) != NULL ? formula + strlen(computed) : formula;
}

/* "What was counted is 1.250 times what was predicted."; JSON null where all agree. `title`: of the prediction, which
 * may be a bound. */
static json_t *difference(const char *title, double predicted, double counted, double measured)
{
    char ratio[LAB_FORMAT_SIZE];
    bool is_bound = strstr(title, "bound") != NULL, of_counted = isfinite(counted);
    double found = of_counted ? counted : measured;
    if (!isfinite(found) || !(predicted > 0) || fabs(found / predicted - 1) <= 0.1)
        return json_null();
    return json_sprintf("What was %s is %s times %s.", of_counted ? "counted" : "measured",
                        lab_format_number(found / predicted, ratio), is_bound ? "the bound" : "what was predicted");
}

static void add_row(const struct lab_point_facts *point, json_t *rows, const char *predictor, const char *counted,
                    const char *measured)
{
    double prediction = lab_point_median(point, predictor);
    double count = counted != NULL ? lab_point_median(point, counted) : (double)NAN;
    double value = measured != NULL ? lab_point_median(point, measured) : (double)NAN;
    if (!isfinite(prediction) || (!isfinite(count) && !isfinite(value)))
        return;
    json_array_append_new(rows,
                          json_pack("{s:s, s:s?, s:s, s:s, s:s, s:f, s:o, s:o, s:o}", "metric", predictor, "of",
                                    measured, "title", lab_point_title(point, predictor), "unit",
                                    lab_text_of(lab_point_measurement(point, predictor), "unit"), "formula",
                                    formula_of(point, predictor), "predicted", prediction, "counted",
                                    lab_json_real_or_null(count), "measured", lab_json_real_or_null(value), "text",
                                    difference(lab_point_title(point, predictor), prediction, count, value)));
}

/* What was counted and nothing predicts, such as the traffic of a kernel whose bytes are not known. */
static void add_count(const struct lab_point_facts *point, json_t *rows, const char *counted)
{
    double count = lab_point_median(point, counted);
    if (isfinite(count))
        json_array_append_new(rows,
                              json_pack("{s:s, s:n, s:s, s:s, s:s, s:n, s:f, s:n, s:n}", "metric", counted, "of",
                                        "title", lab_point_title(point, counted), "unit",
                                        lab_text_of(lab_point_measurement(point, counted), "unit"), "formula",
                                        formula_of(point, counted), "predicted", "counted", count, "measured", "text"));
}

/* What was counted, beside its prediction: that of its name, or of a view. */
static void add_counted(const struct lab_point_facts *point, json_t *rows, const char *counted, const char *name)
{
    char predicted[NAME_SIZE];
    const char *predictor = predictor_of(point, counted);
    snprintf(predicted, sizeof predicted, "%s%s", of_prediction, name);
    if (predictor == NULL)
        predictor = lab_point_measurement(point, predicted) != NULL ? predicted : name;
    const char *measured = after(predictor, of_prediction);
    if (lab_point_measurement(point, predictor) != NULL)
        add_row(point, rows, predictor, counted, measured);
    else
        add_count(point, rows, counted);
}

/* The metric that a measurement predicts, or bounds; NULL: it is no prediction. */
static const char *predicted_by(const json_t *measurement)
{
    const char *metric = lab_text_of(measurement, "metric");
    bool is_time = strcmp(metric, "bound") == 0 && strcmp(lab_text_of(measurement, "unit"), "s") == 0;
    return is_time ? "time" : after(metric, of_prediction);
}

static bool has_row(const json_t *rows, const char *metric)
{
    size_t index;
    json_t *each;
    json_array_foreach(rows, index, each)
    {
        if (strcmp(lab_text_of(each, "metric"), metric) == 0)
            return true;
    }
    return false;
}

json_t *lab_point_predictions(const struct lab_point_facts *point)
{
    json_t *rows = json_array(), *each;
    size_t index;
    json_array_foreach(point->measurements, index, each)
    {
        const char *metric = lab_text_of(each, "metric"), *name = after(metric, of_count);
        if (name != NULL)
            add_counted(point, rows, metric, name);
    }
    json_array_foreach(point->measurements, index, each)
    {
        const char *metric = lab_text_of(each, "metric"), *name = predicted_by(each);
        if (name != NULL && !has_row(rows, metric))
            add_row(point, rows, metric, NULL, name);
    }
    return rows;
}
