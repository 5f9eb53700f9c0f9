/* kernels/measure/measure.c: work that is sampled alternately with its baseline (METHOD.md 19). */
#include "support/measure_harness.h"
#include "support/test.h"

static void open_pair(struct fixture *f, enum lab_timing timing, const char *parameters)
{
    open_fixture(f, parameters);
    script.operation_s = 1e-3; /* one repetition per sample */
    script.baseline_s = 2e-3;
    f->work.timing = f->baseline.timing = timing;
    f->work.baseline = &f->baseline;
}

TEST(samples_of_baseline_and_work_alternate)
{
    static const struct {
        enum lab_timing timing;
        const char *log; /* warm-up and calibration of each, four pairs, verification */
    } cases[] = {{LAB_TIME_LATCHED, "pbwbwbwbwbwbwvpwv"},
                 {LAB_TIME_EVENTS, "pbwbwbbwwbbwwbbwwbbwwvpwv"}, /* with leading repetitions */
                 {LAB_TIME_HOST_CLOCK, "pbwbwbwbwbwbwvpwv"}};
    for (size_t t = 0; t < 3; t++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_pair(&f, cases[t].timing, "{\"max_samples\": 4}");
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_int_equal(outcome.count, 4);
        for (size_t i = 0; i < outcome.count; i++) {
            assert_true(fabs(outcome.samples[i] - 1e-3) < 1e-12);
            assert_true(fabs(outcome.baseline_samples[i] - 2e-3) < 1e-12);
        }
        assert_string_equal(script.log, cases[t].log);
        close_fixture(&f);
    }
}

TEST(work_without_a_baseline_has_no_baseline_samples)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_null(outcome.baseline_samples);
    assert_int_equal(script.baseline_enqueued, 0);
    close_fixture(&f);
}

static bool enqueue_baseline_that_blocks_at_times(void *context)
{
    bool good = enqueue_baseline(context);
    script.latch_times_out = script.baseline_enqueued % 3 == 0;
    return good;
}

static bool enqueue_that_never_blocks(void *context)
{
    script.latch_times_out = false;
    return enqueue(context);
}

TEST(an_invalid_sample_of_the_baseline_discards_the_pair)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_pair(&f, LAB_TIME_LATCHED, "{\"max_samples\": 4}");
    f.baseline.enqueue = enqueue_baseline_that_blocks_at_times;
    f.work.enqueue = enqueue_that_never_blocks;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 4);
    for (size_t i = 0; i < outcome.count; i++)
        assert_true(fabs(outcome.samples[i] - 1e-3) < 1e-12 && fabs(outcome.baseline_samples[i] - 2e-3) < 1e-12);
    /* The first and the fourth sample of the baseline are invalid; the work is sampled nevertheless. */
    assert_string_equal(script.log, "pbwbwbwbwbwbwbwbwvpwv");
    close_fixture(&f);
}

static bool fail_baseline(void *context)
{
    struct lab_device *device = context;
    if (script.baseline_enqueued >= 5)
        return lab_error_set(&device->error, LAB_ERROR_CUDA_ERROR, "", "the baseline failed");
    return enqueue_baseline(NULL);
}

TEST(a_failing_baseline_on_another_device_ends_the_run_with_its_error)
{
    struct fixture f;
    struct lab_outcome outcome;
    struct lab_device other = {.runtime = &scripted};
    const struct lab_lane lane = {&other, &script.baseline_stream};
    open_pair(&f, LAB_TIME_EVENTS, "{\"max_samples\": 10}");
    f.baseline.lanes = &lane;
    f.baseline.context = &other;
    f.baseline.enqueue = fail_baseline;
    assert_false(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(f.run.error.code, LAB_ERROR_CUDA_ERROR);
    assert_string_equal(f.run.error.detail, "the baseline failed");
    close_fixture(&f);
}
