/* server/jobs: the queue: its order and limit, cancelling, pausing, and its state after a stop or crash of the lab. */
#include "support/jobs_harness.h"
#include "support/test.h"

#include <math.h>

static int64_t position(struct lab *lab, const char *id)
{
    struct lab_live_state live;
    lab_jobs_live_state(lab->jobs, id, &live);
    return live.queue_position;
}

TEST(runs_are_executed_in_the_order_of_submission)
{
    struct lab *lab = lab_setup(60);
    char running[LAB_RUN_ID_SIZE], first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE];
    lab_submit(lab, "slow", "fake-0", running);
    lab_await_progress(lab, running);
    lab_submit(lab, "finish", "fake-0", first);
    lab_submit(lab, "finish", "fake-1", second);
    struct lab_queue_state queue;
    lab_jobs_queue(lab->jobs, &queue);
    assert_int_equal(queue.length, 2);
    assert_string_equal(queue.running > 0 ? queue.runs[0] : "", running);
    assert_false(queue.paused);
    assert_int_equal(position(lab, running), -1);
    assert_int_equal(position(lab, first), 0);
    assert_int_equal(position(lab, second), 1);

    uint64_t generation = lab_jobs_generation(lab->jobs);
    assert_int_equal(lab_jobs_cancel(lab->jobs, running, NULL), LAB_CANCEL_OK);
    lab_expect(lab, running, "cancelled");
    json_t *earlier = lab_await(lab, first, "succeeded");
    json_t *later = lab_await(lab, second, "succeeded");
    assert_true(strcmp(text_at(earlier, "finished_at"), text_at(later, "started_at")) <= 0);
    assert_true(lab_jobs_generation(lab->jobs) > generation);
    json_decref(earlier);
    json_decref(later);
    lab_teardown(lab);
}

/* Submits a run for a person and returns how long it is expected to wait. */
static double submit_for(struct lab *lab, const char *person, const char *priority, char id[LAB_RUN_ID_SIZE])
{
    struct lab_errors errors = {0};
    struct lab_live_state live;
    json_t *request =
        json_pack("{s:s, s:s, s:{s:i}}", "experiment", "probe", "priority", priority, "parameters", "points", 10);
    assert_int_equal(
        lab_jobs_submit(lab->jobs, request, &(struct lab_submit_options){.requested_by = person}, id, &errors),
        LAB_SUBMIT_OK);
    json_decref(request);
    lab_jobs_live_state(lab->jobs, id, &live);
    return live.wait_s;
}

/* tests/unit/jobs/test_queue.c checks the order itself. */
TEST(priority_and_turns_survive_a_restart)
{
    static const struct {
        const char *person, *priority;
        int64_t position;
    } runs[] = {{"anna", "low", 3}, {"anna", "normal", 0}, {"anna", "normal", 2}, {"bob", "normal", 1}};
    enum { COUNT = sizeof runs / sizeof *runs };
    struct lab *lab = lab_setup(60);
    char ids[COUNT][LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(isnan(submit_for(lab, runs[i].person, runs[i].priority, ids[i]))); /* the queue is paused */
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(position(lab, ids[i]), runs[i].position);
        lab_stop(lab);
        lab_begin(lab, 60);
    }
    json_t *run = lab_read(lab, ids[0]);
    assert_string_equal(text_at(run, "priority"), "low");
    assert_string_equal(text_at(run, "requested_by"), "anna");
    json_decref(run);
    assert_true(lab_jobs_pause(lab->jobs, false));
    json_t *last = lab_await(lab, ids[0], "succeeded");
    for (size_t i = 1; i < COUNT; i++) {
        run = lab_read(lab, ids[i]);
        assert_true(strcmp(text_at(run, "started_at"), text_at(last, "started_at")) < 0);
        json_decref(run);
    }
    json_decref(last);
    lab_teardown(lab);
}

TEST(a_queued_run_waits_for_what_is_left_of_the_current_one)
{
    struct lab *lab = lab_setup(60);
    char running[LAB_RUN_ID_SIZE], first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE];
    lab_submit(lab, "slow", "fake-0", running); /* planned to take 3 s */
    lab_await_progress(lab, running);
    double waits = submit_for(lab, NULL, "normal", first);
    assert_true(waits >= 0 && waits <= 3);
    waits = submit_for(lab, NULL, "normal", second);
    assert_true(waits >= 10 && waits <= 13);
    lab_teardown(lab);
}

