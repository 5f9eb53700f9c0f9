/* server/jobs/submission.c: all errors of a request are reported together, and a valid request is stored once. */
#include "jobs_harness.h"

/* A request and its errors, as "code pointer", in order. */
struct bad_request {
    const char *request;
    const char *errors[6];
};

static const struct bad_request bad_requests[] = {
    {"[]", {"wrong-type "}},
    {"{}", {"missing /experiment"}},
    {"{\"experiment\":5}", {"wrong-type /experiment"}},
    {"{\"experiment\":\"probes\"}", {"unknown-experiment /experiment"}},
    {"{\"experiment\":\"probe\",\"device\":1,\"a/b~c\":2}", {"unknown-field /device", "unknown-field /a~1b~0c"}},
    {"{\"experiment\":\"probe\",\"devices\":\"fake-0\"}", {"wrong-type /devices"}},
    {"{\"experiment\":\"probe\",\"devices\":null}", {"wrong-type /devices"}},
    {"{\"experiment\":\"probe\",\"devices\":[]}", {"device-count /devices"}},
    {"{\"experiment\":\"probe\",\"devices\":[\"fake-0\",\"fake-1\"]}", {"device-count /devices"}},
    {"{\"experiment\":\"probe\",\"devices\":[7]}", {"wrong-type /devices/0"}},
    {"{\"experiment\":\"probe\",\"devices\":[\"fake-2\"]}", {"unknown-device /devices/0"}},
    {"{\"experiment\":\"pair\",\"devices\":[\"fake-0\",\"fake-0\"]}", {"duplicate /devices/1"}},
    {"{\"experiment\":\"pair\",\"devices\":[\"fake-0\"]}", {"device-count /devices"}},
    {"{\"experiment\":\"probe\",\"parameters\":[]}", {"wrong-type /parameters"}},
    {"{\"experiment\":\"probe\",\"parameters\":{\"points\":13}}", {"refused /parameters/points"}},
    {"{\"experiment\":\"probe\",\"parameters\":{\"points\":10001}}", {"too-many-points /parameters"}},
    {"{\"experiment\":\"probe\",\"tags\":\"x\"}", {"wrong-type /tags"}},
    {"{\"experiment\":\"probe\",\"tags\":[\"a\",\"\",3,\"a\"]}",
     {"out-of-bounds /tags/1", "wrong-type /tags/2", "duplicate /tags/3"}},
    {"{\"experiment\":\"probe\",\"note\":[]}", {"wrong-type /note"}},
    {"{\"experiment\":\"probe\",\"time_limit_s\":0}", {"out-of-bounds /time_limit_s"}},
    {"{\"experiment\":\"probe\",\"time_limit_s\":86401}", {"out-of-bounds /time_limit_s"}},
    {"{\"experiment\":\"probe\",\"time_limit_s\":\"1\"}", {"wrong-type /time_limit_s"}},
    {"{\"experiment\":\"probe\",\"devices\":[\"x\"],\"parameters\":5,\"tags\":1,\"note\":2,\"time_limit_s\":-1}",
     {"unknown-device /devices/0", "wrong-type /parameters", "wrong-type /tags", "wrong-type /note",
      "out-of-bounds /time_limit_s"}},
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

static void all_errors_are_reported_together(void **state)
{
    (void)state;
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
                snprintf(found, sizeof found, "%s %s", errors.items[wanted].code, errors.items[wanted].pointer);
            if (strcmp(found, bad->errors[wanted]) != 0)
                fail_msg("%s: found '%s', not '%s'", bad->request, found, bad->errors[wanted]);
        }
        if (errors.count != wanted)
            fail_msg("%s: found also %s %s", bad->request, errors.items[wanted].code, errors.items[wanted].pointer);
    }
    assert_int_equal(stored_runs(lab), 0); /* nothing was stored */
    lab_teardown(lab);
}

static void lengths_are_counted_in_characters(void **state)
{
    (void)state;
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE], tag[65 * 2 + 1] = "", *note = calloc(1, 4097 * 2 + 1);
    for (int i = 0; i < 64; i++)
        strcat(tag, "é");
    for (int i = 0; i < 4096; i++)
        memcpy(note + 2 * i, "é", 2);
    json_t *request = json_pack("{s:s, s:[s], s:s}", "experiment", "probe", "tags", tag, "note", note);
    assert_int_equal(lab_jobs_submit(lab->jobs, request, NULL, id, &errors), LAB_SUBMIT_OK);
    json_t *run = lab_await(lab, id, "succeeded");
    assert_string_equal(text_at(run, "note"), note);
    assert_string_equal(json_string_value(json_array_get(json_object_get(run, "tags"), 0)), tag);
    json_decref(run);
    json_decref(request);

    strcat(tag, "é");
    memcpy(note + 2 * 4096, "é", 2);
    request = json_pack("{s:s, s:[s], s:s}", "experiment", "probe", "tags", tag, "note", note);
    assert_int_equal(lab_jobs_submit(lab->jobs, request, NULL, id, &errors), LAB_SUBMIT_INVALID);
    assert_int_equal(errors.count, 2);
    json_decref(request);
    free(note);

    errors = (struct lab_errors){0};
    json_t *tags = json_array();
    for (int i = 0; i < 33; i++) {
        snprintf(tag, sizeof tag, "tag %d", i);
        json_array_append_new(tags, json_string(tag));
    }
    request = json_pack("{s:s, s:o}", "experiment", "probe", "tags", tags);
    assert_int_equal(lab_jobs_submit(lab->jobs, request, NULL, id, &errors), LAB_SUBMIT_INVALID);
    assert_string_equal(errors.items[0].pointer, "/tags");
    json_decref(request);
    lab_teardown(lab);
}

static void devices_default_to_as_many_as_the_experiment_takes(void **state)
{
    static const struct {
        const char *request;
        size_t count;
    } cases[] = {
        {"{\"experiment\":\"probe\"}", 1}, {"{\"experiment\":\"pair\"}", 2}, {"{\"experiment\":\"group\"}", 2}};
    (void)state;
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lab_errors errors = {0};
        char id[LAB_RUN_ID_SIZE];
        assert_int_equal(lab_submit_text(lab, cases[i].request, NULL, id, &errors), LAB_SUBMIT_OK);
        json_t *run = lab_await(lab, id, "succeeded");
        const json_t *devices = json_object_get(run, "devices");
        assert_int_equal(json_array_size(devices), cases[i].count);
        assert_string_equal(json_string_value(json_array_get(devices, 0)), "fake-0");
        json_decref(run);
    }
    lab_teardown(lab);
}

static void a_key_makes_one_run(void **state)
{
    (void)state;
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_errors_are_reported_together),
    cmocka_unit_test(lengths_are_counted_in_characters),
    cmocka_unit_test(devices_default_to_as_many_as_the_experiment_takes),
    cmocka_unit_test(a_key_makes_one_run),
};

JOBS_TEST_MAIN(tests)
