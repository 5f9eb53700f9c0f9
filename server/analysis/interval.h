/* The interval of a median; STATISTICS.md gives the formula and how often the interval misses. */
#ifndef LAB_INTERVAL_H
#define LAB_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* An estimate and the interval in which the truth lies with the confidence asked for. Bounds that the values do not
 * limit, because they are too few, are -INFINITY and INFINITY. */
struct lab_interval {
    double value, low, high;
};

/* The median of `count` (at least 1) finite samples, in the order in which they were taken. Its interval is between two
 * order statistics, further apart the more the samples resemble those before them. Returns false when out of memory. */
bool lab_median_interval(const double *samples, size_t count, double confidence, struct lab_interval *interval);

#endif
