/* kernels/benchmark/series.c on a simulated clock: how many samples a series has, and why it ends. */
#include "benchmark/series.h"
#include "measure/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The simulated clock, which replaces kernels/measure/clock.c. */
static double now_s;

double lab_now_s(void)
{
    return now_s;
}

void lab_sleep_s(double seconds)
{
    now_s += seconds;
}

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
    now_s += script->sample_s;
    if (script->taken == script->cancel_after)
        atomic_store(&cancel, true);
    return true;
}

static bool take_series(struct script *script, struct lab_run *run, struct lab_series *series)
{
    atomic_store(&cancel, false);
    *run = (struct lab_run){.cancel = &cancel};
    return lab_series_take(run, take, script, series);
}

static void expect_count(double sample_s, size_t count, const char *stop_reason)
{
    struct script script = {.sample_s = sample_s};
    struct lab_series series;
    struct lab_run run;
    assert_true(take_series(&script, &run, &series));
    assert_int_equal(script.taken, count);
    assert_int_equal(series.count, count);
    assert_string_equal(series.stop_reason, stop_reason);
}

static void slow_samples_are_fewer(void **state)
{
    (void)state;
    expect_count(0.01, 10, "sample-limit");
    expect_count(0.06, 5, "budget");
    expect_count(2, 3, "budget");
}

static void a_failure_or_a_cancel_ends_the_series(void **state)
{
    (void)state;
    struct lab_series series;
    struct lab_run run;
    struct script failing = {.fail_after = 2}, cancelled = {.cancel_after = 1};
    assert_false(take_series(&failing, &run, &series));
    assert_int_equal(failing.taken, 2);
    assert_false(take_series(&cancelled, &run, &series));
    assert_int_equal(cancelled.taken, 1);
    assert_string_equal(run.error.code, "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_samples_are_fewer),
        cmocka_unit_test(a_failure_or_a_cancel_ends_the_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
