/* kernels/measure/measure.c: samples that are prepared, and cold caches (METHOD.md 7). */
#include "support/measure_harness.h"
#include "support/test.h"

static const enum lab_timing timings[] = {LAB_TIME_LATCHED, LAB_TIME_EVENTS, LAB_TIME_HOST_CLOCK};

TEST(each_sample_is_prepared_and_has_one_repetition)
{
    for (size_t t = 0; t < 3; t++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{\"max_samples\": 3}");
        f.work.timing = timings[t];
        f.work.before_sample = before_sample;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_string_equal(script.log, "pwhwhwhwhwvpwv"); /* warm-up, calibration, three samples, verification */
        for (size_t i = 0; i < outcome.count; i++)
            assert_true(fabs(outcome.samples[i] - 10e-6) < 1e-12); /* without the time of before_sample */
        assert_string_equal(outcome.cache, "warm");
        close_fixture(&f);
    }
}

TEST(a_cold_cache_is_flushed_before_each_sample)
{
    for (size_t t = 0; t < 3; t++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{\"max_samples\": 3}");
        script.flush_s = 1e-3;
        f.work.timing = timings[t];
        f.work.lane_count = 2; /* on the same device, which is flushed once */
        f.work.before_sample = before_sample;
        f.work.cold = true;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_string_equal(script.log, "pwhfwhfwhfwhfwvpwv");
        for (size_t i = 0; i < outcome.count; i++)
            assert_true(fabs(outcome.samples[i] - 10e-6) < 1e-12);
        assert_string_equal(outcome.cache, "cold");
        close_fixture(&f);
    }
}

TEST(a_cold_baseline_does_not_make_the_work_cold)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 2}");
    script.operation_s = 1e-3;
    f.baseline.cold = true;
    f.work.baseline = &f.baseline;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(script.log, "pbwfbwfbwfbwvpwv");
    assert_string_equal(outcome.cache, "warm");
    close_fixture(&f);
}

TEST(every_device_is_flushed)
{
    struct fixture f;
    struct lab_outcome outcome;
    struct lab_device other = {.runtime = &scripted};
    const struct lab_lane both[] = {lanes[0], {&other, &script.work_streams[1]}};
    open_fixture(&f, "{\"max_samples\": 1}");
    f.work.lanes = both;
    f.work.lane_count = 2;
    f.work.cold = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(script.log, "pwffwffwvpwv");
    close_fixture(&f);
}

TEST(a_device_that_cannot_flush_skips_the_point)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.cannot_flush = true;
    f.work.cold = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.unmeasurable, "the caches cannot be flushed");
    assert_int_equal(script.enqueued, 0);
    close_fixture(&f);
}

TEST(the_measurement_states_the_cache)
{
    static const struct {
        bool cold, cacheless;
        const char *expected;
    } cases[] = {{false, false, "warm"}, {true, false, "cold"}, {false, true, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct lab_outcome outcome;
        struct lab_measurement measurement = {.cache = "typed by hand"};
        open_fixture(&f, "{\"max_samples\": 1}");
        f.work.cold = cases[i].cold;
        f.work.cacheless = cases[i].cacheless;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        lab_measurement_from_outcome(&measurement, &outcome);
        if (cases[i].expected == NULL)
            assert_null(measurement.cache);
        else
            assert_string_equal(measurement.cache, cases[i].expected);
        close_fixture(&f);
    }
}
