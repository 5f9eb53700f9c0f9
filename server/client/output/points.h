/* Groups a run's measurements by point: the measurements with the same coordinates form one row, and the rows of one
 * series follow each other.
 */
#ifndef LAB_POINTS_H
#define LAB_POINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct lab_table_point {
    const json_t *axes;   /* the coordinates: name and value of each axis */
    const json_t **found; /* the measurement of each metric; NULL: not measured */
    /* numbers of the series and of the point, in the order of their first measurements */
    size_t series, position;
};

/* The points of a run. Texts and measurements are borrowed from the run and the experiment. */
struct lab_table_points {
    size_t metric_count;
    const char **metrics; /* only those that were measured */
    size_t axis_count;
    const char **axes; /* axes in which the points differ; the x axis is the last one */
    bool has_x;        /* the points have the x axis of the experiment's first chart */
    json_t *fixed;     /* name and value of the axes that have the same value at all points */
    size_t count;
    struct lab_table_point *items; /* ordered by series and position */
};

/* Which metrics a table has: those of the experiment's views of kind "table", those of all other views, or those that
 * the experiment does not declare, such as what a program measures of itself. */
enum lab_table_metrics { LAB_METRICS_CHARTED, LAB_METRICS_TABLED, LAB_METRICS_UNDECLARED };

/* Groups the measurements of these metrics. If `experiment` is NULL or has no views, all metrics count as charted.
 * Returns false when out of memory. lab_table_points_release is called in any case. */
bool lab_table_points_gather(struct lab_table_points *points, const json_t *run, const json_t *experiment,
                             enum lab_table_metrics metrics);
void lab_table_points_release(struct lab_table_points *points);

/* The first measurement of a point in the order of points->metrics. Its noise, n and verification are shown in the row
 * of the point. */
const json_t *lab_table_point_first(const struct lab_table_point *point, const struct lab_table_points *points);

/* The names of the cautions of a measurement, or of a side of a comparison: "drifting, noisy", "" for none. The caller
 * frees it; NULL when out of memory. */
char *lab_cautions_text(const json_t *measurement);

#endif
