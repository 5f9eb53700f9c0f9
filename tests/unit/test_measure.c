/* kernels/measure/measure.c: samples, verification, failures and cancelling. */
#include "measure_harness.h"

/* --- the tests ---------------------------------------------------------------------------------------------------- */

static void steady_work_converges_at_min_samples(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "converged");
    assert_int_equal(outcome.count, 10);
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
    assert_true(outcome.verified_known && outcome.verified);
    /* 11 repetitions of 10 us: 100 us, and 10 % more */
    assert_int_equal(script.queued_most, 11);
    close_fixture(&f);
}

static void short_work_queues_at_most_256_operations_behind_a_latch(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 10e-9;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 256);
    close_fixture(&f);
}

static void long_work_is_not_repeated_within_a_sample(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 5e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 1);
    assert_true(fabs(outcome.samples[0] - 5e-3) < 1e-12);
    close_fixture(&f);
}

static void constant_noise_stops_as_noise_stable(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 1e-3; /* one repetition per sample, so that the spread is visible */
    script.spread = 0.1;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "noise-stable");
    assert_int_equal(outcome.count, 10 + 64 - 1); /* the first of 64 estimates comes with the tenth sample */
    close_fixture(&f);
}

static void the_sample_limit_and_the_budget_end_a_point(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 30}");
    script.operation_s = 1e-3;
    script.spread = 0.1;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "sample-limit");
    assert_int_equal(outcome.count, 30);
    close_fixture(&f);

    open_fixture(&f, "{\"max_noise\": 0, \"time_budget_s\": 0.01}");
    script.operation_s = 1e-3;
    f.work.timing = LAB_TIME_HOST_CLOCK;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "timed-out");
    assert_int_equal(outcome.count, 10);
    assert_true(fabs(outcome.samples[9] - 1e-3) < 1e-12);
    close_fixture(&f);
}

static void poison_comes_before_timing_and_before_the_last_repetition(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.poisoned, 2);
    assert_int_equal(script.verified, 2);
    close_fixture(&f);
}

static void a_wrong_result_is_reported_and_marks_the_run(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.verify_wrong = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(outcome.verified_known);
    assert_false(outcome.verified);
    assert_int_equal(outcome.wrong, 3);
    assert_true(f.run.any_wrong);
    close_fixture(&f);
}

static void a_point_whose_latch_times_out_is_abandoned(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.latch_times_out = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(outcome.unmeasurable);
    assert_int_equal(outcome.count, 0);
    assert_false(f.run.any_wrong);
    assert_in_range(script.latched, 20, 40);
    close_fixture(&f);
}

static void a_sample_lasts_sample_s(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 1}");
    f.work.timing = LAB_TIME_EVENTS;
    f.work.sample_s = 0.002;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12); /* per repetition */
    /* at least 200 repetitions of 10 us in the sample */
    assert_true(script.queued_most >= 200);
    close_fixture(&f);
}

static void work_runs_for_settle_s_before_the_first_sample(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    size_t enqueued[2];
    for (int settle = 0; settle < 2; settle++) {
        open_fixture(&f, "{\"max_samples\": 1}");
        f.work.settle_s = settle * 0.05;
        double start_s = lab_now_s();
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_true(lab_now_s() - start_s >= f.work.settle_s);
        assert_int_equal(outcome.count, 1);
        enqueued[settle] = script.enqueued;
        close_fixture(&f);
    }
    assert_true(enqueued[1] > enqueued[0]);
}

static void two_lanes_end_when_the_later_one_ends(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    f.work.lane_count = 2;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
    close_fixture(&f);
}

static void a_sample_counts_only_if_the_load_outlasts_the_work(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    f.work.background = &script.background;
    f.work.load = load;
    script.load_s = 2e-6; /* five times as fast as the work: the load ratio must grow beyond the 3 it starts with */
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(script.loaded > 5 * script.enqueued);
    close_fixture(&f);

    open_fixture(&f, "{}");
    f.work.background = &script.background;
    f.work.load = load;
    script.load_s = 1e-9;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(outcome.unmeasurable);
    assert_int_equal(outcome.count, 0);
    assert_false(f.run.any_wrong);
    close_fixture(&f);
}

static void a_failing_device_ends_the_run_with_its_error(void **state)
{
    (void)state;
    for (size_t after = 1; after < 60; after += 7) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{}");
        script.fail_after = after;
        assert_false(lab_measure(f.measurer, &f.work, &outcome));
        assert_string_equal(f.run.error.code, "launch-failed");
        assert_false(script.latch.closed); /* nothing is left waiting */
        close_fixture(&f);
    }
}

static void cancelling_keeps_the_samples(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_noise\": 0}");
    script.operation_s = 1e-3;
    script.cancel_after = 8;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "cancelled");
    assert_in_range(outcome.count, 1, 8);
    close_fixture(&f);

    open_fixture(&f, "{}");
    atomic_store(&script.cancel, true);
    assert_false(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(f.run.error.code, "cancelled");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_work_converges_at_min_samples),
        cmocka_unit_test(short_work_queues_at_most_256_operations_behind_a_latch),
        cmocka_unit_test(long_work_is_not_repeated_within_a_sample),
        cmocka_unit_test(constant_noise_stops_as_noise_stable),
        cmocka_unit_test(the_sample_limit_and_the_budget_end_a_point),
        cmocka_unit_test(poison_comes_before_timing_and_before_the_last_repetition),
        cmocka_unit_test(a_wrong_result_is_reported_and_marks_the_run),
        cmocka_unit_test(a_point_whose_latch_times_out_is_abandoned),
        cmocka_unit_test(a_sample_lasts_sample_s),
        cmocka_unit_test(work_runs_for_settle_s_before_the_first_sample),
        cmocka_unit_test(two_lanes_end_when_the_later_one_ends),
        cmocka_unit_test(a_sample_counts_only_if_the_load_outlasts_the_work),
        cmocka_unit_test(a_failing_device_ends_the_run_with_its_error),
        cmocka_unit_test(cancelling_keeps_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
