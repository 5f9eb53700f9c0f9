/* A chart of a run's medians as a picture: lines over a numeric axis, or bars. */
#ifndef LAB_CHART_H
#define LAB_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct lab_chart_point {
    double x, median, q1, q3; /* x: of lines; q1, q3: NAN where they are not known */
    char *label;              /* of bars: the value on the axis; "" without an axis */
};

struct lab_chart_series {
    char *label; /* the values that tell the series apart; "" for a single one */
    size_t count;
    struct lab_chart_point *points; /* of lines by x */
};

/* The texts are borrowed. */
struct lab_chart {
    const char *title, *heading; /* of the view, and of the run */
    const char *x_title, *y_title, *x_unit, *y_unit;
    bool is_bars, log_x, log_y;
    size_t count, wrong; /* series; results that are left out because they are wrong */
    struct lab_chart_series *series;
};

/* Groups measurements, [{"axes", "median", "q1", "q3"}], into the series of the chart: `x` is the axis of the chart, or
 * NULL. False when out of memory; the series are released in any case. */
bool lab_chart_group(struct lab_chart *chart, const json_t *measurements, const char *x);
void lab_chart_release(struct lab_chart *chart);

/* Writes the chart as SVG: without scripts, all texts escaped. What exceeds the bounds of the picture is counted below
 * it. */
void lab_chart_write(const struct lab_chart *chart, FILE *out);

#endif
