/* Compares two measurements of one point, and judges points together; STATISTICS.md explains the methods. */
#include "analysis/comparison.h"

#include "analysis/distributions.h"
#include "analysis/interval.h"
#include "analysis/variation.h"
#include "core/compared_blocks.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>

/* Degrees of freedom of the variation for each difference of consecutive runs, which overlap. */
static const double degrees_per_difference = 2 / 3.0;

/* The share of comparisons of equal sides in which a point may be called different. */
static const double false_share = 0.01;

/* A difference is detectable if a comparison finds it with this probability. */
static const double power = 0.95;

/* VALUES_MIN: samples that an interval needs. BLOCKS_MIN: blocks that show how much blocks vary. */
#define VALUES_MIN 6
#define BLOCKS_MIN 3
#define DIGITS(number) #number
#define AS_TEXT(macro) DIGITS(macro)

const char *const lab_verdict_names[] = {"faster", "slower", "same", "unclear", NULL};
const char *const lab_comparison_method_names[] = {"samples", "samples-and-history", "blocks", NULL};

/* --- estimates ---------------------------------------------------------------------------------------------------- */

/* A comparison without values, for this reason. */
static struct lab_comparison without_values(enum lab_comparison_method method, const char *reason)
{
    return (struct lab_comparison){.method = method,
                                   .base = NAN,
                                   .head = NAN,
                                   .ratio = NAN,
                                   .low = 0,
                                   .high = INFINITY,
                                   .error = NAN,
                                   .degrees = NAN,
                                   .needed = NAN,
                                   .incomparable = reason};
}

static const char *const not_finite = "some values are not finite numbers";
static const char *const not_positive = "a ratio needs positive values";

/* Sets ratio and interval from the logarithm of the ratio and its distances to the bounds. */
static void set_interval(struct lab_comparison *comparison, double ratio, double down, double up)
{
    comparison->ratio = exp(ratio);
    comparison->low = exp(ratio - down);
    comparison->high = exp(ratio + up);
}

static const char *const beyond_range = "the ratio is beyond the range of numbers";

static bool in_range(const struct lab_comparison *comparison)
{
    return comparison->ratio > 0 && isfinite(comparison->ratio);
}

static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* --- samples of two runs ------------------------------------------------------------------------------------------ */

/* The distance of the logarithms of two values of which the larger one is positive. */
static double log_distance(double smaller, double larger)
{
    return smaller > 0 ? log(larger) - log(smaller) : INFINITY;
}

/* Why the samples do not limit the interval; NULL if they do. */
static const char *reason_of_samples(size_t base_count, size_t head_count, const struct lab_comparison *comparison,
                                     const struct lab_interval *base, const struct lab_interval *head)
{
    if (!in_range(comparison))
        return beyond_range;
    if (base_count < VALUES_MIN || head_count < VALUES_MIN)
        return "a side has too few values: " AS_TEXT(VALUES_MIN) " are needed";
    if (isinf(base->low) || isinf(head->low))
        return "the values of a side are too much like those before them: they say too little";
    return base->low <= 0 || head->low <= 0 ? not_positive : NULL;
}

/* Adds what a run differs from the next to the distances of the interval's bounds. */
static void add_history(struct lab_comparison *comparison, double ratio, double down, double up,
                        const struct lab_run_history *history)
{
    comparison->method = LAB_COMPARE_HISTORY;
    comparison->degrees = fmax(1, degrees_per_difference * (double)(history->runs - 1));
    double between = sqrt(2) * history->variation,
           reach = lab_student_quantile(LAB_CONFIDENCE, comparison->degrees) * between,
           within = fmax(down, up) / lab_normal_quantile(LAB_CONFIDENCE);
    comparison->error = hypot(within, between);
    set_interval(comparison, ratio, hypot(down, reach), hypot(up, reach));
}

