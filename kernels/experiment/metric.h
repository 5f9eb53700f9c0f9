/* Whether a higher or a lower value of a metric is the better one. Comparisons and histories of runs ask here. */
#ifndef LAB_METRIC_DIRECTION_H
#define LAB_METRIC_DIRECTION_H

enum lab_better {
    LAB_BETTER_NONE,   /* neither: a prediction, or a figure that describes the point, such as registers of a thread */
    LAB_BETTER_HIGHER, /* a rate, a share, a speedup */
    LAB_BETTER_LOWER,  /* a time, an error */
};

/* Follows from the unit, and where that does not say it, from the name of the metric. */
enum lab_better lab_metric_better(const char *name, const char *unit);

/* "higher" or "lower"; NULL for LAB_BETTER_NONE. */
const char *lab_better_name(enum lab_better better);

#endif
