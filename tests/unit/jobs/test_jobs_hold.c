/* server/jobs: the queue is held while no worker answers; runs wait, and the lab recovers by itself. */
#include "support/jobs_harness.h"
#include "support/test.h"

#include "core/clock.h"

TEST(pauses_grow_to_30_seconds)
{
    static const double pauses[] = {1, 2, 4, 8, 16, 30, 30};
    struct lab_hold hold;
    lab_hold_begin(&hold);
    assert_true(lab_hold_active(&hold));
    assert_true(hold.retry_at == 0); /* at once */
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        lab_hold_no_worker(&hold, "It hangs.", 100);
        assert_true(hold.retry_at == 100 + pauses[i]);
        assert_string_equal(hold.reason, "It hangs.");
    }
    lab_hold_worker_answered(&hold);
    assert_false(lab_hold_active(&hold));
    lab_hold_no_worker(&hold, "It hangs.", 100);
    assert_true(hold.retry_at == 101);
}

TEST(three_failed_starts_in_a_row_hold)
{
    struct lab_hold hold = {0};
    for (int round = 0; round < 2; round++) {
        lab_hold_start_failed(&hold, "It died.", 100);
        lab_hold_start_failed(&hold, "It died.", 100);
        assert_false(lab_hold_active(&hold));
        lab_hold_run_began(&hold); /* so they are not in a row */
    }
    for (int i = 0; i < 3; i++)
        lab_hold_start_failed(&hold, "It died.", 100);
    assert_true(lab_hold_active(&hold));
    assert_non_null(strstr(hold.reason, "last 3 runs"));
    assert_non_null(strstr(hold.reason, "It died."));
    assert_true(hold.retry_at == 101);
    lab_hold_worker_answered(&hold); /* one more run is tried */
    assert_false(lab_hold_active(&hold));
    lab_hold_start_failed(&hold, "It died.", 200);
    assert_true(hold.retry_at == 202); /* the pauses go on growing */
    lab_hold_worker_answered(&hold);
    lab_hold_run_began(&hold);
    assert_int_equal(hold.failed_starts, 0);
}

/* A lab whose first worker finds no device. */
TEST(a_lab_without_a_worker_starts_holds_and_recovers)
{
    struct switch_file broken;
    switch_on(&broken, "FAKE_WORKER_BROKEN");
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    lab_await_held(lab, "the driver is broken");
    json_t *devices = lab_jobs_devices(lab->jobs);
    assert_int_equal(json_array_size(json_object_get(devices, "devices")), 0);
    json_decref(devices);
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"probe\"}", NULL, id, &errors), LAB_SUBMIT_NOT_READY);
    switch_off(&broken);
    lab_await_held(lab, "");
    lab_submit(lab, "finish", "fake-0", id);
    lab_expect(lab, id, "succeeded");
    assert_true(lab_count_events(lab, "\"held\":null") >= 1);
    lab_teardown(lab);
}

TEST(a_broken_worker_fails_no_run)
{
    struct lab *lab = lab_setup(0);
    await_no_worker();
    struct switch_file broken;
    char ids[4][LAB_RUN_ID_SIZE];
    switch_on(&broken, "FAKE_WORKER_BROKEN");
    for (size_t i = 0; i < 4; i++)
        lab_submit(lab, "finish", "fake-0", ids[i]);
    lab_await_held(lab, "the driver is broken");
    for (size_t i = 0; i < 4; i++)
        lab_expect(lab, ids[i], "queued");
    assert_int_equal(lab_jobs_cancel(lab->jobs, ids[3], NULL), LAB_CANCEL_OK);
    lab_expect(lab, ids[3], "cancelled");
    switch_off(&broken);
    for (size_t i = 0; i < 3; i++)
        lab_expect(lab, ids[i], "succeeded");
    lab_teardown(lab);
}

/* The runs' own reasons fail runs; three workers that end before they begin to measure hold the queue. */
TEST(workers_that_end_at_the_start_of_each_run_hold_the_queue)
{
    struct lab *lab = lab_setup(60);
    char ids[4][LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    for (size_t i = 0; i < 4; i++)
        lab_submit(lab, i < 3 ? "exit-at-start" : "finish", "fake-0", ids[i]);
    assert_true(lab_jobs_pause(lab->jobs, false));
    for (size_t i = 0; i < 3; i++)
        lab_expect_problem(lab, ids[i], "/problems/worker-died", "cannot load the driver");
    lab_expect(lab, ids[3], "succeeded"); /* the one that is tried after the pause */
    assert_true(lab_count_events(lab, "\"held\":\"The workers of the last 3 runs ended") >= 1);
    lab_await_held(lab, "");
    lab_teardown(lab);
}

TEST(a_queued_run_is_cancelled_while_a_worker_lists_its_devices)
{
    struct lab *lab = lab_setup(0);
    await_no_worker();
    struct switch_file mute;
    char id[LAB_RUN_ID_SIZE];
    switch_on(&mute, "FAKE_WORKER_MUTE");
    lab_submit(lab, "finish", "fake-0", id);
    usleep(200000); /* until the worker has been started */
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    lab_expect(lab, id, "cancelled");
    switch_off(&mute);
    lab_teardown(lab);
}

/* The second worker of a run, which traces, does not answer. */
TEST(a_cancel_reaches_a_worker_that_lists_its_devices)
{
    struct lab *lab = lab_setup(60);
    struct switch_file mute;
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    switch_on(&mute, "FAKE_WORKER_MUTE");
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"timeline\"}", NULL, id, &errors), LAB_SUBMIT_OK);
    for (int i = 0; i < 30000 && lab_count_events(lab, "\"label\":\"tracing\"") == 0; i++)
        usleep(2000);
    usleep(200000); /* until the worker has been started */
    double before = lab_clock_now();
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    lab_expect(lab, id, "succeeded");           /* it has been measured */
    assert_true(lab_clock_now() - before < 50); /* a worker has 60 s to list its devices */
    switch_off(&mute);
    lab_teardown(lab);
}

TEST(a_stop_ends_a_worker_that_lists_its_devices)
{
    struct lab *lab = lab_setup(0);
    await_no_worker();
    struct switch_file mute;
    char id[LAB_RUN_ID_SIZE];
    switch_on(&mute, "FAKE_WORKER_MUTE");
    lab_submit(lab, "finish", "fake-0", id);
    usleep(200000);
    lab_stop(lab);
    switch_off(&mute);
    lab_begin(lab, 60);
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}
