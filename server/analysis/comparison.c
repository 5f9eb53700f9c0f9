/* Compares two measurements of one point; STATISTICS.md explains the methods. */
#include "analysis/comparison.h"

#include "analysis/distributions.h"
#include "analysis/interval.h"
#include "analysis/variation.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Degrees of freedom of the variation for each difference of consecutive runs. It is estimated from a median, so it is less
 * precise than a standard deviation; with this figure intervals cover what they should (STATISTICS.md). */
static const double degrees_per_difference = 0.5;

/* VALUES_MIN: samples or rounds that an interval needs at a confidence of 0.95. RUNS_MIN: runs of both sides together. */
#define VALUES_MIN 6
#define RUNS_MIN 4
#define DIGITS(number) #number
#define AS_TEXT(macro) DIGITS(macro)

const char *lab_verdict_name(enum lab_verdict verdict)
{
    static const char *const names[] = {"faster", "slower", "same", "unclear"};
    return names[verdict];
}

const char *lab_comparison_method_name(enum lab_comparison_method method)
{
    static const char *const names[] = {"samples", "samples-and-history", "rounds", "runs"};
    return names[method];
}

/* --- the verdict ----------------------------------------------------------------------------------------------------- */

static void unclear(struct lab_comparison *comparison, const char *reason)
{
    comparison->verdict = LAB_UNCLEAR;
    comparison->reason = reason;
}

/* Sets verdict and reason from the interval; `unlimited` is the reason where the values do not limit it. The bounds 1 + e and 1 / (1 + e) make the verdicts of both orders agree. */
static void judge(struct lab_comparison *comparison, const struct lab_comparison_options *options,
                  const char *unlimited)
{
    double above = 1 + options->minimum_effect;
    double below = 1 / above;
    if (comparison->low == 0 || isinf(comparison->high))
        unclear(comparison, unlimited);
    else if (comparison->low > above)
        comparison->verdict = options->larger_is_better ? LAB_FASTER : LAB_SLOWER;
    else if (comparison->high < below)
        comparison->verdict = options->larger_is_better ? LAB_SLOWER : LAB_FASTER;
    else if (comparison->low >= below && comparison->high <= above)
        comparison->verdict = LAB_SAME;
    else if (comparison->low > 1 || comparison->high < 1)
        unclear(comparison, "there is a difference, but it may be smaller than the minimum effect");
    else
        unclear(comparison, "the interval includes both no difference and one above the minimum effect");
}

/* Sets ratio, interval and verdict from the logarithm of the ratio and its distances to the bounds. */
static void conclude(struct lab_comparison *comparison, double ratio, double down, double up,
                     const struct lab_comparison_options *options, const char *unlimited)
{
    comparison->ratio = exp(ratio);
    comparison->low = exp(ratio - down);
    comparison->high = exp(ratio + up);
    judge(comparison, options, unlimited);
}

/* --- what can be compared -------------------------------------------------------------------------------------------- */

static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0))
            return false;
    return true;
}

/* Initialises the result. Returns false, with the reason, when a side is empty or has values that are not finite. */
static bool comparable(const double *base, size_t base_count, const double *head, size_t head_count,
                       enum lab_comparison_method method, struct lab_comparison *comparison)
{
    *comparison = (struct lab_comparison){LAB_UNCLEAR, method, NAN, NAN, NAN, 0, INFINITY, NULL};
    if (base_count == 0 || head_count == 0)
        unclear(comparison, "one side has no values");
    else if (!all_finite(base, base_count) || !all_finite(head, head_count))
        unclear(comparison, "some values are not finite numbers");
    else
        return true;
    return false;
}

static const char *const not_positive = "a ratio needs positive values";
static const char *const too_few = "a side has too few values: " AS_TEXT(VALUES_MIN) " are needed";
static const char *const too_alike = "the values of a side are too much like those before them: they say too little";

/* --- samples of two runs ---------------------------------------------------------------------------------------------- */

/* The distance of the logarithms of two values of which the larger one is positive. */
static double log_distance(double smaller, double larger)
{
    return smaller > 0 ? log(larger) - log(smaller) : INFINITY;
}

