/* server/analysis/shifts.c on series without randomness. How often shifts are missed and falsely reported is measured
 * by tests/bench/bench_shifts.c. */
#include "analysis/shifts.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { RUNS = 1200 };

static const struct lab_shift_options defaults = LAB_SHIFT_DEFAULTS;
static struct lab_shift shifts[RUNS];

/* Runs at `level` that differ by up to `noise`, without a pattern that is the same in consecutive runs. */
static void fill(double *values, size_t from, size_t to, double level, double noise)
{
    for (size_t i = from; i < to; i++)
        values[i] = level * (1 + noise * ((double)(i * 7919 % 97) / 48 - 1));
}

static size_t find(const double *values, size_t count)
{
    memset(shifts, 0, sizeof shifts);
    size_t found = lab_shifts_find(values, NULL, count, &defaults, shifts);
    assert_true(found <= count / LAB_SHIFT_RUNS_AFTER);
    return found;
}

TEST(a_steady_series_has_no_shift)
{
    double values[RUNS];
    static const double noises[] = {0, 0.001, 0.02, 0.2};
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
        fill(values, 0, RUNS, 3e-4, noises[n]);
        for (size_t count = 0; count <= RUNS; count += 60)
            assert_int_equal(find(values, count), 0);
    }
}

TEST(a_shift_is_found_where_it_is)
{
    double values[60];
    fill(values, 0, 40, 2, 0.003);
    fill(values, 40, 60, 2.1, 0.003);
    assert_int_equal(find(values, 60), 1);
    assert_int_equal(shifts[0].index, 40);
    assert_true(fabs(shifts[0].before - 2) < 0.01 && fabs(shifts[0].after - 2.1) < 0.01);
    assert_true(fabs(shifts[0].size - 0.05) < 0.005);
    assert_true(shifts[0].p > 0 && shifts[0].p <= defaults.significance);
    assert_true(shifts[0].found >= 42 && shifts[0].found <= 45);
}

TEST(one_or_two_bad_runs_are_no_shift)
{
    double values[60];
    fill(values, 0, 60, 1, 0.003);
    for (size_t i = 0; i < 60; i += 17)
        values[i] = 3;
    values[1] = values[35] = values[59] = values[58] = 3;
    assert_int_equal(find(values, 60), 0);
}

TEST(a_shift_is_found_with_the_third_run_after_it)
{
    double values[53];
    fill(values, 0, 50, 1, 0.002);
    fill(values, 50, 53, 0.9, 0.002);
    assert_int_equal(find(values, 52), 0);
    assert_int_equal(find(values, 53), 1);
    assert_int_equal(shifts[0].index, 50);
    assert_int_equal(shifts[0].found, 52);
}

TEST(a_shift_below_the_minimum_size_is_not_reported)
{
    double values[80];
    fill(values, 0, 40, 1, 0.0005);
    fill(values, 40, 80, 1.008, 0.0005);
    assert_int_equal(find(values, 80), 0);
    struct lab_shift_options half = defaults;
    half.minimum_size = 0.005;
    assert_int_equal(lab_shifts_find(values, NULL, 80, &half, shifts), 1);
}

TEST(a_shift_and_its_repair_are_two_shifts)
{
    double values[90];
    fill(values, 0, 40, 1, 0.003);
    fill(values, 40, 50, 1.06, 0.003);
    fill(values, 50, 90, 1, 0.003);
    assert_int_equal(find(values, 90), 2);
    assert_int_equal(shifts[0].index, 40);
    assert_int_equal(shifts[1].index, 50);
    assert_true(shifts[0].size > 0.05 && shifts[1].size < -0.05);
    assert_true(shifts[0].after == shifts[1].before);
}

TEST(later_runs_do_not_move_a_shift)
{
    double values[RUNS];
    for (size_t i = 0; i < RUNS; i += 100)
        fill(values, i, i + 100, i % 200 == 0 ? 1 : 1.04, 0.003);
    size_t count = find(values, RUNS);
    assert_int_equal(count, RUNS / 100 - 1);
    struct lab_shift all[RUNS / 100];
    memcpy(all, shifts, sizeof all);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(all[k].index, 100 * (k + 1));
        assert_int_equal(find(values, all[k].found), k);
        assert_int_equal(find(values, all[k].found + 1), k + 1);
        assert_int_equal(shifts[k].index, all[k].index);
        assert_true(shifts[k].p == all[k].p);
    }
}

TEST(values_that_are_not_positive_are_left_out)
{
    double values[120], shorter[60];
    fill(shorter, 0, 40, 1, 0.003);
    fill(shorter, 40, 60, 1.05, 0.003);
    static const double unusable[] = {0, NAN, INFINITY, -1};
    for (size_t i = 0; i < 60; i++) {
        values[2 * i] = unusable[i % 4];
        values[2 * i + 1] = shorter[i];
    }
    assert_int_equal(find(values, 120), 1);
    assert_int_equal(shifts[0].index, 81);
    double after = shifts[0].after;
    assert_int_equal(find(shorter, 60), 1);
    assert_int_equal(shifts[0].index, 40);
    assert_true(shifts[0].after == after);
    for (size_t i = 0; i < 120; i++)
        values[i] = unusable[i % 4];
    assert_int_equal(find(values, 120), 0);
    assert_int_equal(lab_shifts_find(NULL, NULL, 0, &defaults, shifts), 0);
}

/* The three runs at the end are off by as much as they are uncertain. */
TEST(a_first_shift_needs_enough_usable_runs)
{
    static const double values[] = {1, 1, NAN, 1, 1.001, 1, 0, 0.9, 0.9, 0.9};
    const struct lab_shift_options lenient = {.minimum_size = 0.01, .significance = 1};
    assert_int_equal(lab_shift_runs_missing(values, 0), 8);
    assert_int_equal(lab_shift_runs_missing(values, 3), 6);
    assert_int_equal(lab_shift_runs_missing(values, 9), 1);
    assert_int_equal(lab_shifts_find(values, NULL, 9, &lenient, shifts), 0);
    assert_int_equal(lab_shift_runs_missing(values, 10), 0);
    assert_int_equal(lab_shifts_find(values, NULL, 10, &lenient, shifts), 1);
}

TEST(uncertain_values_count_less)
{
    double values[43];
    double errors[43] = {0};
    fill(values, 0, 40, 1, 0.002);
    fill(values, 40, 43, 1.05, 0.002);
    errors[40] = errors[41] = errors[42] = 0.05;
    assert_int_equal(find(values, 43), 1);
    assert_int_equal(lab_shifts_find(values, errors, 43, &defaults, shifts), 0);
}

/* 1 % within 100 runs is the least that is reported; this rises by half of that. */
TEST(slow_drift_is_no_shift)
{
    double values[RUNS];
    fill(values, 0, RUNS, 1, 0.003);
    for (size_t i = 0; i < RUNS; i++)
        values[i] *= 1 + 0.00005 * (double)i;
    assert_int_equal(find(values, RUNS), 0);
}
