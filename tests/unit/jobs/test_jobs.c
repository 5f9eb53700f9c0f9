/* server/jobs: how runs are executed and end, and what the store and the event stream contain then. */
#include "support/jobs_harness.h"
#include "support/test.h"

static void count_spans(void *context, const struct lab_span_row *row)
{
    assert_string_equal(row->lane, "stream 1");
    assert_int_equal(row->end_ns - row->start_ns, 10);
    ++*(int *)context;
}

static void check_measurement(void *context, const struct lab_measurement_row *row)
{
    assert_int_equal(row->position, *(int *)context);
    assert_string_equal(row->metric, "bandwidth");
    assert_string_equal(row->stop_reason, "converged");
    assert_int_equal(row->verified, 1);
    assert_int_equal(row->numa_node, 0);
    assert_null(row->cache);
    assert_int_equal(row->sample_count, 3);

    json_t *json = lab_measurement_row_json(row);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "axes"), "bytes")),
                     1024 << row->position);
    assert_true(json_real_value(json_object_get(json, "q3")) == 2.5);
    assert_true(json_is_null(json_object_get(json, "cache")));
    assert_true(json_is_null(json_object_get(json_object_get(json, "conditions"), "sm_clock_mhz")));
    json_t *throttled_by = json_object_get(json_object_get(json, "conditions"), "throttled_by");
    assert_string_equal(json_string_value(json_array_get(throttled_by, 0)), "thermal");
    assert_string_equal(text_at(json_object_get(json, "peak"), "what"), "the link");
    const json_t *kernel = json_object_get(json, "kernel");
    assert_string_equal(text_at(kernel, "name"), "copy");
    assert_int_equal(json_integer_value(json_object_get(kernel, "shared_bytes")), 4096);
    assert_true(json_is_null(json_object_get(kernel, "occupancy")));
    json_decref(json);
    ++*(int *)context;
}

TEST(a_run_is_measured_stored_and_published)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "finish", "fake-1", id);
    json_t *run = lab_await(lab, id, "succeeded");
    assert_true(json_is_true(json_object_get(run, "contended")));
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")), 3);
    assert_string_equal(json_string_value(json_array_get(json_object_get(run, "warnings"), 0)), "It was warm.");
    assert_int_equal(json_array_size(json_object_get(run, "warnings")), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(run, "notes"), 0)), "FAKE 1.2.3");
    assert_int_equal(json_array_size(json_object_get(run, "notes")), 1);
    assert_string_equal(text_at(json_object_get(run, "parameters"), "behaviour"), "finish");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(run, "parameters"), "max_samples")), 1000);
    assert_true(json_is_true(json_object_get(json_object_get(run, "environment"), "own_group")));
    assert_string_equal(text_at(run, "host"), "here");
    assert_true(json_is_null(json_object_get(run, "error")));
    const json_t *headline = json_array_get(json_object_get(run, "headline"), 0);
    assert_string_equal(text_at(headline, "title"), "Fastest");
    assert_true(json_number_value(json_object_get(headline, "value")) == 2);
    assert_true(strcmp(text_at(run, "created_at"), text_at(run, "started_at")) <= 0);
    assert_true(strcmp(text_at(run, "started_at"), text_at(run, "finished_at")) <= 0);
    json_decref(run);

    int measurements = 0, spans = 0;
    assert_int_equal(lab_store_list_measurements(lab->store, id, 0, SIZE_MAX, check_measurement, &measurements),
                     LAB_STORE_OK);
    assert_int_equal(measurements, 3);
    double samples[3];
    size_t total = 0;
    assert_int_equal(lab_store_read_samples(lab->store, id, 2, 0, 3, samples, &total), LAB_STORE_OK);
    assert_true(total == 3 && samples[0] == 1.0 && samples[1] == 2.0 && samples[2] == 3.0);
    assert_int_equal(lab_store_list_spans(lab->store, id, 0, SIZE_MAX, count_spans, &spans), LAB_STORE_OK);
    assert_int_equal(spans, 1);

    for (int i = 0; i < 6000 && lab_count_events(lab, "\"status\":\"succeeded\"") == 0; i++)
        usleep(10000);
    assert_int_equal(lab_count_events(lab, "event: run.updated"), 3);
    assert_int_equal(lab_count_events(lab, "\"status\":\"queued\""), 1);
    assert_int_equal(lab_count_events(lab, "\"status\":\"running\""), 1);
    assert_int_equal(lab_count_events(lab, "\"status\":\"succeeded\""), 1);
    assert_int_equal(lab_count_events(lab, "event: measurement"), 3);
    assert_int_equal(lab_count_events(lab, "\"throttled_by\":[\"thermal\"]"), 3);
    assert_int_equal(lab_count_events(lab, "\"samples\""), 0);
    assert_true(lab_count_events(lab, "\"done\":3,\"total\":3,\"label\":\"point\"") >= 1);
    lab_teardown(lab);
}

