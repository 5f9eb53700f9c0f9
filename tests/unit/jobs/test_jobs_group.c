/* server/jobs: a run on devices of several nodes: which devices it may have, when it starts, what each worker gets, and
 * how it ends. */
#include "support/jobs_harness.h"
#include "support/test.h"

#define BOTH "\"fake-1\",\"there-0\""

/* Submits a run on these devices, a list as in JSON. */
static enum lab_submit_result submit(struct lab *lab, const char *experiment, const char *devices,
                                     const char *behaviour, char id[LAB_RUN_ID_SIZE], struct lab_errors *errors)
{
    char text[256];
    snprintf(text, sizeof text, "{\"experiment\":\"%s\",\"devices\":[%s],\"parameters\":{\"behaviour\":\"%s\"}}",
             experiment, devices, behaviour);
    *errors = (struct lab_errors){0};
    return lab_submit_text(lab, text, NULL, id, errors);
}

static void submit_spanning(struct lab *lab, const char *behaviour, char id[LAB_RUN_ID_SIZE])
{
    struct lab_errors errors;
    assert_int_equal(submit(lab, "spanning", BOTH, behaviour, id, &errors), LAB_SUBMIT_OK);
}

/* Checks what both nodes execute; "": nothing. */
static void expect_running(struct lab *lab, const char *here, const char *there)
{
    json_t *nodes = lab_jobs_nodes(lab->jobs);
    assert_string_equal(text_at(json_array_get(nodes, 0), "running"), here);
    assert_string_equal(text_at(json_array_get(nodes, 1), "running"), there);
    json_decref(nodes);
}

/* Checks that both nodes can execute a run of their own. */
static void expect_free(struct lab *lab)
{
    char here[LAB_RUN_ID_SIZE], there[LAB_RUN_ID_SIZE];
    lab_submit(lab, "finish", "fake-0", here);
    lab_submit(lab, "finish", "there-1", there);
    lab_expect(lab, here, "succeeded");
    lab_expect(lab, there, "succeeded");
}

static void expect_refused(struct lab *lab, const char *experiment, const char *devices, const char *words)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab_errors errors;
    assert_int_equal(submit(lab, experiment, devices, "finish", id, &errors), LAB_SUBMIT_INVALID);
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.items[0].code, LAB_ERROR_SEVERAL_NODES);
    if (strstr(errors.items[0].detail, words) == NULL)
        fail_msg("'%s' does not contain '%s'", errors.items[0].detail, words);
}

TEST(only_cuda_devices_of_experiments_that_span_nodes_are_accepted)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    expect_refused(lab, "group", BOTH, "must be of one machine, here");
    expect_refused(lab, "spanning", "\"there-0\",\"fake-0\"", "fake-0 is not a CUDA device");
    assert_int_equal(lab_submit_text(lab,
                                     "{\"experiment\":\"spanning\",\"devices\":[" BOTH
                                     "],\"compare_with\":{\"parameters\":{\"points\":4}}}",
                                     NULL, id, &errors),
                     LAB_SUBMIT_INVALID);
    assert_string_equal(errors.items[0].pointer, "/compare_with");
    lab_teardown(lab);
}

TEST(each_worker_gets_its_part_and_the_id)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    struct lab_errors errors;
    char id[LAB_RUN_ID_SIZE];
    assert_int_equal(submit(lab, "spanning", "\"there-1\",\"fake-1\",\"there-0\"", "group", id, &errors),
                     LAB_SUBMIT_OK);
    json_t *run = lab_await(lab, id, "succeeded");
    json_t *devices = lab_device_ids_json(json_object_get(run, "devices"));
    json_t *ordered = json_pack("[s,s,s]", "fake-1", "there-1", "there-0");
    json_t *warnings = json_pack(
        "[s,s]", "{\"devices\":[\"fake-1\"],\"group\":{\"first_rank\":0,\"index\":0,\"ranks\":3,\"size\":2}}",
        "On there: {\"devices\":[\"there-1\",\"there-0\"],\"group\":{\"first_rank\":1,\"index\":1,\"ranks\":3,\"size\":2}}");
    assert_true(json_equal(devices, ordered));
    assert_true(json_equal(json_object_get(run, "warnings"), warnings));
    assert_string_equal(text_at(run, "host"), "here");
    assert_string_equal(json_string_value(json_array_get(json_object_get(run, "notes"), 0)),
                        "measured on devices of here, there; the environment and the conditions are those of here");
    assert_int_equal(lab_count_events(lab, "event: measurement\n"), 1); /* that of the leader */
    expect_free(lab);
    json_decref(run);
    json_decref(devices);
    json_decref(ordered);
    json_decref(warnings);
    lab_teardown(lab);
}

