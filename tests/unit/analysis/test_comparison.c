/* server/analysis/comparison.c: verdicts, reasons, and values that cannot be compared. How often verdicts are wrong is
 * measured by tests/bench/bench_comparison.c. */
#include "analysis/comparison.h"
#include "analysis/variation.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SAMPLES = 100 };

static const struct lab_comparison_options defaults = LAB_COMPARISON_DEFAULTS;

/* Samples about `level` with a spread of `noise`, in an order in which neighbours differ. */
static void fill(double *samples, size_t count, double level, double noise)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = level * (1 + noise * (i % 2 == 0 ? 1 : -1) * ((double)(i + 1) / (double)count));
}

static struct lab_comparison compare(double base_level, double head_level, double noise,
                                     const struct lab_comparison_options *options)
{
    double base[SAMPLES], head[SAMPLES];
    struct lab_comparison comparison;
    fill(base, SAMPLES, base_level, noise);
    fill(head, SAMPLES, head_level, noise);
    assert_true(lab_compare_samples(base, SAMPLES, head, SAMPLES, options, &comparison));
    return comparison;
}

static void assert_consistent(const struct lab_comparison *comparison)
{
    assert_true(comparison->low <= comparison->ratio && comparison->ratio <= comparison->high);
    assert_true((comparison->verdict == LAB_UNCLEAR) == (comparison->reason != NULL));
}

TEST(a_lower_time_is_faster_and_a_lower_bandwidth_slower)
{
    struct lab_comparison_options larger = defaults;
    larger.larger_is_better = true;
    struct lab_comparison comparison = compare(2e-3, 1.9e-3, 0.002, &defaults);
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_FASTER);
    assert_int_equal(comparison.method, LAB_COMPARE_SAMPLES);
    assert_true(fabs(comparison.ratio - 0.95) < 0.001);
    assert_true(fabs(comparison.base - 2e-3) < 1e-5 && fabs(comparison.head - 1.9e-3) < 1e-5);
    assert_int_equal(compare(2, 1.9, 0.002, &larger).verdict, LAB_SLOWER);
    assert_int_equal(compare(1.9, 2, 0.002, &defaults).verdict, LAB_SLOWER);
    assert_int_equal(compare(1.9, 2, 0.002, &larger).verdict, LAB_FASTER);
}

TEST(a_difference_below_the_minimum_effect_is_the_same)
{
    struct lab_comparison comparison = compare(1, 1.005, 0.002, &defaults);
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_SAME);
    struct lab_comparison_options any = defaults;
    any.minimum_effect = 0;
    assert_int_equal(compare(1, 1.005, 0.002, &any).verdict, LAB_SLOWER);
    assert_int_equal(compare(1, 1, 0, &any).verdict, LAB_SAME);
}

TEST(an_interval_across_the_minimum_effect_is_unclear)
{
    struct lab_comparison comparison = compare(1, 1.01, 0.01, &defaults);
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_non_null(strstr(comparison.reason, "smaller than the minimum effect"));
    comparison = compare(1, 1.01, 0.2, &defaults);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_non_null(strstr(comparison.reason, "both no difference and one above"));
}

TEST(the_other_order_gives_the_inverse_ratio_and_the_opposite_verdict)
{
    for (double ratio = 0.9; ratio < 1.1; ratio += 0.001) {
        struct lab_comparison one = compare(1, ratio, 0.003, &defaults);
        struct lab_comparison other = compare(ratio, 1, 0.003, &defaults);
        assert_true(fabs(one.ratio * other.ratio - 1) < 1e-12 && fabs(one.low * other.high - 1) < 1e-12);
        static const enum lab_verdict opposite[] = {LAB_SLOWER, LAB_FASTER, LAB_SAME, LAB_UNCLEAR};
        assert_int_equal(other.verdict, opposite[one.verdict]);
    }
}

TEST(few_samples_are_unclear_with_the_ratio)
{
    const double base[] = {1, 1.001, 0.999, 1, 1.002};
    const double head[] = {2, 2.001, 1.999, 2, 2.002};
    for (size_t count = 1; count <= 5; count++) {
        struct lab_comparison comparison;
        assert_true(lab_compare_samples(base, count, head, count, &defaults, &comparison));
        assert_consistent(&comparison);
        assert_int_equal(comparison.verdict, LAB_UNCLEAR);
        assert_true(fabs(comparison.ratio - 2) < 0.01);
        assert_true(comparison.low == 0 && comparison.high == INFINITY);
        assert_non_null(strstr(comparison.reason, "too few"));
    }
}

TEST(values_that_have_no_ratio_are_unclear)
{
    static const double good[] = {1, 2, 1, 2, 1, 2, 1};
    static const struct {
        double values[7];
        size_t count;
        const char *reason;
    } rows[] = {
        {{0}, 0, "no values"},
        {{1, 1, 1, NAN, 1, 1, 1}, 7, "not finite"},
        {{1, 1, 1, INFINITY, 1, 1, 1}, 7, "not finite"},
        {{0, 0, 0, 0, 0, 0, 0}, 7, "positive"},
        {{-1, -2, -1, -2, -1, -2, -1}, 7, "positive"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lab_comparison all[4];
        assert_true(lab_compare_samples(good, 7, rows[i].values, rows[i].count, &defaults, &all[0]));
        assert_true(lab_compare_samples(rows[i].values, rows[i].count, good, 7, &defaults, &all[1]));
        assert_true(lab_compare_runs(good, 7, rows[i].values, rows[i].count, &defaults, &all[2]));
        assert_true(lab_compare_rounds(good, rows[i].values, rows[i].count, &defaults, &all[3]));
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(all[k].verdict, LAB_UNCLEAR);
            assert_non_null(strstr(all[k].reason, rows[i].reason));
            assert_true(isnan(all[k].ratio) && all[k].low == 0 && all[k].high == INFINITY);
        }
    }
}

