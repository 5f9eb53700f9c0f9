/* kernels/measure/measure.c: collective work, whose samples do not contain the release of the lanes; the limit of a
 * sample's repetitions; and calls that block (METHOD.md 2, 18). */
#include "measure_harness.h"

static const double wait_s = 8e-6;

/* A wait for an event that takes time, as the one for an event of another device does. */
static bool slow_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event)
{
    bool good = stream_wait(device, stream, event);
    stream->time += wait_s;
    return good;
}

static struct lab_runtime slow;

static void open_collective(struct fixture *f, bool collective)
{
    open_fixture(f, "{\"max_samples\": 4}");
    slow = scripted;
    slow.stream_wait = slow_wait;
    script.device.runtime = &slow;
    f->work.lane_count = 2;
    f->work.operations = 8;
    f->work.collective = collective;
}

static double time_of(bool collective, enum lab_timing timing)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_collective(&f, collective);
    f.work.timing = timing;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 4);
    double seconds = outcome.samples[0];
    close_fixture(&f);
    return seconds;
}

static void samples_of_collective_work_do_not_contain_the_release(void **state)
{
    (void)state;
    assert_true(time_of(false, LAB_TIME_LATCHED) > 10.5e-6);
    assert_true(fabs(time_of(true, LAB_TIME_LATCHED) - 10e-6) < 1e-12);
    assert_true(time_of(false, LAB_TIME_EVENTS) > 10.5e-6);
    assert_true(fabs(time_of(true, LAB_TIME_EVENTS) - 10e-6) < 1e-12);
}

/* The leading repetition counts among the 256 operations behind a latch. */
static void the_leading_repetition_is_behind_the_latch_too(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_collective(&f, true);
    f.work.sample_s = 5e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 256 / 8);
    close_fixture(&f);
}

/* Returns the most repetitions that were enqueued for a sample. */
static size_t repetitions_of(enum lab_timing timing, size_t most, bool prepared)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 4}");
    f.work.timing = timing;
    f.work.repetitions_max = most;
    f.work.before_sample = prepared ? before_sample : NULL;
    f.work.sample_s = 1e-3; /* 110 repetitions */
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    close_fixture(&f);
    return script.queued_most;
}

static void repetitions_are_limited(void **state)
{
    (void)state;
    assert_int_equal(repetitions_of(LAB_TIME_LATCHED, 0, false), 110);
    assert_int_equal(repetitions_of(LAB_TIME_LATCHED, 31, false), 31);
    assert_int_equal(repetitions_of(LAB_TIME_EVENTS, 31, true), 31);
    assert_int_equal(repetitions_of(LAB_TIME_EVENTS, 0, true), 1);
    assert_int_equal(repetitions_of(LAB_TIME_LATCHED, 1000, true), 110);
}

static void calls_that_wait_for_the_devices_are_found(void **state)
{
    (void)state;
    for (int blocks = 0; blocks <= 1; blocks++) {
        struct fixture f;
        bool block = blocks == 0;
        open_fixture(&f, "{}");
        script.blocks = blocks;
        f.work.sample_s = 1e-3;
        assert_true(lab_calls_block(f.measurer, &f.work, &block));
        assert_int_equal(block, blocks);
        assert_int_equal(script.enqueued, 2 + 110);
        assert_true(script.now_s < 0.6);
        close_fixture(&f);
    }
}

static void a_failing_call_ends_the_test_for_blocking_calls(void **state)
{
    (void)state;
    struct fixture f;
    bool block;
    open_fixture(&f, "{}");
    script.fail_after = 3;
    assert_false(lab_calls_block(f.measurer, &f.work, &block));
    assert_string_equal(f.run.error.code, "launch-failed");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_collective_work_do_not_contain_the_release),
        cmocka_unit_test(the_leading_repetition_is_behind_the_latch_too),
        cmocka_unit_test(repetitions_are_limited),
        cmocka_unit_test(calls_that_wait_for_the_devices_are_found),
        cmocka_unit_test(a_failing_call_ends_the_test_for_blocking_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
