/* Statistics of one point's samples. */
#ifndef LAB_STATISTICS_H
#define LAB_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Quartiles by linear interpolation between order statistics (Hyndman and Fan, type 7); stdev with n - 1; noise is
 * stdev / mean. Of one sample, stdev and noise are 0; of none, everything is NAN. */
struct lab_summary {
    size_t n;
    double median, q1, q3, min, max, mean, stdev, noise;
};

/* False when out of memory. */
bool lab_summarise(const double *samples, size_t count, struct lab_summary *summary);

/* Running mean and variance (Welford), for the stopping rule. Starts as `{0}`. */
struct lab_running {
    size_t n;
    double mean, squares;
};

void lab_running_add(struct lab_running *running, double sample);
double lab_running_noise(const struct lab_running *running); /* stdev / mean; NAN below two samples */

/* The straight line t = intercept + slope * x through points, each weighted by 1 / t^2 so that every point counts by
 * its relative error. `residual` is the root mean square of the relative errors. False below two distinct x. */
struct lab_line {
    double intercept, slope, residual;
};

bool lab_fit_line(const double *x, const double *t, size_t count, struct lab_line *line);

#endif