TEST(it_occupies_both_nodes_and_is_cancelled_as_a_whole)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    struct lab_queue_state queue;
    char id[LAB_RUN_ID_SIZE], later[LAB_RUN_ID_SIZE];
    submit_spanning(lab, "group-slow", id);
    lab_await_progress(lab, id);
    expect_running(lab, id, id);
    lab_jobs_queue(lab->jobs, &queue);
    assert_int_equal(queue.running, 1);
    lab_submit(lab, "finish", "there-1", later);
    usleep(50000);
    lab_expect(lab, later, "queued");
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    lab_expect(lab, id, "cancelled");
    lab_expect(lab, later, "succeeded");
    expect_free(lab);
    lab_teardown(lab);
}

/* Whether the run ended before the other one started. */
static bool is_before(struct lab *lab, const char *first, const char *second)
{
    json_t *earlier = lab_await(lab, first, "succeeded"), *later = lab_await(lab, second, "succeeded");
    bool before = strcmp(text_at(earlier, "finished_at"), text_at(later, "started_at")) <= 0;
    json_decref(earlier);
    json_decref(later);
    return before;
}

TEST(it_waits_for_both_nodes_but_not_for_later_runs)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    struct lab_live_state live;
    char first[LAB_RUN_ID_SIZE], id[LAB_RUN_ID_SIZE], here[LAB_RUN_ID_SIZE], there[LAB_RUN_ID_SIZE];
    lab_submit(lab, "slow", "there-0", first);
    lab_await_progress(lab, first);
    submit_spanning(lab, "group", id);
    lab_submit(lab, "finish", "fake-0", here);
    lab_submit(lab, "finish", "there-1", there);
    usleep(100000);
    expect_running(lab, "", first);
    lab_jobs_live_state(lab->jobs, here, &live);
    assert_int_equal(live.queue_position, 1);
    assert_int_equal(lab_jobs_cancel(lab->jobs, first, NULL), LAB_CANCEL_OK);
    lab_expect(lab, first, "cancelled");
    assert_true(is_before(lab, id, here));
    assert_true(is_before(lab, id, there));
    lab_teardown(lab);
}

TEST(the_failure_of_a_follower_ends_the_run)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    char id[LAB_RUN_ID_SIZE];
    submit_spanning(lab, "group-crash", id);
    lab_expect_problem(lab, id, "/problems/worker-died", "On there: ");
    expect_free(lab);
    submit_spanning(lab, "group-wrong", id); /* before the others have joined */
    lab_expect_problem(lab, id, "/problems/wrong-result", "On there: 7 elements differed.");
    expect_free(lab);
    lab_teardown(lab);
}

/* Waits until the lab has noticed that a worker exited by itself. */
static void await_death(struct lab *lab)
{
    for (int i = 0; i < 30000 && lab_jobs_counters(lab->jobs)->workers.deaths[LAB_DEATH_EXIT] == 0; i++)
        usleep(2000);
    assert_int_equal(lab_jobs_counters(lab->jobs)->workers.deaths[LAB_DEATH_EXIT], 1);
}

TEST(a_node_without_a_worker_holds_its_runs_but_not_those_of_others)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    struct switch_file broken;
    char last[LAB_RUN_ID_SIZE], id[LAB_RUN_ID_SIZE], here[LAB_RUN_ID_SIZE];
    lab_submit(lab, "idle-death", "there-0", last);
    lab_expect(lab, last, "succeeded");
    await_death(lab);
    switch_on(&broken, "FAKE_WORKER_BROKEN");
    submit_spanning(lab, "group", id);
    lab_submit(lab, "finish", "fake-0", here);
    lab_expect(lab, here, "succeeded");
    lab_expect(lab, id, "queued");
    switch_off(&broken);
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}

TEST(a_queued_run_keeps_its_nodes_over_a_restart)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    char id[LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    submit_spanning(lab, "group-slow", id);
    lab_stop(lab);
    lab_begin(lab, 60);
    assert_true(lab_jobs_pause(lab->jobs, false));
    lab_await_progress(lab, id);
    expect_running(lab, id, id);
    lab_stop(lab); /* in the middle of it */
    lab_begin(lab, 60);
    lab_expect(lab, id, "interrupted");
    expect_free(lab);
    lab_teardown(lab);
}
