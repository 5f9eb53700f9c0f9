/* server/jobs/run_attempt.c: the attempt that traces a run, and that it never changes how the run ends. */
#include "support/jobs_harness.h"
#include "support/test.h"

/* Submits the experiment "timeline" on fake-0; `limit` in seconds, 0 for none. */
static void submit_traced(struct lab *lab, const char *behaviour, const char *tracing, double limit,
                          char id[LAB_RUN_ID_SIZE])
{
    struct lab_errors errors = {0};
    json_t *request = json_pack("{s:s, s:[s], s:{s:s, s:s}}", "experiment", "timeline", "devices", "fake-0",
                                "parameters", "behaviour", behaviour, "tracing", tracing);
    if (limit > 0)
        json_object_set_new(request, "time_limit_s", json_real(limit));
    if (lab_jobs_submit(lab->jobs, request, &(struct lab_submit_options){0}, id, &errors) != LAB_SUBMIT_OK)
        fail_msg("%s: %s", tracing, errors.count > 0 ? errors.items[0].detail : "not accepted");
    json_decref(request);
}

static void add_span(void *context, const struct lab_span_row *row)
{
    json_array_append_new(context, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "lane", row->lane, "kind", row->kind,
                                             "label", row->label, "axes", row->axes, "start_ns",
                                             (json_int_t)row->start_ns, "end_ns", (json_int_t)row->end_ns));
}

/* The spans of a run; a new reference. */
static json_t *spans_of(struct lab *lab, const char *id)
{
    json_t *spans = json_array();
    assert_int_equal(lab_store_list_spans(lab->store, id, 0, SIZE_MAX, add_span, spans), LAB_STORE_OK);
    return spans;
}

/* The number of the run's warnings that contain `words`. */
static int warnings_with(const json_t *run, const char *words)
{
    int count = 0;
    size_t index;
    json_t *warning;
    json_array_foreach(json_object_get(run, "warnings"), index, warning)
    {
        count += strstr(json_string_value(warning), words) != NULL;
    }
    return count;
}

/* Waits until the run has succeeded, and checks that a warning says why it has no timeline. */
static void expect_no_timeline(struct lab *lab, const char *id, const char *words)
{
    json_t *run = lab_await(lab, id, "succeeded");
    assert_true(json_is_null(json_object_get(run, "error")));
    if (warnings_with(run, "no timeline: ") != 1 || warnings_with(run, words) != 1) {
        char *text = json_dumps(json_object_get(run, "warnings"), 0);
        fail_msg("no warning 'no timeline: ...%s...' in %s", words, text);
    }
    json_decref(run);
}

/* Waits until the run is being traced. */
static void await_tracing(struct lab *lab, const char *id)
{
    struct lab_live_state live = {0};
    for (int i = 0; i < 12000 && strcmp(live.label, "tracing") != 0; i++) {
        lab_jobs_live_state(lab->jobs, id, &live);
        usleep(5000);
    }
    assert_string_equal(live.label, "tracing");
}

TEST(a_new_worker_traces_a_run_that_succeeded)
{
    struct lab *lab = lab_setup(60);
    char before[LAB_RUN_ID_SIZE], id[LAB_RUN_ID_SIZE];
    lab_submit(lab, "wrong", "fake-0", before); /* so that the warm worker has executed a run */
    submit_traced(lab, "wrong", "trace", 0, id);
    lab_expect(lab, id, "failed");
    json_t *spans = spans_of(lab, id);
    assert_int_equal(json_array_size(spans), 0); /* a run that failed is not traced */
    json_decref(spans);

    submit_traced(lab, "silent", "trace", 0, id);
    json_t *run = lab_await(lab, id, "succeeded");
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")),
                     1); /* a measurement that was sent while tracing is not stored */
    assert_int_equal(warnings_with(run, "timeline"), 0);
    assert_int_equal(warnings_with(run, "The spans are coarse."), 1);
    json_decref(run);

    spans = spans_of(lab, id);
    assert_int_equal(json_array_size(spans), 3);
    const json_t *first = json_array_get(spans, 0), *last = json_array_get(spans, 2);
    assert_string_equal(text_at(first, "label"), "runs 0");
    assert_string_equal(text_at(first, "kind"), "copy-up");
    assert_string_equal(text_at(last, "lane"), "stream 2");
    assert_string_equal(text_at(last, "axes"), "{\"variant\":\"depth-first\"}");
    assert_int_equal(json_integer_value(json_object_get(last, "start_ns")), 100);
    assert_int_equal(json_integer_value(json_object_get(last, "end_ns")), 350);
    json_decref(spans);
    lab_teardown(lab);
}

