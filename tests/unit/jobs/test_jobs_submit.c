/* server/jobs/submission.c: all errors of a request are reported together, and a valid request is stored once. */
#include "support/jobs_harness.h"
#include "support/test.h"

/* A request and its errors, as "code pointer", in order. */
struct bad_request {
    const char *request;
    const char *errors[6];
};

static const struct bad_request bad_requests[] = {
    {"{\"experiment\":\"probes\"}", {"unknown-experiment /experiment"}},
    {"{\"experiment\":\"probe\",\"devices\":[]}", {"device-count /devices"}},
    {"{\"experiment\":\"probe\",\"devices\":[\"fake-0\",\"fake-1\"]}", {"device-count /devices"}},
    {"{\"experiment\":\"probe\",\"devices\":[\"fake-2\"]}", {"unknown-device /devices/0"}},
    {"{\"experiment\":\"pair\",\"devices\":[\"fake-0\"]}", {"device-count /devices"}},
    {"{\"experiment\":\"probe\",\"parameters\":{\"points\":13}}", {"refused /parameters/points"}},
    {"{\"experiment\":\"probe\",\"parameters\":{\"points\":10001}}", {"too-many-points /parameters"}},
    {"{\"experiment\":\"probe\",\"preset\":\"refused\"}", {"refused /parameters/points"}},
    {"{\"experiment\":\"probe\",\"preset\":\"brie\",\"devices\":[\"x\"]}",
     {"unknown-preset /preset", "unknown-device /devices/0"}},
    {"{\"experiment\":\"probe\",\"preset\":\"brief\",\"parameters\":{\"points\":13}}", {"refused /parameters/points"}},
    {"{\"experiment\":\"probe\",\"preset\":5,\"parameters\":{\"points\":13}}", {"refused /parameters/points"}},
    {"{\"experiment\":\"probe\",\"devices\":[\"x\"],\"parameters\":{\"points\":\"many\"}}",
     {"unknown-device /devices/0", "wrong-type /parameters/points"}},
    /* The table of fields has errors for values of a wrong type; what else is wrong is added. */
    {"{}", {NULL}},
    {"{\"experiment\":5,\"devices\":[\"x\"]}", {"unknown-device /devices/0"}},
    {"{\"experiment\":\"probe\",\"devices\":5,\"parameters\":[]}", {NULL}},
    {"{\"experiment\":\"probe\",\"devices\":[5],\"parameters\":{\"colour\":1}}",
     {"unknown-parameter /parameters/colour"}},
};

static void count_run(void *context, const struct lab_run_row *row)
{
    (void)row;
    ++*(int *)context;
}

static int stored_runs(struct lab *lab)
{
    const struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = 500};
    int count = 0;
    bool more;
    assert_int_equal(lab_store_list_runs(lab->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    return count;
}

TEST(all_errors_are_reported_together)
{
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof bad_requests / sizeof bad_requests[0]; i++) {
        const struct bad_request *bad = &bad_requests[i];
        struct lab_errors errors = {0};
        char id[LAB_RUN_ID_SIZE];
        assert_int_equal(lab_submit_text(lab, bad->request, NULL, id, &errors), LAB_SUBMIT_INVALID);
        size_t wanted = 0;
        for (; bad->errors[wanted] != NULL; wanted++) {
            char found[256] = "no error";
            if (wanted < errors.count)
                snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[wanted].code),
                         errors.items[wanted].pointer);
            if (strcmp(found, bad->errors[wanted]) != 0)
                fail_msg("%s: found '%s', not '%s'", bad->request, found, bad->errors[wanted]);
        }
        if (errors.count != wanted)
            fail_msg("%s: found also %s %s", bad->request, lab_error_name(errors.items[wanted].code),
                     errors.items[wanted].pointer);
    }
    assert_int_equal(stored_runs(lab), 0); /* nothing was stored */
    lab_teardown(lab);
}

