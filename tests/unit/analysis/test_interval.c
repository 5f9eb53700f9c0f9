/* server/analysis/interval.c and variation.c, compared with ranks computed by hand and printed tables. How often the
 * intervals cover the truth is measured by tests/bench/bench_comparison.c. */
#include "analysis/interval.h"
#include "analysis/variation.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* 1 to n, alternating between the upper and the lower half, so that neighbours never resemble each other. */
static void alternate(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = i % 2 == 0 ? (double)(i / 2 + 1) : (double)(count - i / 2);
}

static struct lab_interval median_interval(const double *values, size_t count)
{
    struct lab_interval interval;
    assert_true(lab_median_interval(values, count, 0.95, &interval));
    return interval;
}

TEST(interval_of_independent_samples_is_between_the_ranks_of_the_sign_test)
{
    static const struct {
        size_t count;
        double low, high;
    } rows[] = {{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {12, 3, 10}, {20, 6, 15}, {100, 40, 61}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[100];
        alternate(values, rows[i].count);
        struct lab_interval interval = median_interval(values, rows[i].count);
        assert_true(interval.value == (double)(rows[i].count + 1) / 2);
        if (interval.low != rows[i].low || interval.high != rows[i].high)
            fail_msg("%zu samples: %g to %g", rows[i].count, interval.low, interval.high);
    }
}

TEST(five_samples_do_not_limit_the_median)
{
    const double values[] = {1, 5, 2, 4, 3};
    struct lab_interval interval = median_interval(values, 5);
    assert_true(interval.value == 3 && interval.low == -INFINITY && interval.high == INFINITY);
}

TEST(samples_that_resemble_their_neighbours_widen_the_interval)
{
    double alternating[100], runs_of_ten[100];
    for (size_t i = 0; i < 100; i++) {
        alternating[i] = i % 2 == 0 ? 1 + 0.001 * (double)i : 2 + 0.001 * (double)i;
        runs_of_ten[i] = i / 10 % 2 == 0 ? 1 + 0.001 * (double)i : 2 + 0.001 * (double)i;
    }
    struct lab_interval narrow = median_interval(alternating, 100);
    struct lab_interval wide = median_interval(runs_of_ten, 100);
    assert_true(wide.high - wide.low > narrow.high - narrow.low);
}

TEST(samples_that_only_rise_do_not_limit_the_median)
{
    double values[40];
    for (size_t i = 0; i < 40; i++)
        values[i] = (double)i;
    struct lab_interval interval = median_interval(values, 40);
    assert_true(interval.high - interval.low > 30);
}

TEST(equal_samples_have_an_interval_without_width)
{
    const double values[] = {3, 3, 3, 3, 3, 3, 3};
    struct lab_interval interval = median_interval(values, 7);
    assert_true(interval.low == 3 && interval.value == 3 && interval.high == 3);
}

TEST(a_million_samples_have_a_narrow_interval)
{
    size_t count = 1000000;
    double *values = calloc(count, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(i * 7919 % count);
    struct lab_interval interval = median_interval(values, count);
    free(values);
    assert_true(interval.low < 500000 && interval.high > 499999);
    assert_true(interval.high - interval.low < 20000);
}

TEST(variation_counts_neither_drift_nor_what_is_not_a_number)
{
    double medians[40];
    for (size_t i = 0; i < 40; i++)
        medians[i] = exp(0.001 * (double)i + (i % 2 == 0 ? 0.01 : -0.01)); /* differences of 0.021 and 0.019 */
    assert_true(fabs(lab_run_variation(medians, 40) - 0.02 / sqrt(2)) < 1e-4);
    medians[20] *= 1.5;
    assert_true(lab_run_variation(medians, 40) > 0.05); /* a bad run counts */
}

TEST(variation_needs_five_positive_medians)
{
    const double medians[] = {1, 0, 1.01, NAN, 1, -4, 1.01, INFINITY, 1};
    assert_true(fabs(lab_run_variation(medians, 9) - log(1.01) / sqrt(2)) < 1e-12);
    assert_true(isnan(lab_run_variation(medians, 8)));
    assert_true(isnan(lab_run_variation(NULL, 0)));
}
