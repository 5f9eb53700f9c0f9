/* Computes the interval of a median. */
#include "analysis/interval.h"

#include "analysis/distributions.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of 1-based `rank` from below, and from above, of sorted values; infinite where there is none. */
static struct lab_interval between_ranks(const double *sorted, size_t count, double rank)
{
    struct lab_interval interval = {lab_quantile(sorted, count, 0.5), -INFINITY, INFINITY};
    if (rank >= 1) {
        interval.low = sorted[(size_t)rank - 1];
        interval.high = sorted[count - (size_t)rank];
    }
    return interval;
}

/* --- the median of samples in time order -------------------------------------------------------------------------- */

enum { BLOCKS_MAX = 1024 };

/* Means of the samples' signs (-1 below the median, 1 above) in blocks of equal length; returns the number of
 * blocks. */
static size_t block_signs(const double *samples, size_t count, double median, double *blocks, size_t *length)
{
    *length = (count + BLOCKS_MAX - 1) / BLOCKS_MAX;
    size_t block_count = count / *length;
    for (size_t b = 0; b < block_count; b++) {
        double sum = 0;
        for (size_t i = b * *length; i < (b + 1) * *length; i++)
            sum += (samples[i] > median) - (samples[i] < median);
        blocks[b] = sum / (double)*length;
    }
    return block_count;
}

static double autocovariance(const double *values, size_t count, size_t lag)
{
    double sum = 0;
    for (size_t i = lag; i < count; i++)
        sum += values[i] * values[i - lag];
    return sum / (double)count;
}

/* How many correlated samples say as much about the median as one independent sample does; at least 1. It is the sum of
 * the signs' autocorrelations, taken in pairs of lags for as long as the pairs are positive and do not grow (Geyer
 * 1992, initial monotone sequence). */
static double samples_per_independent(const double *samples, size_t count, double median)
{
    double blocks[BLOCKS_MAX];
    size_t length = 0;
    size_t block_count = block_signs(samples, count, median, blocks, &length);
    double variance = 0; /* of one sign: 1 unless samples are equal to the median */
    for (size_t i = 0; i < count; i++)
        variance += samples[i] != median;
    variance /= (double)count;
    if (variance == 0)
        return 1;

    double sum = -autocovariance(blocks, block_count, 0);
    double previous = INFINITY;
    for (size_t lag = 0; lag + 1 < block_count; lag += 2) {
        double pair = autocovariance(blocks, block_count, lag) + autocovariance(blocks, block_count, lag + 1);
        if (pair <= 0)
            break;
        previous = fmin(pair, previous);
        sum += 2 * previous;
    }
    return fmax(1, sum * (double)length / variance);
}

bool lab_median_interval(const double *samples, size_t count, double confidence, struct lab_interval *interval)
{
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, samples, count * sizeof *sorted);
    lab_sort(sorted, count);
    double n = (double)count;
    double excess = samples_per_independent(samples, count, lab_quantile(sorted, count, 0.5));
    /* For independent samples the ranks of the sign test; the 1 is the continuity correction. */
    *interval = between_ranks(sorted, count, (n + 1 - lab_normal_quantile(confidence) * sqrt(n * excess)) / 2);
    free(sorted);
    return true;
}