/* The lower bound of the median's interval is not positive, the median is. */
TEST(a_bound_without_a_ratio_is_infinite)
{
    static const double base[] = {-1, 1, -1, 1, 1, 1, 1};
    static const double head[] = {1, 1, 1, 1, 1, 1, 1};
    struct lab_comparison comparison;
    assert_true(lab_compare_samples(base, 7, head, 7, &defaults, &comparison));
    assert_true(comparison.ratio == 1 && comparison.high == INFINITY);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
}

TEST(a_history_widens_the_interval)
{
    struct lab_comparison_options options = defaults;
    options.variation = 0.01;
    options.variation_runs = 20;
    struct lab_comparison alone = compare(1, 1.03, 0.002, &defaults);
    struct lab_comparison with_history = compare(1, 1.03, 0.002, &options);
    assert_int_equal(alone.verdict, LAB_SLOWER);
    assert_int_equal(with_history.method, LAB_COMPARE_HISTORY);
    assert_int_equal(with_history.verdict, LAB_UNCLEAR);
    assert_true(alone.ratio == with_history.ratio);
    assert_true(log(with_history.high / with_history.ratio) > 1.96 * sqrt(2) * 0.01);
    options.variation_runs = LAB_VARIATION_RUNS_MIN - 1;
    assert_int_equal(compare(1, 1.03, 0.002, &options).method, LAB_COMPARE_SAMPLES);
    options.variation_runs = 20;
    options.variation = lab_run_variation(NULL, 0);
    assert_int_equal(compare(1, 1.03, 0.002, &options).method, LAB_COMPARE_SAMPLES);
}

/* The machine changes by 30 % between rounds, in both sides alike. */
TEST(rounds_cancel_what_both_sides_share)
{
    double base[12], head[12];
    for (size_t i = 0; i < 12; i++) {
        base[i] = 1 + 0.3 * sin((double)i);
        head[i] = base[i] * (1.03 + (i % 2 == 0 ? 0.001 : -0.001) * (double)(i + 1) / 12);
    }
    struct lab_comparison comparison;
    assert_true(lab_compare_rounds(base, head, 12, &defaults, &comparison));
    assert_consistent(&comparison);
    assert_int_equal(comparison.method, LAB_COMPARE_ROUNDS);
    assert_int_equal(comparison.verdict, LAB_SLOWER);
    assert_true(fabs(comparison.ratio - 1.03) < 0.001);
    assert_true(lab_compare_samples(base, 12, head, 12, &defaults, &comparison));
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_true(lab_compare_rounds(base, head, 5, &defaults, &comparison));
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
}

/* Means 1.00 and 1.10 of the logarithms, each with the squares 0.0002: the pooled variance of 4 degrees of freedom is 0.0001
 * and the interval 0.10 +- 2.776 * 0.01 * sqrt(2 / 3). */
TEST(several_runs_have_the_interval_of_the_t_test)
{
    const double base[] = {exp(0.99), exp(1.00), exp(1.01)};
    const double head[] = {exp(1.09), exp(1.10), exp(1.11)};
    struct lab_comparison comparison;
    assert_true(lab_compare_runs(base, 3, head, 3, &defaults, &comparison));
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_SLOWER);
    assert_true(fabs(log(comparison.ratio) - 0.10) < 1e-12);
    assert_true(fabs(log(comparison.high) - 0.10 - 2.77645 * 0.01 * sqrt(2.0 / 3)) < 1e-5);
    assert_true(lab_compare_runs(base, 3, head, 1, &defaults, &comparison));
    assert_true(isfinite(comparison.high));
    assert_true(lab_compare_runs(base, 2, head, 1, &defaults, &comparison));
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
}

TEST(ratios_beyond_the_range_of_numbers_are_unclear)
{
    struct lab_comparison comparison = compare(1e-300, 1e300, 0.001, &defaults);
    assert_true(comparison.verdict == LAB_UNCLEAR && comparison.ratio == INFINITY && comparison.high == INFINITY);
    comparison = compare(1e300, 1e-300, 0.001, &defaults);
    assert_true(comparison.verdict == LAB_UNCLEAR && comparison.ratio == 0 && comparison.low == 0);
}

TEST(names_are_those_of_the_api)
{
    assert_string_equal(lab_verdict_name(LAB_FASTER), "faster");
    assert_string_equal(lab_verdict_name(LAB_UNCLEAR), "unclear");
    assert_string_equal(lab_comparison_method_name(LAB_COMPARE_SAMPLES), "samples");
    assert_string_equal(lab_comparison_method_name(LAB_COMPARE_RUNS), "runs");
}
