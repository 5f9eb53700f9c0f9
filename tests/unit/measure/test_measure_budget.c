/* kernels/measure/measure.c: the time budget of a run holds, whatever a point takes (METHOD.md 5). */
#include "support/measure_harness.h"
#include "support/test.h"

/* Measures `points` points of a run and returns how many were measured. */
static size_t measure_all(struct fixture *f, size_t points)
{
    size_t measured = 0;
    for (size_t i = 0; i < points; i++) {
        struct lab_outcome outcome;
        assert_true(lab_measure(f->measurer, &f->work, &outcome));
        measured += outcome.unmeasurable == NULL;
        if (outcome.unmeasurable != NULL)
            assert_non_null(strstr(outcome.unmeasurable, "raise time_budget_s"));
    }
    return measured;
}

TEST(a_slow_point_takes_three_samples)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_points(&f, "{\"time_budget_s\": 12}", 10);
    script.operation_s = 0.5;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 3);
    assert_string_equal(outcome.stop_reason, "budget");
    assert_true(outcome.verified);
    close_fixture(&f);
}

TEST(min_samples_below_three_is_respected)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_points(&f, "{\"time_budget_s\": 12, \"min_samples\": 1, \"max_noise\": 0}", 100);
    script.operation_s = 0.5;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(outcome.count, 1);
    close_fixture(&f);
}

TEST(a_repetition_that_does_not_fit_is_skipped)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_points(&f, "{\"time_budget_s\": 12}", 10);
    script.operation_s = 5;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.unmeasurable,
                        "one repetition takes 5 s; 3 samples and the verification do not fit in the rest of the run's "
                        "time budget (12 s); raise time_budget_s");
    assert_int_equal(script.enqueued, 2); /* warm-up and calibration */
    close_fixture(&f);

    open_points(&f, "{\"time_budget_s\": 12}", 10);
    script.operation_s = 40;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(strstr(outcome.unmeasurable, "one repetition takes 40 s"));
    assert_int_equal(script.enqueued, 1); /* the warm-up says enough */
    close_fixture(&f);
}

TEST(a_used_up_budget_skips_the_point_before_its_warm_up)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_points(&f, "{\"time_budget_s\": 12}", 10);
    simulated.now_s += 1.25 * 12 + 2 + 1e-6;
    assert_true(lab_measurer_remaining_s(f.measurer) < 0);
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.unmeasurable, "the time budget of the run (12 s) is used up; raise time_budget_s");
    assert_int_equal(script.logged, 0);
    close_fixture(&f);
}

/* Repetitions of 10 us to 20 s, with fast and slow verifications, on few points and many. */
TEST(a_run_ends_within_its_budget)
{
    static const double operations_s[] = {1e-5, 1e-2, 0.1, 0.4, 1, 3, 10, 20}, verifications_s[] = {0, 0.1, 0.5};
    static const size_t points[] = {1, 7, 40, 500};
    static const double budget_s = 12;
    for (size_t o = 0; o < 8; o++)
        for (size_t v = 0; v < 3; v++)
            for (size_t n = 0; n < 4; n++) {
                struct fixture f;
                open_points(&f, "{\"time_budget_s\": 12, \"max_noise\": 0}", points[n]);
                script.operation_s = operations_s[o];
                script.spread = 0.1;
                script.poison_s = verifications_s[v];
                script.verify_s = verifications_s[v];
                size_t measured = measure_all(&f, points[n]);
                if (simulated.now_s > 1.5 * budget_s + 5)
                    fail_msg("%zu points of %g s and %g s took %g s", points[n], operations_s[o], verifications_s[v],
                             simulated.now_s);
                if (operations_s[o] < 1)
                    assert_true(measured > 0);
                close_fixture(&f);
            }
}

TEST(verification_counts)
{
    struct fixture f;
    open_points(&f, "{\"time_budget_s\": 12, \"max_noise\": 0, \"max_samples\": 100000}", 4);
    script.operation_s = 0.01;
    script.spread = 0.1;
    script.poison_s = script.verify_s = 0.3; /* 1.2 s of the 3 s of each point */
    assert_int_equal(measure_all(&f, 4), 4);
    assert_true(simulated.now_s < 13);
    close_fixture(&f);
}

TEST(the_trace_pass_has_a_quarter_of_the_budget)
{
    struct fixture f;
    open_points(&f, "{\"time_budget_s\": 12}", 1);
    lab_measurer_free(f.measurer);
    f.run.tracing = true;
    f.measurer = lab_measurer_create(&f.run, 1);
    assert_true(fabs(lab_measurer_remaining_s(f.measurer) - (12 / 4.0 + 2)) < 1e-9);
    close_fixture(&f);
}

TEST(a_point_that_blocks_behind_the_latch_costs_less_than_ten_seconds)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"time_budget_s\": 1000}");
    script.blocks = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(strstr(outcome.unmeasurable, "the latch timed out"));
    assert_true(simulated.now_s > 5 && simulated.now_s < 10);
    close_fixture(&f);
}

/* --- lab_time_roughly --------------------------------------------------------------------------------------------- */

TEST(rough_timing_takes_the_share_of_a_point_at_most)
{
    struct fixture f;
    double seconds;
    open_points(&f, "{\"time_budget_s\": 12}", 10);
    script.operation_s = 1;
    assert_true(lab_time_roughly(f.measurer, &f.work, &seconds));
    assert_true(fabs(seconds - 1) < 1e-9);
    assert_int_equal(script.enqueued, 2); /* warm-up, calibration */
    assert_int_equal(script.poisoned, 0);
    close_fixture(&f);

    open_points(&f, "{\"time_budget_s\": 12}", 1);
    script.operation_s = 0.1;
    assert_true(lab_time_roughly(f.measurer, &f.work, &seconds));
    assert_true(fabs(seconds - 0.1) < 1e-9);
    assert_int_equal(script.enqueued, 6); /* the calibration and four more samples */
    close_fixture(&f);
}

TEST(rough_timing_ends_when_the_run_is_cancelled)
{
    struct fixture f;
    double seconds;
    open_fixture(&f, "{}");
    script.operation_s = 0.01;
    script.cancel_after = 3;
    assert_false(lab_time_roughly(f.measurer, &f.work, &seconds));
    assert_int_equal(f.run.error.code, LAB_ERROR_CANCELLED);
    assert_int_equal(script.enqueued, 4);
    close_fixture(&f);
}
