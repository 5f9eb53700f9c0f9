/* The reasons to stop sampling a point. */
#include "measure/stopping.h"

#include <math.h>

static const double noise_spread_max = 0.05; /* largest (max - min) / mean of the noise window for "noise-stable" */
static const double drift_min = 0.01;        /* the smallest change that is a drift, relative to the samples */

static struct lab_running_statistics statistics_of(const double *samples, size_t count)
{
    struct lab_running_statistics statistics = {0};
    for (size_t i = 0; i < count; i++)
        lab_running_statistics_add(&statistics, samples[i]);
    return statistics;
}

bool lab_samples_drift(const double *samples, size_t count, double tolerance)
{
    size_t third = count / 3;
    if (third < LAB_NOISE_SAMPLES_MIN)
        return false;
    struct lab_running_statistics first = statistics_of(samples, third);
    struct lab_running_statistics last = statistics_of(samples + count - third, third);
    return !lab_means_agree(&first, &last, tolerance);
}

/* The noise is stable when its latest estimates differ by at most noise_spread_max of their mean: more samples would
 * not lower it (after nvbench's criterion). */
static bool noise_is_stable(const struct lab_stopping *stopping)
{
    if (stopping->estimates < LAB_NOISE_WINDOW)
        return false;
    double low = stopping->window[0], high = low, sum = 0;
    for (size_t i = 0; i < LAB_NOISE_WINDOW; i++) {
        low = fmin(low, stopping->window[i]);
        high = fmax(high, stopping->window[i]);
        sum += stopping->window[i];
    }
    return high - low <= noise_spread_max * sum / LAB_NOISE_WINDOW;
}

/* The reason for which the noise ends the point; NULL: the point continues. */
static const char *reason_of_noise(struct lab_stopping *stopping)
{
    double noise = lab_running_statistics_noise(&stopping->statistics);
    if (isfinite(noise))
        stopping->window[stopping->estimates++ % LAB_NOISE_WINDOW] = noise;
    if (noise <= stopping->limits->max_noise)
        return "converged";
    return noise_is_stable(stopping) ? "noise-stable" : NULL;
}

/* Whether the samples of the point drift, by its limits. */
static bool drifts(const struct lab_stopping *stopping, const double *samples, size_t count)
{
    return !stopping->renewed && lab_samples_drift(samples, count, fmax(stopping->limits->max_noise, drift_min));
}

/* Drift is tested again only when the number of samples has grown by a sixteenth, because the test reads all
 * samples. */
const char *lab_stopping_reason(struct lab_stopping *stopping, const double *samples, size_t count, double duration_s,
                                bool budget_used)
{
    const struct lab_stopping_limits *limits = stopping->limits;
    lab_running_statistics_add(&stopping->statistics, samples[count - 1]);
    stopping->measured_s += duration_s;

    const char *reason = count >= limits->min_samples ? reason_of_noise(stopping) : NULL;
    bool complete = reason != NULL && stopping->measured_s >= limits->min_time_s && count >= stopping->next_check;
    bool forced = count >= limits->max_samples || budget_used;
    if (!complete && !forced)
        return NULL;
    stopping->next_check = count + count / 16 + 1;
    if (!drifts(stopping, samples, count))
        return complete ? reason : budget_used ? "budget" : "sample-limit";
    return forced ? "drifting" : NULL;
}
