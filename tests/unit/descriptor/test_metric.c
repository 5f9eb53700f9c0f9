/* kernels/descriptor/metric.c: which metrics are better when they are lower, and which can be negative. */
#include "descriptor/experiment.h"
#include "descriptor/metric.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

TEST(times_and_errors_are_better_when_lower)
{
    assert_int_equal(lab_metric_better("time", "s"), LAB_BETTER_LOWER);
    assert_int_equal(lab_metric_better("step_cycles", "cycles"), LAB_BETTER_LOWER);
    assert_int_equal(lab_metric_better("relative_error", "1"), LAB_BETTER_LOWER);
    assert_int_equal(lab_metric_better("max_ulp", "ulp"), LAB_BETTER_LOWER);
    assert_string_equal(lab_better_name(LAB_BETTER_LOWER), "lower");
}

TEST(rates_and_shares_are_better_when_higher)
{
    assert_int_equal(lab_metric_better("busbw", "GB/s"), LAB_BETTER_HIGHER);
    assert_int_equal(lab_metric_better("throughput", "GFLOP/s"), LAB_BETTER_HIGHER);
    assert_int_equal(lab_metric_better("share_of_peak", "1"), LAB_BETTER_HIGHER);
    assert_string_equal(lab_better_name(LAB_BETTER_HIGHER), "higher");
}

TEST(predictions_and_descriptions_have_no_direction)
{
    assert_int_equal(lab_metric_better("predicted_time", "s"), LAB_BETTER_NONE);
    assert_int_equal(lab_metric_better("bound", "s"), LAB_BETTER_NONE);
    assert_int_equal(lab_metric_better("registers", "1"), LAB_BETTER_NONE);
    assert_int_equal(lab_metric_better("array_bytes", "B"), LAB_BETTER_NONE);
    assert_null(lab_better_name(LAB_BETTER_NONE));
}

TEST(quantities_are_not_negative)
{
    assert_false(lab_metric_can_be_negative("time", "s"));
    assert_false(lab_metric_can_be_negative("bandwidth", "GB/s"));
    assert_false(lab_metric_can_be_negative("clock", "Hz"));
    assert_false(lab_metric_can_be_negative("speedup", "1"));
    assert_true(lab_metric_can_be_negative("deviation", "1"));
    assert_true(lab_metric_can_be_negative("temperature", "degrees"));
}

/* A unit that is missing in the table would let negative values pass. */
TEST(every_unit_is_of_a_quantity)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_metric *metric = lab_experiments[i]->metrics; metric->name != NULL; metric++)
            if (strcmp(metric->unit, "1") != 0 && lab_metric_can_be_negative(metric->name, metric->unit))
                fail_msg("%s of %s: unit %s", metric->name, lab_experiments[i]->name, metric->unit);
}

static const char *unit_of(const struct lab_experiment *experiment, const char *metric)
{
    const struct lab_metric *each = experiment->metrics;
    while (each->name != NULL && strcmp(each->name, metric) != 0)
        each++;
    return each->unit;
}

/* What stands for a run is judged in its history. */
TEST(every_headline_has_a_direction)
{
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_headline *headline = lab_experiments[i]->headlines; headline->title != NULL; headline++)
            assert_int_not_equal(lab_metric_better(headline->metric, unit_of(lab_experiments[i], headline->metric)),
                                 LAB_BETTER_NONE);
}
