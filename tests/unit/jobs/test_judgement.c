/* server/jobs/judgement.c: a run of an own kernel is measured by one worker and judged by another, neither of which
 * gets what the other has; and what is left of a run that has no verdict. */
#include "support/jobs_harness.h"
#include "support/test.h"

/* Each source is compiled to itself and selects what the worker does that gets it. */
#define KERNEL(submission, judge, rest)                                                                                \
    "{\"experiment\":\"kernel\",\"devices\":[\"fake-1\"]," rest "\"kernel\":{\"source\":\"" submission                 \
    "\",\"entry\":\"add\",\"block\":64,\"arguments\":[{\"name\":\"y\",\"kind\":\"buffer\",\"type\":\"fp32\","          \
    "\"count\":64,\"direction\":\"out\"}],\"options\":{\"fast_math\":true},"                                           \
    "\"reference\":{\"source\":\"" judge "\",\"entry\":\"sub\",\"grid\":1,\"block\":64,\"tolerance\":0.5}}}"

static void submit(struct lab *lab, const char *text, char id[LAB_RUN_ID_SIZE])
{
    struct lab_errors errors = {0};
    if (lab_submit_text(lab, text, NULL, id, &errors) != LAB_SUBMIT_OK)
        fail_msg("%s: %s", text, errors.items[0].detail);
}

/* The only text of a list of the run. */
static const char *only(const json_t *run, const char *list)
{
    assert_int_equal(json_array_size(json_object_get(run, list)), 1);
    return json_string_value(json_array_get(json_object_get(run, list), 0));
}

TEST(the_worker_of_the_kernel_gets_nothing_that_is_expected)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit(lab, KERNEL("submission", "judge-right", ""), id);
    json_t *run = lab_await(lab, id, "succeeded");
    assert_string_equal(
        only(run, "notes"),
        "{\"arguments\":[{\"count\":64,\"direction\":\"out\",\"kind\":\"buffer\",\"name\":\"y\",\"type\":\"fp32\"}],"
        "\"block\":64,\"entry\":\"add\",\"expressions\":2,\"options\":{\"fast_math\":true},\"secret\":true,"
        "\"variants\":[{\"entry\":\"_Z3addPf\",\"image\":\"submission\",\"macros\":{}}]}");
    assert_int_equal(lab_count_events(lab, "\"verified\":true"), 1);
    json_decref(run);
    lab_teardown(lab);
}

TEST(messages_about_the_reference_are_not_told)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit(lab, KERNEL("submission", "bad reference", ""), id);
    lab_expect_problem(lab, id, "/problems/compile-failed",
                       "The compiler rejects the reference with the options of this kernel.");
    json_t *run = lab_read(lab, id);
    assert_int_equal(json_array_size(json_object_get(json_object_get(run, "error"), "messages")), 1);
    json_decref(run);
    lab_teardown(lab);
}

/* The worker that is kept between runs is replaced if it has executed one; the one that judged is not kept. */
TEST(each_kernel_is_measured_by_a_process_of_its_own)
{
    struct lab *lab = lab_setup(60);
    const struct lab_jobs_counters *counters = lab_jobs_counters(lab->jobs);
    static const uint64_t starts[] = {2, 4, 5, 7};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        char id[LAB_RUN_ID_SIZE];
        if (i == 2)
            lab_submit(lab, "finish", "fake-1", id);
        else
            submit(lab, KERNEL("submission", "judge-right", ""), id);
        lab_expect(lab, id, "succeeded");
        assert_int_equal(atomic_load(&counters->workers.starts), starts[i]);
    }
    lab_teardown(lab);
}

TEST(the_worker_that_judges_gets_the_reference_alone)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit(lab, KERNEL("submission", "judge-wrong", ""), id);
    lab_expect_problem(lab, id, "/problems/wrong-result", "differ from the expected values");
    json_t *run = lab_read(lab, id), *got = json_loads(only(run, "warnings"), 0, NULL);
    json_t *variants =
        json_pack("[{s:{}, s:{s:s, s:s}}]", "macros", "reference", "entry", "_Z3subPf", "image", "judge-wrong");
    assert_true(json_equal(json_object_get(got, "variants"), variants));
    assert_int_equal(lab_count_events(lab, "\"verified\":false"), 1);
    assert_int_equal(lab_count_events(lab, "\"wrong\":7"), 1);
    json_decref(variants);
    json_decref(got);
    json_decref(run);
    lab_teardown(lab);
}

