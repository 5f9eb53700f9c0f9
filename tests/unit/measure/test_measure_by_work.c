/* kernels/measure/measure.c: work that measures its own time, such as that of other processes (METHOD.md 3). */
#include "support/measure_harness.h"
#include "support/test.h"

static struct work {
    size_t calls, last_repetitions, fail_at;
} work;

/* A repetition takes 10 us; asking for them takes 1 ms, which is not part of the time. */
static bool sample(void *context, size_t repetitions, double *seconds)
{
    (void)context;
    work.calls++;
    work.last_repetitions = repetitions;
    simulated.now_s += 1e-3 + 10e-6 * (double)repetitions;
    *seconds = 10e-6;
    if (work.calls == work.fail_at)
        return lab_error_set(&script.device.error, LAB_ERROR_RANKS_FAILED, "", "a rank has ended");
    return true;
}

static bool once(void *context)
{
    double seconds;
    return sample(context, 1, &seconds);
}

static bool measure(struct fixture *f, size_t fail_at, struct lab_outcome *outcome)
{
    work = (struct work){.fail_at = fail_at};
    open_fixture(f, "{\"max_samples\": 12, \"min_time_s\": 60}");
    f->work.timing = LAB_TIME_BY_WORK;
    f->work.enqueue = once;
    f->work.sample = sample;
    f->work.sample_s = 5e-3;
    return lab_measure(f->measurer, &f->work, outcome);
}

TEST(the_samples_are_what_the_work_says)
{
    struct fixture f;
    struct lab_outcome outcome;
    assert_true(measure(&f, 0, &outcome));
    assert_int_equal(outcome.count, 12);
    for (size_t i = 0; i < outcome.count; i++)
        assert_true(outcome.samples[i] == 10e-6);
    assert_true(outcome.verified);
    close_fixture(&f);
}

TEST(a_sample_lasts_as_long_as_the_work_requires)
{
    struct fixture f;
    struct lab_outcome outcome;
    assert_false(measure(&f, 12, &outcome));      /* ended within the samples, before the repetition that is verified */
    assert_int_equal(work.last_repetitions, 550); /* 5 ms and a tenth more */
    close_fixture(&f);
}

TEST(a_failed_sample_ends_the_point)
{
    for (size_t fail_at = 1; fail_at <= 4; fail_at++) {
        struct fixture f;
        struct lab_outcome outcome;
        assert_false(measure(&f, fail_at, &outcome));
        assert_int_equal(f.run.error.code, LAB_ERROR_RANKS_FAILED);
        close_fixture(&f);
    }
}