TEST(a_wrong_result_fails_the_run)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "wrong", "fake-0", id);
    lab_expect_problem(lab, id, "/problems/wrong-result", "7 elements differed");
    json_t *run = lab_read(lab, id);
    assert_int_equal(json_integer_value(json_object_get(run, "wrong_count")), 1);
    json_decref(run);
    lab_teardown(lab);
}

TEST(a_run_without_a_result_fails)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "skip", "fake-0", id);
    lab_expect_problem(lab, id, "/problems/no-result",
                       "Every point was skipped, the first for this reason: no such link");
    lab_submit(lab, "empty", "fake-0", id);
    lab_expect_problem(lab, id, "/problems/no-result", "The experiment reported no measurement.");
    lab_teardown(lab);
}

TEST(a_crash_fails_one_run_only)
{
    struct lab *lab = lab_setup(60);
    char crashed[LAB_RUN_ID_SIZE], next[LAB_RUN_ID_SIZE];
    lab_submit(lab, "crash", "fake-0", crashed);
    lab_submit(lab, "finish", "fake-0", next);
    lab_expect_problem(lab, crashed, "/problems/worker-died", "SIGSEGV (Segmentation fault)");
    json_t *run = lab_read(lab, crashed);
    const json_t *error = json_object_get(run, "error");
    assert_string_equal(text_at(error, "title"), "The worker process died");
    assert_string_equal(text_at(error, "log"), "first line\nabout to crash");
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")), 1);
    json_decref(run);
    lab_expect(lab, next, "succeeded");
    lab_teardown(lab);
}

/* Such a worker may have been killed while it was idle, just before the run reached it. */
TEST(a_worker_that_ends_before_the_run_has_started_is_replaced_once)
{
    struct lab *lab = lab_setup(60);
    char first[LAB_RUN_ID_SIZE], next[LAB_RUN_ID_SIZE], always[LAB_RUN_ID_SIZE];
    lab_submit(lab, "finish", "fake-0", first);
    lab_submit(lab, "exit-at-start-unless-first", "fake-0", next);
    lab_submit(lab, "exit-at-start", "fake-0", always);
    lab_expect(lab, first, "succeeded");
    lab_expect(lab, next, "succeeded");
    lab_expect_problem(lab, always, "/problems/worker-died", "exited with code 7");
    lab_teardown(lab);
}

TEST(a_lost_worker_is_replaced)
{
    struct lab *lab = lab_setup(60);
    char lost[LAB_RUN_ID_SIZE], dying[LAB_RUN_ID_SIZE], next[LAB_RUN_ID_SIZE];
    lab_submit(lab, "lost", "fake-0", lost);
    lab_submit(lab, "idle-death", "fake-0", dying);
    lab_expect_problem(lab, lost, "/problems/wrong-result", "differed");
    lab_expect(lab, dying, "succeeded");
    usleep(300000);
    lab_submit(lab, "finish", "fake-0", next);
    lab_expect(lab, next, "succeeded");
    lab_teardown(lab);
}

TEST(a_process_setting_conflict_is_repeated_by_a_new_worker)
{
    struct lab *lab = lab_setup(60);
    char first[LAB_RUN_ID_SIZE], id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "finish", "fake-0", first);
    lab_submit(lab, "conflict-unless-first", "fake-0", id);
    lab_expect(lab, first, "succeeded");
    json_t *run = lab_await(lab, id, "succeeded");
    assert_true(json_is_null(json_object_get(run, "error")));
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")), 3);
    json_decref(run);
    lab_submit(lab, "conflict-always", "fake-0", id); /* it is repeated once, not more often */
    lab_expect_problem(lab, id, "/problems/process-setting-conflict", "another setting");
    lab_submit(lab, "conflict-late", "fake-0", id);
    run = lab_await(lab, id, "failed");
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")),
                     1); /* it is not repeated, because something was measured */
    json_decref(run);
    lab_teardown(lab);
}