TEST(devices_default_to_as_many_as_the_experiment_takes)
{
    static const struct {
        const char *request;
        size_t count;
    } cases[] = {
        {"{\"experiment\":\"probe\"}", 1}, {"{\"experiment\":\"pair\"}", 2}, {"{\"experiment\":\"group\"}", 2}};
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lab_errors errors = {0};
        char id[LAB_RUN_ID_SIZE];
        assert_int_equal(lab_submit_text(lab, cases[i].request, NULL, id, &errors), LAB_SUBMIT_OK);
        json_t *run = lab_await(lab, id, "succeeded");
        const json_t *devices = json_object_get(run, "devices");
        assert_int_equal(json_array_size(devices), cases[i].count);
        const json_t *device = json_array_get(devices, 0);
        assert_string_equal(text_at(device, "id"), "fake-0");
        assert_string_equal(text_at(device, "name"), "A device");
        assert_string_equal(text_at(device, "node"), "here");
        json_decref(run);
    }
    lab_teardown(lab);
}

TEST(a_key_makes_one_run)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char first[LAB_RUN_ID_SIZE], again[LAB_RUN_ID_SIZE];
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"probe\",\"note\":\"n\"}", "key", first, &errors),
                     LAB_SUBMIT_OK);
    assert_int_equal(lab_submit_text(lab, "{\"note\":\"n\", \"experiment\":\"probe\"}", "key", again, &errors),
                     LAB_SUBMIT_SAME);
    assert_string_equal(again, first);
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"probe\"}", "key", again, &errors), LAB_SUBMIT_KEY_REUSED);
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"probe\"}", "another", again, &errors), LAB_SUBMIT_OK);
    lab_expect(lab, first, "succeeded");
    lab_expect(lab, again, "succeeded");
    assert_int_equal(stored_runs(lab), 2);
    struct lab_queue_state queue;
    lab_jobs_queue(lab->jobs, &queue);
    assert_int_equal(queue.length, 0);
    lab_teardown(lab);
}

/* The run is returned although the queue is full, and although no worker has listed the devices. */
TEST(a_key_is_looked_up_before_anything_else)
{
    static const char request[] = "{\"experiment\":\"probe\"}";
    struct lab *lab = lab_setup(0);
    struct lab_errors errors = {0};
    struct switch_file broken;
    char first[LAB_RUN_ID_SIZE], again[LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    assert_int_equal(lab_submit_text(lab, request, "key", first, &errors), LAB_SUBMIT_OK);
    while (lab_submit_text(lab, request, NULL, again, &errors) == LAB_SUBMIT_OK)
        continue;
    assert_int_equal(lab_submit_text(lab, request, "key", again, &errors), LAB_SUBMIT_SAME);
    assert_string_equal(again, first);
    assert_int_equal(lab_submit_text(lab, "{\"experiment\":\"pair\"}", "key", again, &errors), LAB_SUBMIT_KEY_REUSED);

    lab_stop(lab);
    switch_on(&broken, "FAKE_WORKER_BROKEN");
    lab_begin(lab, 0);
    assert_int_equal(lab_submit_text(lab, request, "key", again, &errors), LAB_SUBMIT_SAME);
    assert_string_equal(again, first);
    assert_int_equal(lab_submit_text(lab, request, "new", again, &errors), LAB_SUBMIT_NOT_READY);
    switch_off(&broken);
    lab_teardown(lab);
}

TEST(every_run_has_a_time_limit)
{
    static const struct {
        const char *request;
        double limit_s;
    } cases[] = {
        {"{\"experiment\":\"probe\",\"parameters\":{\"points\":60}}", 600}, /* a point is planned to take 1 s */
        {"{\"experiment\":\"probe\",\"parameters\":{\"points\":61}}", 610},
        {"{\"experiment\":\"probe\",\"parameters\":{\"points\":61},\"time_limit_s\":7}", 7},
    };
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_errors errors = {0};
        char id[LAB_RUN_ID_SIZE];
        assert_int_equal(lab_submit_text(lab, cases[i].request, NULL, id, &errors), LAB_SUBMIT_OK);
        json_t *run = lab_read(lab, id);
        assert_true(json_number_value(json_object_get(run, "time_limit_s")) == cases[i].limit_s);
        json_decref(run);
    }
    lab_teardown(lab);
}
