/* kernels/worker/outcome.c: success, failure and cancellation of a run. */
#include "support/test.h"
#include "worker/outcome.h"

#include <stdint.h>
#include <string.h>

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

AROUND_EACH_TEST(.setup = reset)

TEST(a_completed_run_succeeds)
{
    assert_true(lab_run_succeeded(&run, true));
    assert_int_equal(run.error.code, LAB_ERROR_NONE);
}

TEST(a_run_with_a_wrong_result_fails)
{
    run.any_wrong = true;
    assert_false(lab_run_succeeded(&run, true));
    assert_int_equal(run.error.code, LAB_ERROR_WRONG_RESULT);
}

TEST(the_error_of_a_failed_run_is_kept)
{
    lab_error_set(&run.error, LAB_ERROR_DEVICE_LOST, "", "the device was lost");
    atomic_store(&cancel, true);
    assert_false(lab_run_succeeded(&run, false));
    assert_int_equal(run.error.code, LAB_ERROR_DEVICE_LOST);
}

TEST(a_failure_without_an_error_names_the_experiment)
{
    assert_false(lab_run_succeeded(&run, false));
    assert_int_equal(run.error.code, LAB_ERROR_INTERNAL_ERROR);
    assert_non_null(strstr(run.error.detail, "probe failed"));
}

TEST(a_run_cancelled_after_its_last_point_is_cancelled)
{
    run.any_wrong = true;
    atomic_store(&cancel, true);
    assert_false(lab_run_succeeded(&run, true));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
}