bool lab_compare_samples(const double *base, size_t base_count, const double *head, size_t head_count,
                         const struct lab_run_history *history, struct lab_comparison *comparison)
{
    struct lab_interval b;
    struct lab_interval h;
    *comparison =
        without_values(LAB_COMPARE_SAMPLES, base_count == 0 || head_count == 0 ? "one side has no values" : not_finite);
    if (base_count == 0 || head_count == 0 || !all_finite(base, base_count) || !all_finite(head, head_count))
        return true;
    if (!lab_median_interval(base, base_count, LAB_CONFIDENCE, &b) ||
        !lab_median_interval(head, head_count, LAB_CONFIDENCE, &h))
        return false;
    comparison->base = b.value;
    comparison->head = h.value;
    comparison->incomparable = not_positive;
    if (b.value <= 0 || h.value <= 0)
        return true;
    double ratio = log(h.value) - log(b.value);
    double down = hypot(log_distance(h.low, h.value), log_distance(b.value, b.high));
    double up = hypot(log_distance(h.value, h.high), log_distance(b.low, b.value));
    set_interval(comparison, ratio, down, up);
    comparison->incomparable = reason_of_samples(base_count, head_count, comparison, &b, &h);
    if (comparison->incomparable != NULL)
        return true;
    if (history->runs >= LAB_VARIATION_RUNS_MIN && isfinite(history->variation))
        add_history(comparison, ratio, down, up, history);
    else
        comparison->incomparable = "the lab does not know how much runs of this point vary: " AS_TEXT(
            LAB_VARIATION_RUNS) " others show it, or a comparison that measures both sides alternately (compare_with)";
    return true;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Mean and standard error. */
static double mean_of(const double *values, size_t count, double *error)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    *error = count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : NAN;
    return mean;
}

void lab_compare_blocks(const double *ratios, size_t count, double base, double head, struct lab_comparison *comparison)
{
    *comparison = without_values(
        LAB_COMPARE_BLOCKS,
        count == 0 ? "the time was not enough for a block, or the value was measured outside of blocks" : not_positive);
    comparison->base = base;
    comparison->head = head;
    if (count == 0 || !all_finite(ratios, count))
        return;
    double error, mean = mean_of(ratios, count, &error);
    comparison->ratio = exp(mean);
    comparison->incomparable = beyond_range;
    if (!in_range(comparison))
        return;
    comparison->incomparable = "the time was enough for fewer than " AS_TEXT(
        BLOCKS_MIN) " blocks, each with memory in another place, which can change a ratio by several percent";
    comparison->needed = LAB_COMPARED_BLOCKS / (double)count;
    if (count < BLOCKS_MIN)
        return;
    comparison->incomparable = NULL;
    comparison->error = error;
    comparison->degrees = (double)(count - 1);
    double reach = lab_student_quantile(LAB_CONFIDENCE, comparison->degrees) * error;
    set_interval(comparison, mean, reach, reach);
}

/* --- the verdicts ------------------------------------------------------------------------------------------------- */

/* How far the ratio is beyond the minimum effect, in standard errors; negative: within it. */
static double beyond(const struct lab_comparison *c, double minimum)
{
    double distance = fabs(log(c->ratio)) - minimum;
    return distance == 0 ? 0 : distance / c->error;
}

/* The probability of being at least so far beyond the minimum effect, in either direction, for sides that differ by
 * less. */
static double probability_of(const struct lab_comparison *c, double minimum)
{
    double t = beyond(c, minimum);
    return t > 0 ? lab_student_two_sided(t, c->degrees) : 1;
}

/* The largest probability with which a point is different, by Benjamini and Hochberg; 0 if none is. Sorts
 * `probabilities`. */
static double limit_of(double *probabilities, size_t count)
{
    double limit = 0;
    lab_sort(probabilities, count);
    for (size_t i = 0; i < count; i++)
        if (probabilities[i] <= false_share * (double)(i + 1) / (double)count)
            limit = probabilities[i];
    return limit;
}

