/* server/analysis/comparison.c: verdicts, reasons, and values that cannot be compared. How often verdicts are wrong is
 * measured by tests/bench/bench_comparison.c. */
#include "analysis/comparison.h"
#include "analysis/variation.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SAMPLES = 100, BLOCKS = 8 };

static const struct lab_run_history steady = {.variation = 0.0005, .runs = 20}, unknown = {.variation = (double)NAN};

/* Samples about `level` with a spread of `noise`, in an order in which neighbours differ. */
static void fill(double *samples, size_t count, double level, double noise)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = level * (1 + noise * (i % 2 == 0 ? 1 : -1) * ((double)(i + 1) / (double)count));
}

static struct lab_comparison judged(struct lab_comparison comparison, bool larger_is_better, double minimum_effect)
{
    comparison.larger_is_better = larger_is_better;
    assert_true(lab_judge(&comparison, 1, minimum_effect));
    return comparison;
}

static struct lab_comparison compare_levels(double base_level, double head_level, double noise,
                                            const struct lab_run_history *history)
{
    double base[SAMPLES], head[SAMPLES];
    struct lab_comparison comparison;
    fill(base, SAMPLES, base_level, noise);
    fill(head, SAMPLES, head_level, noise);
    assert_true(lab_compare_samples(base, SAMPLES, head, SAMPLES, history, &comparison));
    return comparison;
}

static struct lab_comparison compare(double base_level, double head_level, double noise)
{
    return judged(compare_levels(base_level, head_level, noise, &steady), false, LAB_MINIMUM_EFFECT);
}

/* Blocks about the ratio, with a standard deviation of `spread` of the logarithms. */
static struct lab_comparison compare_blocks(double ratio, double spread)
{
    double ratios[BLOCKS];
    struct lab_comparison comparison;
    for (size_t i = 0; i < BLOCKS; i++)
        ratios[i] = log(ratio) + (i % 2 == 0 ? 1 : -1) * spread * sqrt((BLOCKS - 1.0) / BLOCKS);
    lab_compare_blocks(ratios, BLOCKS, 1, ratio, &comparison);
    return comparison;
}

static void assert_consistent(const struct lab_comparison *comparison)
{
    assert_true(comparison->low <= comparison->ratio && comparison->ratio <= comparison->high);
    assert_true((comparison->verdict == LAB_UNCLEAR) == (comparison->reason != NULL));
}

TEST(a_lower_time_is_faster_and_a_lower_bandwidth_slower)
{
    struct lab_comparison comparison = compare(2e-3, 1.9e-3, 0.002);
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_FASTER);
    assert_int_equal(comparison.method, LAB_COMPARE_HISTORY);
    assert_true(fabs(comparison.ratio - 0.95) < 0.001);
    assert_true(fabs(comparison.base - 2e-3) < 1e-5 && fabs(comparison.head - 1.9e-3) < 1e-5);
    assert_int_equal(judged(compare_levels(2, 1.9, 0.002, &steady), true, 0.01).verdict, LAB_SLOWER);
    assert_int_equal(judged(compare_levels(1.9, 2, 0.002, &steady), false, 0.01).verdict, LAB_SLOWER);
    assert_int_equal(judged(compare_levels(1.9, 2, 0.002, &steady), true, 0.01).verdict, LAB_FASTER);
}

TEST(a_difference_below_the_minimum_effect_is_the_same)
{
    struct lab_comparison comparison = compare(1, 1.005, 0.002);
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_SAME);
    assert_int_equal(judged(compare_levels(1, 1.02, 0.0002, &steady), false, 0).verdict, LAB_SLOWER);
    assert_int_equal(judged(compare_blocks(1, 0), false, 0).verdict, LAB_SAME);
}

TEST(an_interval_across_the_minimum_effect_is_unclear)
{
    struct lab_comparison comparison = judged(compare_blocks(1.01, 0.002), false, LAB_MINIMUM_EFFECT);
    assert_consistent(&comparison);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_non_null(strstr(comparison.reason, "smaller than the minimum effect"));
    comparison = judged(compare_blocks(1.002, 0.05), false, LAB_MINIMUM_EFFECT);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_non_null(strstr(comparison.reason, "both no difference and one above"));
    assert_true(comparison.needed > 2 && comparison.needed < 200);
    assert_true(isnan(judged(compare_blocks(1, 0.0001), false, LAB_MINIMUM_EFFECT).needed));
}

TEST(the_other_order_gives_the_inverse_ratio_and_the_opposite_verdict)
{
    static const enum lab_verdict opposite[] = {LAB_SLOWER, LAB_FASTER, LAB_SAME, LAB_UNCLEAR};
    for (double ratio = 0.9; ratio < 1.1; ratio += 0.001) {
        struct lab_comparison one = compare(1, ratio, 0.003), other = compare(ratio, 1, 0.003);
        assert_true(fabs(one.ratio * other.ratio - 1) < 1e-12 && fabs(one.low * other.high - 1) < 1e-12);
        assert_int_equal(other.verdict, opposite[one.verdict]);
        one = judged(compare_blocks(ratio, 0.003), false, LAB_MINIMUM_EFFECT);
        other = judged(compare_blocks(1 / ratio, 0.003), false, LAB_MINIMUM_EFFECT);
        assert_int_equal(other.verdict, opposite[one.verdict]);
    }
}