TEST(both_attempts_make_one_run)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit_traced(lab, "finish", "trace", 0, id);
    json_t *run = lab_await(lab, id, "succeeded");
    assert_int_equal(json_integer_value(json_object_get(run, "measurement_count")), 3);
    assert_int_equal(json_integer_value(json_object_get(run, "wrong_count")), 0);
    assert_int_equal(warnings_with(run, "It was warm."), 1); /* both attempts sent it */
    assert_int_equal(json_array_size(json_object_get(run, "warnings")), 2);
    assert_int_equal(json_array_size(json_object_get(run, "notes")), 1); /* both attempts sent it */
    const json_t *libraries = json_object_get(json_object_get(run, "environment"), "libraries");
    assert_int_equal(json_object_size(libraries), 3);
    assert_string_equal(text_at(libraries, "blas"), "1.2");
    assert_string_equal(text_at(libraries, "tracer"), "3");
    assert_true(json_is_null(json_object_get(libraries, "compiler")));
    json_decref(run);
    for (int i = 0; i < 6000 && lab_count_events(lab, "\"status\":\"succeeded\"") == 0; i++)
        usleep(10000);
    assert_int_equal(lab_count_events(lab, "event: run.updated"), 3);
    assert_int_equal(lab_count_events(lab, "event: measurement"), 3);
    assert_int_equal(lab_count_events(lab, "\"done\":0,\"total\":0,\"label\":\"tracing\""), 1);
    lab_teardown(lab);
}

TEST(the_trace_gets_what_the_measurement_calibrated)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit_traced(lab, "calibrate", "trace-calibrated", 0, id);
    lab_expect(lab, id, "succeeded");
    json_t *spans = spans_of(lab, id);
    assert_string_equal(text_at(json_array_get(spans, 0), "label"), "weight 23");
    json_decref(spans);
    lab_teardown(lab);
}

TEST(a_failed_trace_leaves_the_run_succeeded)
{
    static const struct {
        const char *tracing, *words;
    } cases[] = {
        {"wrong", "7 elements differed."},
        {"exit", "exited with code 7"},
        {"crash", "SIGSEGV (Segmentation fault). Its last line of output: about to crash"},
        {"garbage", "not an event"},
        {"bad-span", "was killed because it sent a span that is not possible: '"},
        {"silent", "Tracing reported no spans."},
    };
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char id[LAB_RUN_ID_SIZE];
        submit_traced(lab, "finish", cases[i].tracing, 0, id);
        expect_no_timeline(lab, id, cases[i].words);
    }
    lab_teardown(lab);
}

TEST(an_incomplete_timeline_has_a_warning)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit_traced(lab, "silent", "trace-half", 0, id);
    json_t *run = lab_await(lab, id, "succeeded"), *spans = spans_of(lab, id);
    assert_int_equal(json_array_size(spans), 1);
    assert_int_equal(warnings_with(run, "no timeline"), 0);
    assert_int_equal(warnings_with(run, "the timeline is incomplete: "), 1);
    json_decref(spans);
    json_decref(run);
    lab_teardown(lab);
}

TEST(a_cancel_stops_tracing)
{
    static const char *const tracings[] = {"slow", "deaf"}; /* one that stops when asked, one that must be killed */
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof tracings / sizeof tracings[0]; i++) {
        char id[LAB_RUN_ID_SIZE], device[16], reason[256];
        submit_traced(lab, "silent", tracings[i], 0, id);
        await_tracing(lab, id);
        lab_device_state(lab, 0, device, reason);
        assert_string_equal(device, "busy");
        assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
        expect_no_timeline(lab, id, "The run was cancelled while it was being traced.");
        assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_FINISHED);
    }
    lab_teardown(lab);
}

TEST(the_time_limit_is_for_both_attempts_together)
{
    static const char *const tracings[] = {"slow", "deaf"};
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof tracings / sizeof tracings[0]; i++) {
        char id[LAB_RUN_ID_SIZE];
        submit_traced(lab, "finish", tracings[i], 1, id);
        expect_no_timeline(lab, id, "The run reached its time limit of 1 s while it was being traced.");
    }
    lab_teardown(lab);
}

TEST(a_stop_while_tracing_keeps_the_measurements)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit_traced(lab, "finish", "deaf", 0, id);
    await_tracing(lab, id);
    lab_stop(lab);
    lab_begin(lab, 60);
    expect_no_timeline(lab, id, "The lab was stopped while the run was being traced.");
    lab_teardown(lab);
}

TEST(the_queue_continues_after_a_failed_trace)
{
    struct lab *lab = lab_setup(60);
    char traced[LAB_RUN_ID_SIZE], plain[LAB_RUN_ID_SIZE];
    submit_traced(lab, "finish", "crash", 0, traced);
    lab_submit(lab, "finish", "fake-0", plain);
    lab_expect(lab, plain, "succeeded");
    lab_expect(lab, traced, "succeeded");
    json_t *run = lab_read(lab, plain);
    assert_int_equal(json_array_size(json_object_get(run, "warnings")), 1); /* its own, none of the run before */
    json_decref(run);
    lab_teardown(lab);
}
