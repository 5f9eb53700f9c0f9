/* kernels/experiment/metric.c: which metrics are better when they are lower, and which can be negative. */
#include "experiment/experiment.h"
#include "experiment/metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void times_and_errors_are_better_when_lower(void **state)
{
    (void)state;
    assert_int_equal(lab_metric_better("time", "s"), LAB_BETTER_LOWER);
    assert_int_equal(lab_metric_better("step_cycles", "cycles"), LAB_BETTER_LOWER);
    assert_int_equal(lab_metric_better("relative_error", "1"), LAB_BETTER_LOWER);
    assert_int_equal(lab_metric_better("max_ulp", "ulp"), LAB_BETTER_LOWER);
    assert_string_equal(lab_better_name(LAB_BETTER_LOWER), "lower");
}

static void rates_and_shares_are_better_when_higher(void **state)
{
    (void)state;
    assert_int_equal(lab_metric_better("busbw", "GB/s"), LAB_BETTER_HIGHER);
    assert_int_equal(lab_metric_better("throughput", "GFLOP/s"), LAB_BETTER_HIGHER);
    assert_int_equal(lab_metric_better("share_of_peak", "1"), LAB_BETTER_HIGHER);
    assert_string_equal(lab_better_name(LAB_BETTER_HIGHER), "higher");
}

static void predictions_and_descriptions_have_no_direction(void **state)
{
    (void)state;
    assert_int_equal(lab_metric_better("predicted_time", "s"), LAB_BETTER_NONE);
    assert_int_equal(lab_metric_better("bound", "s"), LAB_BETTER_NONE);
    assert_int_equal(lab_metric_better("registers", "1"), LAB_BETTER_NONE);
    assert_int_equal(lab_metric_better("array_bytes", "B"), LAB_BETTER_NONE);
    assert_null(lab_better_name(LAB_BETTER_NONE));
}

static void quantities_are_not_negative(void **state)
{
    (void)state;
    assert_false(lab_metric_can_be_negative("time", "s"));
    assert_false(lab_metric_can_be_negative("bandwidth", "GB/s"));
    assert_false(lab_metric_can_be_negative("clock", "Hz"));
    assert_false(lab_metric_can_be_negative("speedup", "1"));
    assert_true(lab_metric_can_be_negative("deviation", "1"));
    assert_true(lab_metric_can_be_negative("temperature", "degrees"));
}

/* A unit that is missing in the table would let negative values pass. */
static void every_unit_is_of_a_quantity(void **state)
{
    (void)state;
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
static void every_headline_has_a_direction(void **state)
{
    (void)state;
    for (size_t i = 0; lab_experiments[i] != NULL; i++)
        for (const struct lab_headline *headline = lab_experiments[i]->headlines; headline->title != NULL; headline++)
            assert_int_not_equal(lab_metric_better(headline->metric, unit_of(lab_experiments[i], headline->metric)),
                                 LAB_BETTER_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_errors_are_better_when_lower),
        cmocka_unit_test(rates_and_shares_are_better_when_higher),
        cmocka_unit_test(predictions_and_descriptions_have_no_direction),
        cmocka_unit_test(quantities_are_not_negative),
        cmocka_unit_test(every_unit_is_of_a_quantity),
        cmocka_unit_test(every_headline_has_a_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
