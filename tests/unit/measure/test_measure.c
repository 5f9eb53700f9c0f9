/* kernels/measure/measure.c: samples, verification, failures and cancelling. */
#include "support/measure_harness.h"
#include "support/test.h"

/* --- the tests ---------------------------------------------------------------------------------------------------- */

TEST(short_work_queues_at_most_256_operations_behind_a_latch)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 10e-9;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 256);
    close_fixture(&f);
}

TEST(long_work_is_not_repeated_within_a_sample)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 5e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 1);
    assert_true(fabs(outcome.samples[0] - 5e-3) < 1e-12);
    close_fixture(&f);
}

TEST(poison_comes_before_timing_and_before_the_last_repetition)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.poisoned, 2);
    assert_int_equal(script.verified, 2);
    close_fixture(&f);
}

TEST(a_wrong_result_is_reported_and_marks_the_run)
{
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

TEST(a_point_whose_latch_times_out_is_abandoned)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.latch_times_out = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(outcome.unmeasurable);
    assert_int_equal(outcome.count, 0);
    assert_false(f.run.any_wrong);
    assert_in_range(script.latched, 1, 10); /* the calibration alone */
    close_fixture(&f);
}

TEST(two_lanes_end_when_the_later_one_ends)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    f.work.lane_count = 2;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
    close_fixture(&f);
}

/* The host needs 50 us to enqueue an operation of 1 ms, or of 10 us. */
TEST(enqueueing_is_not_part_of_a_sample_by_events)
{
    for (int lanes_used = 1; lanes_used <= 2; lanes_used++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{\"max_samples\": 3}");
        script.operation_s = 1e-3;
        script.enqueue_s = 50e-6;
        f.work.timing = LAB_TIME_EVENTS;
        f.work.lane_count = (size_t)lanes_used;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        for (size_t i = 0; i < outcome.count; i++)
            assert_true(fabs(outcome.samples[i] - 1e-3) < 1e-9);
        close_fixture(&f);
    }
}

TEST(long_repetitions_by_events_have_no_leading_one)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 3}");
    script.operation_s = 0.1;
    f.work.timing = LAB_TIME_EVENTS;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(script.log, "pwwwwwvpwv");
    close_fixture(&f);
}

TEST(a_growing_load_queues_at_most_256_operations_behind_a_latch)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    f.work.operations = 3;
    f.work.background = &script.background;
    f.work.load = load;
    script.load_s = 0.1e-6;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(outcome.unmeasurable);
    assert_in_range(script.behind_latch_most * f.work.operations, 100, 256);
    close_fixture(&f);
}

TEST(a_sample_counts_only_if_the_load_outlasts_the_work)
{
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

TEST(a_failing_device_ends_the_run_with_its_error)
{
    for (size_t after = 1; after < 60; after += 7) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{}");
        f.work.lane_count = 2;
        f.work.background = &script.background;
        f.work.load = load;
        f.work.baseline = &f.baseline;
        script.fail_after = after;
        assert_false(lab_measure(f.measurer, &f.work, &outcome));
        assert_int_equal(f.run.error.code, LAB_ERROR_CUDA_ERROR);
        assert_false(script.latch.closed); /* nothing is left waiting or running */
        assert_int_equal(script.work_streams[0].queued + script.work_streams[1].queued, 0);
        assert_int_equal(script.background.queued + script.baseline_stream.queued, 0);
        close_fixture(&f);
    }
}

TEST(cancelling_keeps_the_samples)
{
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
    assert_int_equal(f.run.error.code, LAB_ERROR_CANCELLED);
    close_fixture(&f);
}

/* --- conditions --------------------------------------------------------------------------------------------------- */

/* Cooler but slower before the samples than after them. */
static void scripted_conditions(void *context, struct lab_device *device, struct lab_conditions *conditions)
{
    (void)device;
    size_t *reads = context;
    record('c');
    if ((*reads)++ == 0)
        *conditions = (struct lab_conditions){1200, 50, NAN, 1, {"power-cap"}};
    else
        *conditions = (struct lab_conditions){1500, 70, 400, 2, {"thermal", "power-cap"}};
}

TEST(the_worse_conditions_before_and_after_the_samples_are_recorded)
{
    struct fixture f;
    struct lab_outcome outcome;
    size_t reads = 0;
    open_fixture(&f, "{\"max_samples\": 5}");
    script.operation_s = 1e-3;
    f.run.monitor = (struct lab_monitor){.context = &reads, .conditions = scripted_conditions};
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(script.log, "pwwcwwwwwcvpwv"); /* never between two samples */
    assert_true(outcome.conditions.sm_clock_mhz == 1200);
    assert_true(outcome.conditions.temperature_c == 70);
    assert_true(outcome.conditions.power_w == 400);
    assert_int_equal(outcome.conditions.throttle_count, 2);
    assert_string_equal(outcome.conditions.throttle[0], "power-cap");
    assert_string_equal(outcome.conditions.throttle[1], "thermal");
    close_fixture(&f);
}