bool lab_compare_samples(const double *base, size_t base_count, const double *head, size_t head_count,
                         const struct lab_comparison_options *options, struct lab_comparison *comparison)
{
    bool with_history = options->variation_runs >= LAB_VARIATION_RUNS_MIN && isfinite(options->variation);
    struct lab_interval b;
    struct lab_interval h;
    if (!comparable(base, base_count, head, head_count, with_history ? LAB_COMPARE_HISTORY : LAB_COMPARE_SAMPLES,
                    comparison))
        return true;
    if (!lab_median_interval(base, base_count, options->confidence, &b) ||
        !lab_median_interval(head, head_count, options->confidence, &h))
        return false;
    comparison->base = b.value;
    comparison->head = h.value;
    if (b.value <= 0 || h.value <= 0) {
        unclear(comparison, not_positive);
        return true;
    }
    double between = 0;
    if (with_history) {
        double degrees = degrees_per_difference * (double)(options->variation_runs - 1);
        between = lab_student_quantile(options->confidence, degrees) * sqrt(2) * options->variation;
    }
    double down = hypot(log_distance(h.low, h.value), log_distance(b.value, b.high));
    double up = hypot(log_distance(h.value, h.high), log_distance(b.low, b.value));
    const char *unlimited = base_count < VALUES_MIN || head_count < VALUES_MIN ? too_few
                            : isinf(b.low) || isinf(h.low)                     ? too_alike
                                                                               : not_positive;
    conclude(comparison, log(h.value) - log(b.value), hypot(down, between), hypot(up, between), options, unlimited);
    return true;
}

/* --- rounds, and several runs of each side ---------------------------------------------------------------------------- */

/* The median of a copy of the values; NAN when out of memory. */
static double median_of(const double *values, size_t count)
{
    double *copy = malloc(count * sizeof *copy);
    if (copy == NULL)
        return NAN;
    memcpy(copy, values, count * sizeof *copy);
    double median = lab_median(copy, count);
    free(copy);
    return median;
}

/* Sets the medians of both sides. Returns false when out of memory. */
static bool set_medians(const double *base, size_t base_count, const double *head, size_t head_count,
                        struct lab_comparison *comparison)
{
    comparison->base = median_of(base, base_count);
    comparison->head = median_of(head, head_count);
    return !isnan(comparison->base) && !isnan(comparison->head);
}

bool lab_compare_rounds(const double *base, const double *head, size_t count,
                        const struct lab_comparison_options *options, struct lab_comparison *comparison)
{
    if (!comparable(base, count, head, count, LAB_COMPARE_ROUNDS, comparison))
        return true;
    if (!set_medians(base, count, head, count, comparison))
        return false;
    if (!all_positive(base, count) || !all_positive(head, count)) {
        unclear(comparison, not_positive);
        return true;
    }
    double *ratios = malloc(count * sizeof *ratios);
    if (ratios == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        ratios[i] = log(head[i]) - log(base[i]);
    struct lab_interval ratio;
    bool computed = lab_centre_interval(ratios, count, options->confidence, &ratio);
    free(ratios);
    if (computed)
        conclude(comparison, ratio.value, ratio.value - ratio.low, ratio.high - ratio.value, options, too_few);
    return computed;
}

/* Mean and sum of squared deviations of the logarithms. */
static void log_moments(const double *values, size_t count, double *mean, double *squares)
{
    *mean = 0;
    *squares = 0;
    for (size_t i = 0; i < count; i++)
        *mean += log(values[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        *squares += (log(values[i]) - *mean) * (log(values[i]) - *mean);
}

bool lab_compare_runs(const double *base, size_t base_count, const double *head, size_t head_count,
                      const struct lab_comparison_options *options, struct lab_comparison *comparison)
{
    if (!comparable(base, base_count, head, head_count, LAB_COMPARE_RUNS, comparison))
        return true;
    if (!set_medians(base, base_count, head, head_count, comparison))
        return false;
    if (!all_positive(base, base_count) || !all_positive(head, head_count)) {
        unclear(comparison, not_positive);
        return true;
    }
    double base_mean, head_mean, base_squares, head_squares;
    log_moments(base, base_count, &base_mean, &base_squares);
    log_moments(head, head_count, &head_mean, &head_squares);
    double half = INFINITY;
    if (base_count + head_count >= RUNS_MIN) {
        double degrees = (double)(base_count + head_count - 2);
        double variance = (base_squares + head_squares) / degrees;
        half = lab_student_quantile(options->confidence, degrees) *
               sqrt(variance * (1 / (double)base_count + 1 / (double)head_count));
    }
    conclude(comparison, head_mean - base_mean, half, half, options,
             "too few runs: " AS_TEXT(RUNS_MIN) " of both sides together are needed");
    return true;
}