/* Standard errors beyond the minimum effect from which on a single point of `count` is different. */
static double threshold_of(double degrees, size_t count)
{
    return lab_student_quantile(1 - false_share / (double)count, degrees);
}

/* Whether `blocks` as variable as those of the comparison would probably give another verdict than unclear: with the
 * probability `power` if the ratio is as found. `distance` is that of the ratio beyond the minimum effect. */
static bool would_decide(const struct lab_comparison *c, double blocks, double distance, size_t count)
{
    double degrees = fmin(blocks - 1, 1000); /* more make no difference */
    double error = c->error * sqrt((c->degrees + 1) / blocks);
    double limit = distance > 0 ? threshold_of(degrees, count) : lab_student_quantile(LAB_CONFIDENCE, degrees);
    return (limit + lab_student_quantile(2 * power - 1, degrees)) * error <= fabs(distance);
}

/* The smallest number of blocks that would probably decide, divided by that of the comparison; NAN: years of them would
 * not. */
static double needed_of(const struct lab_comparison *c, double minimum, size_t count)
{
    static const double blocks_max = 1e9;
    double distance = fabs(log(c->ratio)) - minimum, blocks = c->degrees + 1, enough = blocks_max;
    if (c->method != LAB_COMPARE_BLOCKS || !would_decide(c, enough, distance, count))
        return NAN;
    for (double few = blocks; enough - few > 1;) {
        double middle = floor((few + enough) / 2);
        if (would_decide(c, middle, distance, count))
            enough = middle;
        else
            few = middle;
    }
    return enough / blocks;
}

static const char *reason_of(const struct lab_comparison *c, double minimum)
{
    if (log(c->low) > minimum || log(c->high) < -minimum)
        return "the interval is beyond the minimum effect, but of so many points one has such an interval by chance";
    if (c->low > 1 || c->high < 1)
        return "there is a difference, but it may be smaller than the minimum effect";
    return "the interval includes both no difference and one above the minimum effect";
}

static void judge(struct lab_comparison *c, double minimum, double limit, size_t count)
{
    c->verdict = LAB_UNCLEAR;
    c->detectable = NAN;
    c->reason = c->incomparable;
    if (c->incomparable != NULL)
        return;
    double needs = threshold_of(c->degrees, count) + lab_student_quantile(2 * power - 1, c->degrees);
    c->detectable = expm1(minimum + needs * c->error);
    if (probability_of(c, minimum) <= limit)
        c->verdict = (c->ratio > 1) == c->larger_is_better ? LAB_FASTER : LAB_SLOWER;
    else if (log(c->low) >= -minimum && log(c->high) <= minimum)
        c->verdict = LAB_SAME;
    c->needed = c->verdict == LAB_UNCLEAR ? needed_of(c, minimum, count) : NAN;
    c->reason = c->verdict == LAB_UNCLEAR ? reason_of(c, minimum) : NULL;
}

bool lab_judge(struct lab_comparison *comparisons, size_t count, double minimum_effect)
{
    double minimum = log1p(minimum_effect), *probabilities = malloc((count + 1) * sizeof *probabilities);
    size_t judged = 0;
    if (probabilities == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        if (comparisons[i].incomparable == NULL)
            probabilities[judged++] = probability_of(&comparisons[i], minimum);
    double limit = limit_of(probabilities, judged);
    for (size_t i = 0; i < count; i++)
        judge(&comparisons[i], minimum, limit, judged);
    free(probabilities);
    return true;
}

enum lab_verdict lab_verdict_of_all(const size_t counts[LAB_VERDICTS])
{
    return counts[LAB_SLOWER] > 0    ? LAB_SLOWER
           : counts[LAB_FASTER] > 0  ? LAB_FASTER
           : counts[LAB_UNCLEAR] > 0 ? LAB_UNCLEAR
           : counts[LAB_SAME] > 0    ? LAB_SAME
                                     : LAB_UNCLEAR;
}
