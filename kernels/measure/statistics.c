/* Computes statistics of samples. */
#include "measure/statistics.h"

#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lab_running_statistics_add(struct lab_running_statistics *statistics, double sample)
{
    statistics->n++;
    double delta = sample - statistics->mean;
    statistics->mean += delta / (double)statistics->n;
    statistics->squared_deviations += delta * (sample - statistics->mean);
}

static double stdev_of(const struct lab_running_statistics *statistics)
{
    return sqrt(statistics->squared_deviations / (double)(statistics->n - 1));
}

double lab_running_statistics_noise(const struct lab_running_statistics *statistics)
{
    return statistics->n < 2 ? NAN : stdev_of(statistics) / statistics->mean;
}

/* The square of the standard error of the mean. */
static double squared_error(const struct lab_running_statistics *statistics)
{
    double n = (double)statistics->n;
    return statistics->n < LAB_NOISE_SAMPLES_MIN ? 0 : statistics->squared_deviations / (n - 1) / n;
}

double lab_running_statistics_error(const struct lab_running_statistics *statistics)
{
    return sqrt(squared_error(statistics));
}

bool lab_means_agree(const struct lab_running_statistics *a, const struct lab_running_statistics *b, double tolerance)
{
    double difference = fabs(a->mean - b->mean);
    return difference <= tolerance * fmin(a->mean, b->mean) ||
           difference <= 3 * sqrt(squared_error(a) + squared_error(b));
}

bool lab_summarise(const double *samples, size_t count, struct lab_summary *summary)
{
    *summary = (struct lab_summary){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, samples, count * sizeof *sorted);
    lab_sort(sorted, count);

    struct lab_running_statistics statistics = {0};
    for (size_t i = 0; i < count; i++)
        lab_running_statistics_add(&statistics, samples[i]);

    summary->n = count;
    summary->median = lab_quantile(sorted, count, 0.5);
    summary->q1 = lab_quantile(sorted, count, 0.25);
    summary->q3 = lab_quantile(sorted, count, 0.75);
    summary->min = sorted[0];
    summary->max = sorted[count - 1];
    summary->mean = statistics.mean;
    summary->stdev = count > 1 ? stdev_of(&statistics) : 0;
    summary->noise = lab_noise(summary->median, summary->q1, summary->q3);
    free(sorted);
    return true;
}

bool lab_fit_line(const double *x, const double *t, size_t count, struct lab_fitted_line *line)
{
    double w = 0, wx = 0, wt = 0, wxx = 0, wxt = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (t[i] * t[i]);
        w += weight;
        wx += weight * x[i];
        wt += weight * t[i];
        wxx += weight * x[i] * x[i];
        wxt += weight * x[i] * t[i];
    }
    double determinant = w * wxx - wx * wx;
    if (count < 2 || !(fabs(determinant) > 1e-12 * w * wxx))
        return false;
    line->slope = (w * wxt - wx * wt) / determinant;
    line->intercept = (wt - line->slope * wx) / w;

    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double error = (line->intercept + line->slope * x[i] - t[i]) / t[i];
        squares += error * error;
    }
    line->residual = sqrt(squares / (double)count);
    return true;
}
