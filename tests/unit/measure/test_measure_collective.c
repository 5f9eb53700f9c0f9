/* kernels/measure/measure.c: collective work, whose samples do not contain the release of the lanes, and the limit of a
 * sample's repetitions (METHOD.md 2, 18). */
#include "support/measure_harness.h"
#include "support/test.h"

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
    f->work.collective = collective;
}

static double time_of(bool collective)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_collective(&f, collective);
    f.work.timing = LAB_TIME_EVENTS;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 4);
    double seconds = outcome.samples[0];
    close_fixture(&f);
    return seconds;
}

TEST(samples_of_collective_work_do_not_contain_the_release)
{
    assert_true(time_of(false) > 10.5e-6);
    assert_true(fabs(time_of(true) - 10e-6) < 1e-12);
}

/* A sample of collective work begins with a leading repetition, also if it is prepared. */
TEST(every_sample_has_a_leading_repetition)
{
    for (int prepared = 0; prepared <= 1; prepared++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_collective(&f, true);
        f.work.timing = LAB_TIME_EVENTS;
        f.work.before_sample = prepared ? before_sample : NULL;
        f.work.repetitions_max = 3;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_int_equal(script.queued_most, 1 + 3);
        assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
        close_fixture(&f);
    }
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

TEST(repetitions_are_limited)
{
    assert_int_equal(repetitions_of(LAB_TIME_LATCHED, 0, false), 110);
    assert_int_equal(repetitions_of(LAB_TIME_LATCHED, 31, false), 31);
    assert_int_equal(repetitions_of(LAB_TIME_EVENTS, 31, true), 31);
    assert_int_equal(repetitions_of(LAB_TIME_EVENTS, 0, true), 1);
    assert_int_equal(repetitions_of(LAB_TIME_LATCHED, 1000, true), 110);
}

/* The first repetitions take less time than the later ones. */
static double first_are_faster(void)
{
    return script.enqueued < 10 ? 1e-8 : 10e-6;
}

TEST(repetitions_grow_in_steps)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 4}");
    script.operation_time = first_are_faster;
    f.work.timing = LAB_TIME_EVENTS;
    f.work.sample_s = 5e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_in_range(script.queued_most, 500, 700);
    close_fixture(&f);
}
