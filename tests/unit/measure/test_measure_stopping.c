/* kernels/measure/measure.c and stopping.c: settling, pauses, and the reasons to end a point (METHOD.md 5 and 6). */
#include "support/measure_harness.h"
#include "support/test.h"

#include "measure/stopping.h"

/* --- the reasons to stop ------------------------------------------------------------------------------------------ */

TEST(steady_work_converges_at_min_samples)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"min_time_s\": 0}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "converged");
    assert_int_equal(outcome.count, 10);
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
    assert_true(outcome.verified_known && outcome.verified);
    /* 11 repetitions of 10 us: 100 us, and 10 % more */
    assert_int_equal(script.queued_most, 11);
    close_fixture(&f);
}

TEST(the_samples_of_a_point_span_min_time_s)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"min_time_s\": 0.0495}");
    script.operation_s = 1e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "converged");
    assert_int_equal(outcome.count, 50);
    close_fixture(&f);

    open_fixture(&f, "{\"min_time_s\": 0.0495, \"max_samples\": 40}");
    script.operation_s = 1e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "sample-limit");
    assert_int_equal(outcome.count, 40);
    close_fixture(&f);
}

TEST(constant_noise_stops_as_noise_stable)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"min_time_s\": 0}");
    script.operation_s = 1e-3; /* one repetition per sample, so that the spread is visible */
    script.spread = 0.1;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "noise-stable");
    assert_int_equal(outcome.count, 10 + 64 - 1); /* the first of 64 estimates comes with the tenth sample */
    close_fixture(&f);
}

TEST(the_sample_limit_and_the_budget_end_a_point)
{
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
    assert_string_equal(outcome.stop_reason, "budget");
    assert_in_range(outcome.count, 3, 9); /* the budget is stronger than min_samples */
    assert_true(fabs(outcome.samples[2] - 1e-3) < 1e-12);
    close_fixture(&f);
}

/* --- drift -------------------------------------------------------------------------------------------------------- */

/* 0.05 % slower with each operation. */
static double slower_each_time(void)
{
    return 1e-3 * (1 + 5e-4 * (double)script.enqueued);
}

TEST(a_series_that_drifts_is_not_noise_stable)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 200}");
    script.operation_time = slower_each_time;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "drifting");
    assert_int_equal(outcome.count, 200);
    close_fixture(&f);

    open_fixture(&f, "{\"time_budget_s\": 0.1}");
    script.operation_time = slower_each_time;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "drifting");
    assert_true(outcome.count < 110);
    close_fixture(&f);
}

enum { THROTTLED_AFTER = 60, THROTTLED_MAX = 120 };

static double throttled_half_way(void)
{
    return script.enqueued < THROTTLED_AFTER ? 1e-3 : 1.05e-3;
}

TEST(a_kernel_that_throttles_itself_half_way_does_not_converge)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 120, \"max_noise\": 0.04}"); /* all of these samples have a noise of 2.5 % */
    script.operation_time = throttled_half_way;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "drifting");
    assert_int_equal(outcome.count, THROTTLED_MAX);
    close_fixture(&f);
}

/* A transient at the start is forgotten as the series grows. */
static double slow_at_first(void)
{
    return script.enqueued < 40 ? 1.2e-3 : 1e-3;
}

TEST(a_transient_delays_the_end_and_does_not_count_as_drift)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_noise\": 0.1}");
    script.operation_time = slow_at_first;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "converged");
    assert_in_range(outcome.count, 200, 999);
    close_fixture(&f);
}

/* A generator of pseudo-random numbers from 0 to 1, the same in every run. */
static double uniform(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (double)(1U << 24);
}

/* Noise of 30 %, with outliers ten times as long, on many seeds. */
TEST(noise_is_not_taken_for_drift)
{
    enum { SERIES = 400, COUNT = 75 };
    size_t noisy = 0, drifting = 0;
    for (uint32_t seed = 1; seed <= SERIES; seed++) {
        double samples[COUNT];
        uint32_t random = seed * 2654435761U;
        for (size_t i = 0; i < COUNT; i++)
            samples[i] = 0.5 + uniform(&random) + (uniform(&random) < 0.02 ? 10 : 0);
        noisy += lab_samples_drift(samples, COUNT, 0.01);
        for (size_t i = 0; i < COUNT; i++)
            samples[i] = (0.95 + 0.1 * uniform(&random)) * (i < COUNT / 2 ? 1 : 1.1);
        drifting += lab_samples_drift(samples, COUNT, 0.01);
    }
    assert_in_range(noisy, 0, SERIES / 50);
    assert_int_equal(drifting, SERIES); /* a step of 10 % in a noise of 3 % */
}

