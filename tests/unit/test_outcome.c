/* kernels/worker/outcome.c: success, failure and cancellation of a run. */
#include "worker/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static atomic_bool cancel;
static const struct lab_experiment experiment = {.name = "probe"};
static struct lab_run run;

static int reset(void **state)
{
    (void)state;
    atomic_store(&cancel, false);
    run = (struct lab_run){.experiment = &experiment, .cancel = &cancel};
    return 0;
}

static void a_completed_run_succeeds(void **state)
{
    (void)state;
    assert_true(lab_run_succeeded(&run, true));
    assert_int_equal(run.error.code, LAB_ERROR_NONE);
}

static void a_run_with_a_wrong_result_fails(void **state)
{
    (void)state;
    run.any_wrong = true;
    assert_false(lab_run_succeeded(&run, true));
    assert_int_equal(run.error.code, LAB_ERROR_WRONG_RESULT);
}

static void the_error_of_a_failed_run_is_kept(void **state)
{
    (void)state;
    lab_error_set(&run.error, LAB_ERROR_DEVICE_LOST, "", "the device was lost");
    atomic_store(&cancel, true);
    assert_false(lab_run_succeeded(&run, false));
    assert_int_equal(run.error.code, LAB_ERROR_DEVICE_LOST);
}

static void a_failure_without_an_error_names_the_experiment(void **state)
{
    (void)state;
    assert_false(lab_run_succeeded(&run, false));
    assert_int_equal(run.error.code, LAB_ERROR_INTERNAL_ERROR);
    assert_non_null(strstr(run.error.detail, "probe failed"));
}

static void a_run_cancelled_after_its_last_point_is_cancelled(void **state)
{
    (void)state;
    run.any_wrong = true;
    atomic_store(&cancel, true);
    assert_false(lab_run_succeeded(&run, true));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_completed_run_succeeds, reset),
        cmocka_unit_test_setup(a_run_with_a_wrong_result_fails, reset),
        cmocka_unit_test_setup(the_error_of_a_failed_run_is_kept, reset),
        cmocka_unit_test_setup(a_failure_without_an_error_names_the_experiment, reset),
        cmocka_unit_test_setup(a_run_cancelled_after_its_last_point_is_cancelled, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
