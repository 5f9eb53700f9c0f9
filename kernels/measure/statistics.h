/* Statistics of a point's samples. */
#ifndef LAB_STATISTICS_H
#define LAB_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Statistics of n samples. Quartiles are those of core/order.h. stdev divides by n - 1. noise is that of core/order.h.
 * For one sample stdev and noise are 0; for no samples every figure is NAN. */
struct lab_summary {
    size_t n;
    double median, q1, q3, min, max, mean, stdev, noise;
};

/* Returns false when out of memory; every figure of *summary is then NAN and n is 0. */
bool lab_summarise(const double *samples, size_t count, struct lab_summary *summary);

/* Mean and variance of the samples so far (Welford's algorithm), for the stopping rule. Initialise with `{0}`. */
struct lab_running_statistics {
    size_t n;
    double mean;
    double squared_deviations; /* sum of the squared deviations from the mean */
};

void lab_running_statistics_add(struct lab_running_statistics *statistics, double sample);

/* stdev / mean, by which sampling ends; NAN for fewer than two samples. */
double lab_running_statistics_noise(const struct lab_running_statistics *statistics);

enum { LAB_NOISE_SAMPLES_MIN = 4 };

/* The standard error of the mean; 0 for fewer than LAB_NOISE_SAMPLES_MIN samples. */
double lab_running_statistics_error(const struct lab_running_statistics *statistics);

/* Whether two means are equal: they differ by at most `tolerance` of the smaller one, or by at most three standard
 * errors of their difference, which is noise. Fewer than LAB_NOISE_SAMPLES_MIN samples do not show their noise, which
 * counts as 0. */
bool lab_means_agree(const struct lab_running_statistics *a, const struct lab_running_statistics *b, double tolerance);

/* The straight line t = intercept + slope * x fitted to points. */
struct lab_fitted_line {
    double intercept, slope;
    double residual; /* root mean square of the relative errors */
};

/* Fits a line to `count` points (x, t) by least squares with the weights 1 / t^2, so that every point counts by its
 * relative error. Returns false when there are fewer than two distinct x. */
bool lab_fit_line(const double *x, const double *t, size_t count, struct lab_fitted_line *line);

#endif
