/* Intervals of the centre of some values; STATISTICS.md gives the formulas and how often the intervals miss. */
#ifndef LAB_INTERVAL_H
#define LAB_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* An estimate and the interval in which the truth lies with the confidence asked for. Bounds that the values do not limit,
 * because they are too few, are -INFINITY and INFINITY. */
struct lab_interval {
    double value, low, high;
};

/* The median of `count` (at least 1) finite samples, in the order in which they were taken. Its interval is between two
 * order statistics, further apart the more the samples resemble those before them. Returns false when out of memory. */
bool lab_median_interval(const double *samples, size_t count, double confidence, struct lab_interval *interval);

/* The centre of values that are spread alike on both sides of it: the median of the means of all pairs (Hodges and Lehmann
 * 1963), with the interval of Wilcoxon's signed-rank test. Up to 25 values are taken to be independent. `count` is at least 1; of more than LAB_CENTRE_VALUES_MAX values,
 * neighbours are replaced by their mean. Returns false when out of memory. */
bool lab_centre_interval(const double *values, size_t count, double confidence, struct lab_interval *interval);

enum { LAB_CENTRE_VALUES_MAX = 100 };

#endif
