/* server/analysis/rank.c. How often a run is called unusual without reason is measured by tests/bench/bench_rank.c. */
#include "analysis/rank.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>

static const double history[] = {104, 101, 103, 102, 100, 105, 106, 107, 108, 109};
enum { COUNT = sizeof history / sizeof *history };

static struct lab_rank rank_of(double value, size_t count, bool larger_is_better)
{
    struct lab_rank rank;
    assert_true(lab_rank(value, history, count, larger_is_better, 0.01, &rank));
    return rank;
}

TEST(a_value_in_the_middle_is_as_usual)
{
    struct lab_rank rank = rank_of(104.5, COUNT, true);
    assert_int_equal(rank.verdict, LAB_RANK_AS_USUAL);
    assert_int_equal(rank.count, COUNT);
    assert_true(rank.share_below == 0.5);
    assert_true(rank.median == 104.5 && rank.q1 == 102.25 && rank.q3 == 106.75);
    assert_true(rank.low < 102 && rank.high > 107);
    assert_false(rank.better);
}

TEST(equal_values_count_half)
{
    static const double equal[] = {1, 2, 2, 2, 3};
    struct lab_rank rank;
    assert_true(lab_rank(2, equal, 5, true, 0.01, &rank));
    assert_true(rank.share_below == 0.5);
    assert_true(lab_rank(3, equal, 5, true, 0.01, &rank));
    assert_true(rank.share_below == 0.9);
}

TEST(a_value_outside_is_higher_or_lower_and_better_or_worse)
{
    struct lab_rank rank = rank_of(150, COUNT, true);
    assert_int_equal(rank.verdict, LAB_RANK_HIGHER);
    assert_true(rank.better && rank.share_below == 1);
    rank = rank_of(150, COUNT, false);
    assert_int_equal(rank.verdict, LAB_RANK_HIGHER);
    assert_false(rank.better);
    rank = rank_of(50, COUNT, true);
    assert_int_equal(rank.verdict, LAB_RANK_LOWER);
    assert_true(!rank.better && rank.share_below == 0);
    rank = rank_of(50, COUNT, false);
    assert_true(rank.verdict == LAB_RANK_LOWER && rank.better);
}

TEST(a_difference_below_the_minimum_effect_is_as_usual)
{
    static const double steady[] = {100, 100, 100, 100, 100, 100};
    struct lab_rank rank;
    assert_true(lab_rank(100.9, steady, 6, true, 0.01, &rank));
    assert_int_equal(rank.verdict, LAB_RANK_AS_USUAL);
    assert_true(lab_rank(101.1, steady, 6, true, 0.01, &rank));
    assert_int_equal(rank.verdict, LAB_RANK_HIGHER);
    assert_true(lab_rank(100.9, steady, 6, true, 0, &rank));
    assert_int_equal(rank.verdict, LAB_RANK_HIGHER);
}

TEST(fewer_than_five_values_give_no_verdict)
{
    struct lab_rank rank = rank_of(1000, 4, true);
    assert_int_equal(rank.verdict, LAB_RANK_TOO_FEW);
    assert_int_equal(rank.count, 4);
    assert_true(rank.median == 102.5 && rank.share_below == 1 && isnan(rank.low) && isnan(rank.high));
    assert_int_equal(rank_of(1000, 5, true).verdict, LAB_RANK_HIGHER);
    rank = rank_of(1000, 0, true);
    assert_int_equal(rank.verdict, LAB_RANK_TOO_FEW);
    assert_true(isnan(rank.median) && isnan(rank.share_below));
}

TEST(values_that_are_not_finite_are_left_out)
{
    static const double gaps[] = {1, NAN, 1, INFINITY, 1, -INFINITY, 1, 1};
    struct lab_rank rank;
    assert_true(lab_rank(2, gaps, 8, true, 0.01, &rank));
    assert_int_equal(rank.count, 5);
    assert_int_equal(rank.verdict, LAB_RANK_HIGHER);
    assert_int_equal(rank_of(NAN, COUNT, true).verdict, LAB_RANK_TOO_FEW);
    assert_int_equal(rank_of(INFINITY, COUNT, true).verdict, LAB_RANK_TOO_FEW);
}

TEST(names_are_those_of_the_api)
{
    assert_string_equal(lab_rank_verdict_names[LAB_RANK_TOO_FEW], "too-few");
    assert_string_equal(lab_rank_verdict_names[LAB_RANK_AS_USUAL], "as-usual");
    assert_string_equal(lab_rank_verdict_names[LAB_RANK_HIGHER], "higher");
    assert_string_equal(lab_rank_verdict_names[LAB_RANK_LOWER], "lower");
}