TEST(a_run_can_be_cancelled_until_it_has_ended)
{
    struct lab *lab = lab_setup(60);
    char running[LAB_RUN_ID_SIZE], queued[LAB_RUN_ID_SIZE], done[LAB_RUN_ID_SIZE], unknown[LAB_RUN_ID_SIZE];
    lab_submit(lab, "slow", "fake-0", running);
    lab_submit(lab, "finish", "fake-0", queued);
    lab_await_progress(lab, running);
    assert_int_equal(lab_jobs_cancel(lab->jobs, queued, NULL), LAB_CANCEL_OK);
    lab_expect(lab, queued, "cancelled"); /* at once, while the other continues */
    lab_expect(lab, running, "running");
    assert_int_equal(lab_jobs_cancel(lab->jobs, queued, NULL), LAB_CANCEL_ALREADY);
    assert_int_equal(lab_jobs_cancel(lab->jobs, running, NULL), LAB_CANCEL_OK);
    json_t *run = lab_await(lab, running, "cancelled");
    assert_true(json_is_null(json_object_get(run, "error")));
    json_decref(run);
    lab_submit(lab, "finish", "fake-0", done);
    lab_expect(lab, done, "succeeded");
    for (int i = 0; i < 6000 && lab_jobs_cancel(lab->jobs, running, NULL) != LAB_CANCEL_ALREADY; i++)
        usleep(10000);
    assert_int_equal(lab_jobs_cancel(lab->jobs, running, NULL), LAB_CANCEL_ALREADY);
    assert_int_equal(lab_jobs_cancel(lab->jobs, done, NULL), LAB_CANCEL_FINISHED);
    lab_run_id(unknown);
    assert_int_equal(lab_jobs_cancel(lab->jobs, unknown, NULL), LAB_CANCEL_NOT_FOUND);
    lab_teardown(lab);
}

TEST(an_ignored_cancel_reports_how_the_worker_was_ended)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "ignore", "fake-0", id);
    lab_await_progress(lab, id);
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    json_t *run = lab_await(lab, id, "cancelled");
    assert_non_null(strstr(text_at(json_object_get(run, "error"), "detail"), "SIGKILL"));
    json_decref(run);
    lab_submit(lab, "finish", "fake-0", id);
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}

TEST(a_cancel_never_stops_another_run)
{
    struct lab *lab = lab_setup(60);
    for (int i = 0; i < 20; i++) {
        char first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE];
        lab_submit(lab, "finish", "fake-0", first);
        lab_submit(lab, "finish", "fake-0", second);
        usleep((useconds_t)(i * 1000));
        lab_jobs_cancel(lab->jobs, first, NULL); /* queued, running, or finished by now */
        lab_expect(lab, second, "succeeded");
    }
    lab_teardown(lab);
}

TEST(the_queue_has_a_limit)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    struct lab_errors errors = {0};
    assert_true(lab_jobs_pause(lab->jobs, true));
    for (int i = 0; i < 5; i++)
        lab_submit(lab, "finish", "fake-0", id);
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"probe\"}", NULL, id, &errors), LAB_SUBMIT_FULL);
    assert_true(lab_jobs_pause(lab->jobs, false));
    lab_teardown(lab);
}

TEST(a_pause_survives_a_restart)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    struct lab_queue_state queue;
    assert_true(lab_jobs_pause(lab->jobs, true));
    lab_submit(lab, "finish", "fake-0", id);
    usleep(100000);
    lab_expect(lab, id, "queued");
    lab_stop(lab);
    lab_begin(lab, 60);
    lab_jobs_queue(lab->jobs, &queue);
    assert_true(queue.paused);
    assert_int_equal(queue.length, 1);
    assert_true(lab_jobs_pause(lab->jobs, false));
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}

TEST(a_stop_interrupts_the_current_run_and_keeps_the_queue)
{
    static const char *const ways[] = {"slow", "ignore"}; /* one that stops when asked, one that must be killed */
    for (size_t i = 0; i < 2; i++) {
        struct lab *lab = lab_setup(60);
        char running[LAB_RUN_ID_SIZE], queued[LAB_RUN_ID_SIZE];
        lab_submit(lab, ways[i], "fake-0", running);
        lab_submit(lab, "finish", "fake-0", queued);
        lab_await_progress(lab, running);
        lab_stop(lab);
        lab_begin(lab, 60);
        json_t *run = lab_await(lab, running, "interrupted");
        assert_string_equal(text_at(json_object_get(run, "error"), "type"), "/problems/interrupted");
        json_decref(run);
        lab_expect(lab, queued, "succeeded");
        lab_teardown(lab);
    }
}

TEST(a_run_that_was_running_when_the_lab_died_is_interrupted)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    lab_submit(lab, "finish", "fake-0", id);
    assert_int_equal(lab_store_start_run(lab->store, id, lab_time_now(), NULL),
                     LAB_STORE_OK); /* as if the power had failed then */
    lab_stop(lab);
    lab_begin(lab, 60);
    lab_expect(lab, id, "interrupted");
    lab_teardown(lab);
}