TEST(a_run_cancelled_while_it_finished_is_cancelled)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "success-despite-cancel", "fake-0", id);
    lab_await_progress(lab, id);
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    lab_expect(lab, id, "cancelled");
    lab_teardown(lab);
}

TEST(the_new_worker_obeys_cancel_and_time_limit)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char first[LAB_RUN_ID_SIZE], id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "finish", "fake-0", first);
    lab_submit(lab, "conflict-unless-first-slow", "fake-0", id);
    lab_await_progress(lab, id);
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    json_t *run = lab_await(lab, id, "cancelled");
    assert_true(json_is_null(json_object_get(run, "error")));
    json_decref(run);

    assert_int_equal(lab_submit_text(lab,
                                     "{\"experiment\":\"probe\",\"time_limit_s\":0.75,"
                                     "\"parameters\":{\"behaviour\":\"conflict-unless-first-slow\"}}",
                                     NULL, id, &errors),
                     LAB_SUBMIT_OK);
    lab_expect_problem(lab, id, "/problems/time-limit", "its time limit of 0.75 s");
    lab_teardown(lab);
}

TEST(protocol_violations_fail_the_run)
{
    static const struct {
        const char *behaviour, *words;
    } cases[] = {{"garbage", "not an event"},
                 {"too-deep", "nested more than 32 levels deep"},
                 {"bad-measurement", "without axes, metric or unit"},
                 {"impossible-measurement",
                  "because it sent a measurement that is not possible: 'median' is 2; it must not "
                  "be less than 'q1', 3."},
                 {"kernel-without-name", "'kernel/name': 'name' is missing; it must be a string"},
                 {"kernel-with-text", "'kernel/registers': 'registers' must be an integer"},
                 {"bad-status", "invalid status"}};
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char id[LAB_RUN_ID_SIZE];
        lab_submit(lab, cases[i].behaviour, "fake-0", id);
        lab_expect_problem(lab, id, "/problems/worker-protocol", cases[i].words);
    }
    lab_teardown(lab);
}

TEST(a_time_limit_fails_the_run)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    assert_int_equal(
        lab_submit_text(lab, "{\"experiment\":\"probe\",\"time_limit_s\":0.2,\"parameters\":{\"behaviour\":\"slow\"}}",
                        NULL, id, &errors),
        LAB_SUBMIT_OK);
    lab_expect_problem(lab, id, "/problems/time-limit", "0.2 s");
    lab_teardown(lab);
}

TEST(progress_is_published_ten_times_a_second)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    assert_int_equal(
        lab_submit_text(lab, "{\"experiment\":\"probe\",\"time_limit_s\":0.5,\"parameters\":{\"behaviour\":\"flood\"}}",
                        NULL, id, &errors),
        LAB_SUBMIT_OK);
    lab_expect_problem(lab, id, "/problems/time-limit", "");
    json_t *run = lab_read(lab, id);
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")), 0);
    json_decref(run);
    int published = lab_count_events(lab, "event: run.progress");
    assert_true(published >= 2 &&
                published <= 40); /* 5 in half a second, more if a slow machine takes longer to stop */
    lab_teardown(lab);
}