TEST(few_samples_are_unclear_with_the_ratio)
{
    const double base[] = {1, 1.001, 0.999, 1, 1.002};
    const double head[] = {2, 2.001, 1.999, 2, 2.002};
    for (size_t count = 1; count <= 5; count++) {
        struct lab_comparison comparison;
        assert_true(lab_compare_samples(base, count, head, count, &steady, &comparison));
        comparison = judged(comparison, false, LAB_MINIMUM_EFFECT);
        assert_consistent(&comparison);
        assert_int_equal(comparison.verdict, LAB_UNCLEAR);
        assert_true(fabs(comparison.ratio - 2) < 0.01);
        assert_true(comparison.low == 0 && comparison.high == INFINITY);
        assert_non_null(strstr(comparison.reason, "too few"));
        assert_true(isnan(comparison.detectable));
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
        struct lab_comparison all[2];
        assert_true(lab_compare_samples(good, 7, rows[i].values, rows[i].count, &steady, &all[0]));
        assert_true(lab_compare_samples(rows[i].values, rows[i].count, good, 7, &steady, &all[1]));
        assert_true(lab_judge(all, 2, LAB_MINIMUM_EFFECT));
        for (size_t k = 0; k < 2; k++) {
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
    assert_true(lab_compare_samples(base, 7, head, 7, &steady, &comparison));
    assert_true(comparison.ratio == 1 && comparison.high == INFINITY);
    assert_int_equal(judged(comparison, false, LAB_MINIMUM_EFFECT).verdict, LAB_UNCLEAR);
}

TEST(two_runs_without_a_history_have_no_verdict)
{
    struct lab_comparison alone = judged(compare_levels(1, 2, 0.002, &unknown), false, LAB_MINIMUM_EFFECT);
    assert_int_equal(alone.method, LAB_COMPARE_SAMPLES);
    assert_int_equal(alone.verdict, LAB_UNCLEAR);
    assert_non_null(strstr(alone.reason, "5 others show it"));
    assert_true(alone.low > 1.9 && alone.high < 2.1);
    struct lab_run_history few = {.variation = 0.001, .runs = LAB_VARIATION_RUNS_MIN - 1};
    assert_int_equal(compare_levels(1, 1.03, 0.002, &few).method, LAB_COMPARE_SAMPLES);
}

TEST(a_history_widens_the_interval)
{
    const struct lab_run_history wide = {.variation = 0.01, .runs = 20};
    struct lab_comparison narrow = compare(1, 1.03, 0.002);
    struct lab_comparison comparison = judged(compare_levels(1, 1.03, 0.002, &wide), false, LAB_MINIMUM_EFFECT);
    assert_int_equal(narrow.verdict, LAB_SLOWER);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_true(narrow.ratio == comparison.ratio);
    assert_true(log(comparison.high / comparison.ratio) > 1.96 * sqrt(2) * 0.01);
    assert_true(narrow.detectable < 0.03 && comparison.detectable > 0.03);
}

/* Eight logarithms with the mean 0.02 and the standard deviation 0.002: the interval is 0.02 +- 2.36462 * 0.002 /
 * sqrt(8). */
TEST(blocks_have_the_interval_of_the_t_test)
{
    struct lab_comparison comparison = judged(compare_blocks(exp(0.02), 0.002), false, LAB_MINIMUM_EFFECT);
    assert_consistent(&comparison);
    assert_int_equal(comparison.method, LAB_COMPARE_BLOCKS);
    assert_int_equal(comparison.verdict, LAB_SLOWER);
    assert_true(fabs(log(comparison.ratio) - 0.02) < 1e-12);
    assert_true(fabs(log(comparison.high) - 0.02 - 2.36462 * 0.002 / sqrt(8)) < 1e-6);
    assert_true(comparison.detectable > 0.01 && comparison.detectable < 0.02);
}

/* A sum of 12 uniform numbers, which is about normal: mean 0, standard deviation 1. */
static double next_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

static struct lab_comparison compare_noise(uint64_t *state, size_t count, double ratio, double noise)
{
    double ratios[512];
    struct lab_comparison comparison;
    assert_true(count <= sizeof ratios / sizeof *ratios);
    for (size_t i = 0; i < count; i++)
        ratios[i] = log(ratio) + noise * next_normal(state);
    lab_compare_blocks(ratios, count, 1, ratio, &comparison);
    return judged(comparison, false, LAB_MINIMUM_EFFECT);
}

TEST(as_many_blocks_as_are_needed_decide)
{
    size_t unclear = 0, decided = 0;
    uint64_t state = 1;
    while (unclear < 300) {
        struct lab_comparison comparison = compare_noise(&state, BLOCKS, 1.03, 0.02);
        if (comparison.verdict != LAB_UNCLEAR || comparison.needed > 60)
            continue;
        unclear++;
        assert_true(comparison.needed > 1.1);
        comparison = compare_noise(&state, (size_t)ceil(BLOCKS * comparison.needed), 1.03, 0.02);
        decided += comparison.verdict != LAB_UNCLEAR;
    }
    assert_true(decided >= 9 * unclear / 10);
}

TEST(blocks_that_are_too_few_say_how_many_times_the_time_is_needed)
{
    const double ratios[] = {0.5, 0.5, 0.5};
    struct lab_comparison comparison;
    lab_compare_blocks(ratios, 2, 1, exp(0.5), &comparison);
    comparison = judged(comparison, false, LAB_MINIMUM_EFFECT);
    assert_int_equal(comparison.verdict, LAB_UNCLEAR);
    assert_true(fabs(comparison.ratio - exp(0.5)) < 1e-12 && comparison.low == 0 && comparison.high == INFINITY);
    assert_true(comparison.needed == 4);
    assert_non_null(strstr(comparison.reason, "fewer than 3 blocks"));
    lab_compare_blocks(ratios, 3, 1, exp(0.5), &comparison);
    assert_int_equal(judged(comparison, false, LAB_MINIMUM_EFFECT).verdict, LAB_SLOWER);
    lab_compare_blocks(ratios, 0, 1, 1, &comparison);
    assert_non_null(strstr(judged(comparison, false, LAB_MINIMUM_EFFECT).reason, "not enough for a block"));
}

/* Whether the first of so many comparisons, of which `different` are like it and the others equal, is called slower. */
static bool is_found(size_t count, size_t different, double ratio, double spread)
{
    struct lab_comparison all[100];
    for (size_t i = 0; i < count; i++)
        all[i] = compare_blocks(i < different ? ratio : 1, spread);
    assert_true(lab_judge(all, count, LAB_MINIMUM_EFFECT));
    for (size_t i = different; i < count; i++)
        assert_int_equal(all[i].verdict, LAB_SAME);
    return all[0].verdict == LAB_SLOWER;
}

/* A difference that is clear alone need not be clear as one of a hundred, and is again if many points show it. */
TEST(the_more_points_are_judged_the_clearer_each_must_be)
{
    assert_true(is_found(1, 1, 1.016, 0.003));
    assert_false(is_found(100, 1, 1.016, 0.003));
    assert_true(is_found(100, 50, 1.016, 0.003));
    assert_true(is_found(100, 1, 1.03, 0.003));
}

TEST(what_is_detectable_is_found)
{
    for (double spread = 0.0005; spread < 0.01; spread *= 2) {
        struct lab_comparison comparison = judged(compare_blocks(1, spread), false, LAB_MINIMUM_EFFECT);
        double found = 1 + comparison.detectable;
        assert_int_equal(judged(compare_blocks(found, spread), false, LAB_MINIMUM_EFFECT).verdict, LAB_SLOWER);
    }
}

TEST(the_verdict_of_all_is_the_worst_that_is_certain)
{
    static const struct {
        size_t counts[LAB_VERDICTS]; /* faster, slower, same, unclear */
        enum lab_verdict verdict;
    } rows[] = {{{0, 0, 0, 0}, LAB_UNCLEAR}, {{0, 0, 5, 0}, LAB_SAME},   {{0, 0, 5, 1}, LAB_UNCLEAR},
                {{1, 0, 5, 1}, LAB_FASTER},  {{1, 1, 5, 1}, LAB_SLOWER}, {{0, 1, 0, 9}, LAB_SLOWER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(lab_verdict_of_all(rows[i].counts), rows[i].verdict);
}

TEST(ratios_beyond_the_range_of_numbers_are_unclear)
{
    struct lab_comparison comparison = compare(1e-300, 1e300, 0.001);
    assert_true(comparison.verdict == LAB_UNCLEAR && comparison.ratio == INFINITY && comparison.high == INFINITY);
    comparison = compare(1e300, 1e-300, 0.001);
    assert_true(comparison.verdict == LAB_UNCLEAR && comparison.ratio == 0 && comparison.low == 0);
    const double ratios[] = {1000, 1000, 1000}, none[] = {1, (double)INFINITY, 1};
    lab_compare_blocks(ratios, 3, 1, 1, &comparison);
    assert_int_equal(judged(comparison, false, LAB_MINIMUM_EFFECT).verdict, LAB_UNCLEAR);
    lab_compare_blocks(none, 3, 1, 1, &comparison);
    assert_non_null(strstr(judged(comparison, false, LAB_MINIMUM_EFFECT).reason, "positive"));
}

TEST(names_are_those_of_the_api)
{
    assert_string_equal(lab_verdict_names[LAB_FASTER], "faster");
    assert_string_equal(lab_verdict_names[LAB_UNCLEAR], "unclear");
    assert_null(lab_verdict_names[LAB_VERDICTS]);
    assert_string_equal(lab_comparison_method_names[LAB_COMPARE_SAMPLES], "samples");
    assert_string_equal(lab_comparison_method_names[LAB_COMPARE_BLOCKS], "blocks");
}
