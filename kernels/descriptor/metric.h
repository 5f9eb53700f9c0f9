/* What follows from the name and the unit of a metric: whether a higher or a lower value is the better one, and whether
 * a value can be below 0. Comparisons, histories of runs and checks of results ask here. */
#ifndef LAB_METRIC_DIRECTION_H
#define LAB_METRIC_DIRECTION_H

#include <stdbool.h>

enum lab_better {
    LAB_BETTER_NONE,   /* neither: a prediction, or a figure that describes the point, such as registers of a thread */
    LAB_BETTER_HIGHER, /* a rate, a share, a speedup */
    LAB_BETTER_LOWER,  /* a time, an error */
};

/* Follows from the unit, and where that does not say it, from the name of the metric. */
enum lab_better lab_metric_better(const char *name, const char *unit);

/* "higher" or "lower"; NULL for LAB_BETTER_NONE. */
const char *lab_better_name(enum lab_better better);

/* False for times, rates, bytes and other quantities, and for shares, speedups and errors. True for other plain
 * numbers, such as a deviation, and for units that no experiment has. */
bool lab_metric_can_be_negative(const char *name, const char *unit);

#endif
