/* A run's measurements put together by point: what was measured at the same coordinates stands in one row, rows of one
 * series stand together.
 */
#ifndef LAB_POINTS_H
#define LAB_POINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { LAB_POINT_METRICS_MAX = 12, LAB_POINT_AXES_MAX = 16 };

struct lab_point {
    const json_t *axes;                         /* object, of one of its measurements */
    const json_t *found[LAB_POINT_METRICS_MAX]; /* measurement of each metric, NULL where there is none */
    size_t series, position;
};

/* Borrows from the run and the experiment that it was made from. */
struct lab_points {
    size_t metric_count;
    const char *metrics[LAB_POINT_METRICS_MAX]; /* only those that were measured */
    size_t axis_count;
    const char *axes[LAB_POINT_AXES_MAX]; /* those in which the points differ; that along the series is the last */
    bool along;                           /* there is such an axis */
    json_t *fixed;                        /* the others, name to value */
    size_t count;
    struct lab_point *items; /* by series, in the order in which each began */
};

/* Gathers the metrics of the experiment's views: those whose charts are tables, or all others. An `experiment` that is
 * NULL or has no views gives all metrics at once (and none for tables). False when out of memory. To be released either
 * way. */
bool lab_points_gather(struct lab_points *points, const json_t *run, const json_t *experiment, bool tables);
void lab_points_release(struct lab_points *points);

/* The first measurement of a point, which stands for its state. */
const json_t *lab_point_first(const struct lab_point *point, const struct lab_points *points);

#endif
