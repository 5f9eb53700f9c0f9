/* kernels/benchmark/series.c on a simulated clock: how many samples a series has, and why it ends. */
#include "benchmark/series.h"
#include "measure/clock.h"
#include "support/simulated_clock.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

AROUND_EACH_TEST(.setup = simulate_clock)

static atomic_bool cancel;

struct script {
    double sample_s;                 /* what a sample takes */
    size_t fail_after, cancel_after; /* number of samples; 0: never */
    size_t taken;
};

static bool take(void *context, size_t index)
{
    struct script *script = context;
    assert_int_equal(index, script->taken);
    if (script->fail_after > 0 && index == script->fail_after)
        return false;
    script->taken++;
    simulated.now_s += script->sample_s;
    if (script->taken == script->cancel_after)
        atomic_store(&cancel, true);
    return true;
}

/* Takes a series when the run has used `used_s` of its time budget of 1 s. */
static bool take_series_after(double used_s, struct script *script, struct lab_run *run, struct lab_series *series)
{
    struct lab_errors errors = {0};
    json_t *given = json_pack("{s:i}", "time_budget_s", 1);
    struct lab_parameters *parameters = lab_parameters_parse(lab_experiment_find("transfer"), given, &errors);
    atomic_store(&cancel, false);
    *run = (struct lab_run){.cancel = &cancel, .parameters = parameters};
    struct lab_measurer *measurer = lab_measurer_create(run, 1);
    assert_non_null(measurer);
    simulated.now_s += used_s;
    bool good = lab_series_take(run, measurer, take, script, series);
    if (series->skipped != NULL)
        assert_non_null(strstr(series->skipped, "time budget"));
    lab_measurer_free(measurer);
    lab_parameters_free(parameters);
    json_decref(given);
    return good;
}

static bool take_series(struct script *script, struct lab_run *run, struct lab_series *series)
{
    return take_series_after(0, script, run, series);
}

static void expect_count(double sample_s, size_t count, const char *stop_reason)
{
    struct script script = {.sample_s = sample_s};
    struct lab_series series;
    struct lab_run run;
    double start_s = simulated.now_s;
    assert_true(take_series(&script, &run, &series));
    assert_true(simulated.now_s - start_s >= lab_series_seconds(sample_s) - 1e-9);
    assert_true(simulated.now_s - start_s <= lab_series_seconds(sample_s) + sample_s + 1e-9);
    assert_int_equal(script.taken, count);
    assert_int_equal(series.count, count);
    assert_string_equal(series.stop_reason, stop_reason);
    assert_null(series.skipped);
}

TEST(no_samples_are_taken_after_the_budget)
{
    struct script script = {.sample_s = 0.01};
    struct lab_series series;
    struct lab_run run;
    assert_true(take_series_after(4, &script, &run, &series));
    assert_int_equal(script.taken, 0);
    assert_int_equal(series.count, 0);
    assert_non_null(series.skipped);
}

TEST(slow_samples_are_fewer)
{
    expect_count(0.01, 10, "sample-limit");
    expect_count(0.06, 5, "budget");
    expect_count(2, 3, "budget");
}

TEST(a_failure_or_a_cancel_ends_the_series)
{
    struct lab_series series;
    struct lab_run run;
    struct script failing = {.fail_after = 2}, cancelled = {.cancel_after = 1};
    assert_false(take_series(&failing, &run, &series));
    assert_int_equal(failing.taken, 2);
    assert_false(take_series(&cancelled, &run, &series));
    assert_int_equal(cancelled.taken, 1);
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
}