TEST(a_stuck_worker_makes_only_its_device_unavailable)
{
    char release[] = "/tmp/fake-worker-release-XXXXXX";
    close(mkstemp(release));
    unlink(release);
    setenv("FAKE_WORKER_RELEASE", release, 1);
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE], queued[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE], device[16], reason[256];
    struct lab_errors errors = {0};
    assert_int_equal(lab_submit_text(lab,
                                     "{\"experiment\":\"probe\",\"devices\":[\"fake-0\"],\"time_limit_s\":0.2,"
                                     "\"parameters\":{\"behaviour\":\"stuck\"}}",
                                     NULL, id, &errors),
                     LAB_SUBMIT_OK);
    lab_submit(lab, "finish", "fake-0", queued);
    lab_submit(lab, "finish", "fake-1", other);
    json_t *run = lab_await(lab, id, "failed");
    const json_t *error = json_object_get(run, "error");
    bool forbidden = strstr(text_at(error, "log"), "cannot be traced") != NULL;
    if (!forbidden) {
        assert_string_equal(text_at(error, "type"), "/problems/worker-stuck");
        lab_expect_problem(lab, queued, "/problems/device-unavailable", "fake-0");
        lab_expect(lab, other, "succeeded");
        lab_device_state(lab, 0, device, reason);
        assert_string_equal(device, "unavailable");
        assert_non_null(strstr(reason, "did not end after SIGKILL"));
        lab_device_state(lab, 1, device, reason);
        assert_string_equal(device, "available");

        /* When the stuck worker ends, its device becomes available again. */
        close(open(release, O_CREAT | O_WRONLY, 0600));
        for (int i = 0; i < 1000; i++) {
            lab_device_state(lab, 0, device, reason);
            if (strcmp(device, "available") == 0)
                break;
            usleep(10000);
        }
        assert_string_equal(device, "available");
        lab_submit(lab, "finish", "fake-0", queued);
        lab_expect(lab, queued, "succeeded");
    }
    json_decref(run);
    lab_teardown(lab);
    unlink(release);
    if (forbidden)
        skip();
}

TEST(an_idle_worker_ends)
{
    struct lab *lab = lab_setup(1);
    char id[LAB_RUN_ID_SIZE], device[16], reason[256];
    lab_submit(lab, "finish", "fake-0", id);
    lab_expect(lab, id, "succeeded");
    await_no_worker();
    lab_device_state(lab, 0, device, reason);
    assert_string_equal(device, "available"); /* a device is known without a worker */
    lab_submit(lab, "finish", "fake-0", id);
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}

/* Ends the present worker. */
static void lose_worker(struct lab *lab)
{
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "lost", "fake-0", id);
    lab_expect(lab, id, "failed");
}

/* Executes a run on the device. Its worker must have opened the devices `only`, and the run must know of the device
 * what a worker with both devices would. */
static void expect_opened(struct lab *lab, const char *device, const char *only)
{
    char id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "finish", device, id);
    json_t *run = lab_await(lab, id, "succeeded"), *environment = json_object_get(run, "environment"), *item;
    json_t *listed = lab_jobs_devices(lab->jobs), *devices = json_object_get(listed, "devices");
    size_t index;
    assert_string_equal(text_at(environment, "only"), only);
    assert_int_equal(json_array_size(devices), 2);
    json_array_extend(devices, json_object_get(environment, "devices"));
    json_array_foreach(devices, index, item)
    {
        bool first = strcmp(text_at(item, "id"), "fake-0") == 0;
        const json_t *peers = json_object_get(item, "peers");
        assert_int_equal(json_integer_value(json_object_get(item, "ordinal")), first ? 0 : 1);
        assert_int_equal(json_array_size(peers), 1);
        assert_string_equal(text_at(json_array_get(peers, 0), "id"), first ? "fake-1" : "fake-0");
    }
    json_decref(listed);
    json_decref(run);
}

TEST(a_worker_opens_the_devices_of_its_run)
{
    struct lab *lab = lab_setup(60);
    expect_opened(lab, "fake-1", ""); /* this worker was started to list the devices */
    lose_worker(lab);
    expect_opened(lab, "fake-1", "fake-1,");
    expect_opened(lab, "fake-1", "fake-1,");
    expect_opened(lab, "fake-0", ""); /* replaced by one that opens both */
    expect_opened(lab, "fake-1", "");
    lab_teardown(lab);
}

TEST(a_worker_that_does_not_find_the_device_of_its_run_is_replaced_by_one_that_opens_all)
{
    setenv("FAKE_WORKER_MISSING", "fake-1", 1);
    struct lab *lab = lab_setup(60);
    lose_worker(lab);
    expect_opened(lab, "fake-1", "");
    lab_teardown(lab);
    unsetenv("FAKE_WORKER_MISSING");
}

TEST(a_device_is_busy_during_a_run)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE], device[16], reason[256];
    lab_submit(lab, "slow", "fake-1", id);
    lab_await_progress(lab, id);
    lab_device_state(lab, 0, device, reason);
    assert_string_equal(device, "available");
    lab_device_state(lab, 1, device, reason);
    assert_string_equal(device, "busy");
    lab_teardown(lab);
}