/* Submits a wrong kernel to a challenge, and returns the run. */
static json_t *submit_wrong(struct lab *lab, const char *challenge, const char *shows)
{
    const struct lab_challenge_row row = {.name = challenge,
                                          .title = "x",
                                          .text = "x",
                                          .kernel = "{}",
                                          .start = "x",
                                          .score = "time",
                                          .shows = shows,
                                          .opens_at = LAB_NO_TIME,
                                          .closes_at = INT64_MAX};
    const struct lab_submit_options options = {.challenge = challenge};
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    json_t *request = json_loads(KERNEL("submission", "judge-wrong", ""), 0, NULL);
    assert_int_equal(lab_store_add_challenge(lab->store, &row), LAB_STORE_OK);
    assert_int_equal(lab_jobs_submit(lab->jobs, request, &options, id, &errors), LAB_SUBMIT_OK);
    json_decref(request);
    lab_expect_problem(lab, id, "/problems/wrong-result", "differ from the expected values");
    return lab_read(lab, id);
}

TEST(a_submission_is_judged_and_tells_what_its_challenge_shows)
{
    struct lab *lab = lab_setup(60);
    json_t *silent = submit_wrong(lab, "silent", "{}"), *telling = submit_wrong(lab, "telling", "{\"wrong\":true}");
    assert_int_equal(json_array_size(json_object_get(silent, "warnings")), 0);
    assert_non_null(only(telling, "warnings"));
    assert_string_equal(text_at(silent, "challenge"), "silent");
    assert_null(json_object_get(json_object_get(json_object_get(silent, "kernel"), "reference"), "source"));
    assert_int_equal(lab_count_events(lab, "\"verified\":false"), 2);
    json_decref(silent);
    json_decref(telling);
    lab_teardown(lab);
}

TEST(a_kernel_without_a_verdict_is_not_verified)
{
    static const struct {
        const char *request, *problem, *words;
        int measurements;
    } examples[] = {
        {KERNEL("crash", "judge-right", ""), "/problems/worker-died", "SIGSEGV", 1},
        {KERNEL("exit", "judge-right", ""), "/problems/worker-died", "7", 0},
        {KERNEL("deaf", "judge-right", "\"time_limit_s\":1,"), "/problems/time-limit", "its time limit of 1 s", 0},
        {KERNEL("submission", "crash", ""), "/problems/worker-died", "The outputs could not be judged: ", 1},
        {KERNEL("submission", "lost", ""), "/problems/failed", "could not be judged: 7 elements differed.", 1},
        {KERNEL("submission", "empty", ""), "/problems/failed", "The outputs of a point were not judged.", 1},
    };
    struct lab *lab = lab_setup(60);
    for (size_t i = 0, measured = 0; i < sizeof examples / sizeof *examples; i++) {
        char id[LAB_RUN_ID_SIZE];
        submit(lab, examples[i].request, id);
        lab_expect_problem(lab, id, examples[i].problem, examples[i].words);
        measured += (size_t)examples[i].measurements;
        assert_int_equal(lab_count_events(lab, "event: measurement"), measured);
    }
    assert_int_equal(lab_count_events(lab, "\"verified\":false"), 0);
    lab_teardown(lab);
}

TEST(a_run_that_is_cancelled_while_it_is_judged_is_cancelled)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit(lab, KERNEL("submission", "slow", ""), id);
    struct lab_live_state live = {0};
    for (int i = 0; i < 30000 && strcmp(live.label, "judging the outputs") != 0; i++) {
        lab_jobs_live_state(lab->jobs, id, &live);
        usleep(2000);
    }
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    lab_expect(lab, id, "cancelled");
    lab_submit(lab, "finish", "fake-1", id);
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}