TEST(a_change_within_the_tolerance_is_no_drift)
{
    double samples[12];
    for (size_t i = 0; i < 12; i++)
        samples[i] = i < 6 ? 1 : 1.009;
    assert_false(lab_samples_drift(samples, 12, 0.01));
    assert_true(lab_samples_drift(samples, 12, 0.008));
    assert_false(lab_samples_drift(samples, 11, 0.008)); /* too few samples */
}

/* --- settling and pauses ------------------------------------------------------------------------------------------ */

/* The clock falls for 0.3 s under load, as that of a device that reaches its power limit. */
static double throttled_by_power(void)
{
    return 1e-3 * (1 + 0.5 * fmin(simulated.now_s / 0.3, 1));
}

TEST(compute_work_settles_until_its_speed_is_stable)
{
    for (int compute = 0; compute < 2; compute++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{\"max_samples\": 100, \"settle_s\": 0.04}");
        script.operation_time = throttled_by_power;
        f.work.compute = compute != 0;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_string_equal(outcome.stop_reason, compute ? "converged" : "drifting");
        if (compute)
            assert_true(fabs(outcome.samples[0] - 1.5e-3) < 1e-9);
        close_fixture(&f);
    }
}

static size_t enqueued_with(const char *parameters, bool compute)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, parameters);
    script.operation_s = 1e-3;
    f.work.compute = compute;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 1);
    close_fixture(&f);
    return script.enqueued;
}

TEST(settling_takes_settle_s_and_can_be_switched_off)
{
    size_t without = enqueued_with("{\"max_samples\": 1}", false);
    size_t settled = enqueued_with("{\"max_samples\": 1, \"settle_s\": 0.0599}", true);
    assert_in_range(settled - without, 60, 62); /* of 1 ms each, in two windows */
    assert_int_equal(enqueued_with("{\"max_samples\": 1, \"settle_s\": 0}", true), without);
    assert_int_equal(enqueued_with("{\"max_samples\": 1, \"settle_s\": 0.06, \"rest_s\": 0.001}", true), without);
}

static double never_stable(void)
{
    return 1e-3 * pow(1.02, (double)script.enqueued);
}

TEST(settling_ends_with_half_of_the_share_or_ten_times_settle_s)
{
    static const struct {
        const char *parameters;
        double settled_s;
    } cases[] = {{"{\"time_budget_s\": 1, \"settle_s\": 0.08, \"max_samples\": 1}", 0.5},
                 {"{\"time_budget_s\": 4, \"settle_s\": 0.04, \"max_samples\": 1}", 0.4}};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, cases[i].parameters);
        script.operation_time = never_stable;
        f.work.compute = true;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_true(simulated.now_s > cases[i].settled_s && simulated.now_s < cases[i].settled_s + 0.1);
        close_fixture(&f);
    }
}

TEST(a_pause_precedes_each_sample)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 4, \"rest_s\": 0.25}");
    script.operation_s = 1e-3;
    f.work.baseline = &f.baseline;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 4);
    assert_true(fabs(outcome.samples[3] - 1e-3) < 1e-12);
    assert_true(fabs(simulated.slept_s - 8 * 0.25) < 1e-9); /* also before those of the baseline */
    close_fixture(&f);
}

TEST(sustained_work_has_no_pauses_and_settles)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 4, \"rest_s\": 0.25, \"settle_s\": 0.06}");
    script.operation_s = 1e-3;
    f.work.compute = f.work.sustained = true;
    f.work.baseline = &f.baseline;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 4);
    assert_true(simulated.slept_s == 0);
    assert_true(script.enqueued > 50);
    close_fixture(&f);
}

TEST(pauses_count_as_measured_time)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"min_time_s\": 0.5, \"rest_s\": 0.1}");
    script.operation_s = 1e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "converged");
    assert_int_equal(outcome.count, 10);
    close_fixture(&f);
}

TEST(a_sample_lasts_sample_s)
{
    static const struct {
        const char *parameters;
        double asked_s;
    } cases[] = {{"{\"max_samples\": 1}", 0.002},
                 {"{\"max_samples\": 1, \"sample_s\": 0.002}", 0},
                 {"{\"max_samples\": 1, \"sample_s\": 0.001}", 0.002}};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, cases[i].parameters);
        f.work.timing = LAB_TIME_EVENTS;
        f.work.sample_s = cases[i].asked_s;
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12); /* per repetition */
        assert_in_range(script.queued_most, 200, 222);         /* repetitions of 10 us in the sample */
        close_fixture(&f);
    }
}
