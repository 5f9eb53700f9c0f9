/* server/jobs/own_kernel.c, compile_kernels.c: which own kernels are accepted, that they are compiled before a worker
 * gets them, and what each side of a comparison gets. The device fake-0 is none of CUDA. */
#include "jobs/own_kernel.h"
#include "support/jobs_harness.h"
#include "support/test.h"

#define RUN(kernel, rest) "{\"experiment\":\"shown\",\"devices\":[\"fake-1\"],\"kernel\":" kernel rest "}"
#define EDIT(source) "{\"edits\":\"shown/note-kernels\",\"source\":\"" source "\"}"

static const struct bad_request {
    const char *request, *error;
} bad_requests[] = {
    {"{\"experiment\":\"shown\",\"devices\":[\"fake-0\"],\"kernel\":" EDIT("a") "}", "no-cuda-device /kernel"},
    {RUN("{\"edits\":\"shown/finish\",\"source\":\"a\"}", ""), "unknown-source /kernel/edits"},
    {RUN("{\"edits\":\"probe/note-kernels\",\"source\":\"a\"}", ""), "unknown-source /kernel/edits"},
    {"{\"experiment\":\"probe\",\"devices\":[\"fake-1\"],\"kernel\":" EDIT("a") "}", "unknown-source /kernel/edits"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[]}", ""), "out-of-bounds /kernel/block"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[0]}", ""), "out-of-bounds /kernel/block/0"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[64,32]}", ""), "out-of-bounds /kernel/block"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"grid\":[\"x\"]}", ""), "out-of-bounds /kernel/grid/0"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":64}", ""), "out-of-bounds /kernel/block"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[\"1 XK\"]}", ""),
     "out-of-bounds /kernel/block/0"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[\"2^70\"]}", ""),
     "out-of-bounds /kernel/block/0"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[1.5]}", ""), "out-of-bounds /kernel/block/0"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"expressions\":2}", ""),
     "unknown-field /kernel/expressions"},
    {RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"arguments\":[]}", ""),
     "unknown-field /kernel/arguments"},
    {RUN("{\"source\":\"a\"}", ""), "unknown-source /kernel/edits"},
    {RUN(EDIT("a"), ",\"compare_with\":{\"kernel\":{\"edits\":\"shown/none\",\"source\":\"a\"}}"),
     "unknown-source /compare_with/kernel/edits"},
};

TEST(kernels_that_cannot_run_are_refused)
{
    struct lab *lab = lab_setup(60);
    for (size_t i = 0; i < sizeof bad_requests / sizeof *bad_requests; i++) {
        struct lab_errors errors = {0};
        char id[LAB_RUN_ID_SIZE], found[256];
        assert_int_equal(lab_submit_text(lab, bad_requests[i].request, NULL, id, &errors), LAB_SUBMIT_INVALID);
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
        assert_string_equal(found, bad_requests[i].error);
        assert_int_equal(errors.count, 1);
    }
    lab_teardown(lab);
}

static void submit(struct lab *lab, const char *text, char id[LAB_RUN_ID_SIZE])
{
    struct lab_errors errors = {0};
    compiled = 0;
    if (lab_submit_text(lab, text, NULL, id, &errors) != LAB_SUBMIT_OK)
        fail_msg("%s: %s", text, errors.items[0].detail);
}

/* Runs a request and compares what the worker got for both sides; each "none", "null" or the kernel. */
static json_t *expect_kernels(struct lab *lab, const char *request, const char *head, const char *base)
{
    char id[LAB_RUN_ID_SIZE];
    submit(lab, request, id);
    json_t *run = lab_await(lab, id, "succeeded");
    json_t *notes = json_object_get(run, "notes");
    assert_string_equal(json_string_value(json_array_get(notes, 0)), head);
    assert_string_equal(json_string_value(json_array_get(notes, 1)), base);
    return run;
}

#define GOT(image) "{\"edits\":\"shown/note-kernels\",\"image\":\"" image "\"}"

TEST(a_worker_gets_the_compiled_kernel)
{
    struct lab *lab = lab_setup(60);
    json_t *run = expect_kernels(lab, RUN(EDIT("a"), ""), "head " GOT("a"), "base none");
    assert_int_equal(compiled, 1);
    assert_string_equal(text_at(json_object_get(run, "parameters"), "behaviour"), "note-kernels");
    assert_string_equal(text_at(json_object_get(run, "kernel"), "source"), "a");
    assert_string_equal(text_at(run, "output"), "printed 0");
    json_decref(run);
    run = expect_kernels(lab, RUN(EDIT("a"), ""), "head " GOT("a"), "base none");
    assert_string_equal(text_at(run, "output"), "printed 1"); /* by the same worker */
    json_decref(run);
    json_decref(expect_kernels(
        lab, RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[32,2],\"grid\":[5]}", ""),
        "head {\"block\":[32,2],\"edits\":\"shown/note-kernels\",\"grid\":[5],\"image\":\"a\"}", "base none"));
    json_decref(expect_kernels(
        lab, RUN("{\"edits\":\"shown/note-kernels\",\"source\":\"a\",\"block\":[\"2^5\",2.0],\"grid\":[\"1K\"]}", ""),
        "head {\"block\":[32,2],\"edits\":\"shown/note-kernels\",\"grid\":[1024],\"image\":\"a\"}", "base none"));
    lab_teardown(lab);
}

TEST(an_edited_source_is_compared_with_the_original_or_with_another)
{
    struct lab *lab = lab_setup(60);
    json_t *run = expect_kernels(lab, RUN(EDIT("a"), ",\"compare_with\":{}"), "head " GOT("a"), "base null");
    assert_true(json_is_null(json_object_get(json_object_get(run, "compare_with"), "kernel")));
    assert_string_equal(text_at(json_object_get(json_object_get(run, "compare_with"), "parameters"), "behaviour"),
                        "note-kernels");
    json_decref(run);
    json_decref(
        expect_kernels(lab, RUN(EDIT("a"), ",\"compare_with\":{\"kernel\":null}"), "head " GOT("a"), "base null"));
    json_decref(expect_kernels(lab, RUN(EDIT("a"), ",\"compare_with\":{\"kernel\":" EDIT("b") "}"), "head " GOT("a"),
                               "base " GOT("b")));
    assert_int_equal(compiled, 2);
    json_decref(expect_kernels(lab, RUN(EDIT("a"), ",\"compare_with\":{\"kernel\":" EDIT("a") "}"), "head " GOT("a"),
                               "base " GOT("a")));
    assert_int_equal(compiled, 1);
    lab_teardown(lab);
}

TEST(a_rejected_source_ends_the_run_with_its_messages)
{
    struct lab *lab = lab_setup(60);
    char id[LAB_RUN_ID_SIZE];
    submit(lab, RUN(EDIT("bad"), ""), id);
    lab_expect_problem(lab, id, "/problems/compile-failed", "Line 3, column 7: expected a \";\"");
    json_t *run = lab_read(lab, id);
    assert_int_equal(json_array_size(json_object_get(json_object_get(run, "error"), "messages")), 2);
    json_decref(run);
    lab_submit(lab, "finish", "fake-1", id);
    lab_expect(lab, id, "succeeded");
    lab_teardown(lab);
}

/* --- the experiment kernel ---------------------------------------------------------------------------------------- */

#define OWN(source, entry, rest)                                                                                             \
    "{\"experiment\":\"kernel\",\"devices\":[\"fake-1\"],\"kernel\":{\"source\":\"" source "\"," entry                       \
    "\"grid\":\"n\",\"block\":64,\"arguments\":[{\"name\":\"n\",\"kind\":\"scalar\",\"type\":\"i32\",\"value\":[1,2]}]" rest \
    "}"

static void expect_refusal(struct lab *lab, const char *request, const char *error)
{
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE], found[256];
    assert_int_equal(lab_submit_text(lab, request, NULL, id, &errors), LAB_SUBMIT_INVALID);
    snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[0].code), errors.items[0].pointer);
    assert_string_equal(found, error);
}

TEST(the_experiment_kernel_has_the_parameters_of_its_kernel)
{
    struct lab *lab = lab_setup(60);
    expect_refusal(lab, "{\"experiment\":\"kernel\",\"devices\":[\"fake-1\"]}", "missing /kernel");
    expect_refusal(lab, OWN("a", "\"edits\":\"shown/note-kernels\",", "}"), "unknown-field /kernel/edits");
    expect_refusal(lab, OWN("a", "", "},\"parameters\":{\"m\":1}"), "unknown-parameter /parameters/m");
    expect_refusal(lab, OWN("a", "", "},\"parameters\":{\"n\":0}"), "out-of-bounds /kernel/grid");
    expect_refusal(lab, OWN("a", "", "},\"compare_with\":{\"kernel\":null}"), "missing /compare_with/kernel");
    char id[LAB_RUN_ID_SIZE];
    submit(lab, OWN("two", "", "}"), id);
    lab_expect_problem(lab, id, "/problems/kernel-not-found", "its kernels are: add(float*), sub(float*).");
    submit(lab, OWN("two", "\"entry\":\"ad\",", "}"), id);
    lab_expect_problem(lab, id, "/problems/kernel-not-found", "not ad");
    json_t *run = lab_read(lab, id);
    assert_int_equal(json_array_size(json_object_get(json_object_get(run, "parameters"), "n")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(run, "kernel"), "expressions")), 2);
    json_decref(run);
    submit(lab, OWN("two", "\"expressions\":1,", "}"), id);
    run = lab_read(lab, id);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(run, "kernel"), "expressions")), 1);
    json_decref(run);
    lab_teardown(lab);
}

static enum lab_submit_result submit_allowed(struct lab *lab, const char *text)
{
    const struct lab_submit_options options = {.rights = {.programs_allowed = true}};
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    json_t *request = json_loads(text, 0, NULL);
    enum lab_submit_result result = lab_jobs_submit(lab->jobs, request, &options, id, &errors);
    json_decref(request);
    return result;
}

TEST(kernels_with_a_check_count_as_programs_also_after_a_restart)
{
    static const char check[] =
        "{\"experiment\":\"kernel\",\"devices\":[\"fake-1\"],\"kernel\":{\"source\":\"a\",\"block\":1,\"check\":\"void check(float *y) {}\","
        "\"arguments\":[{\"name\":\"y\",\"kind\":\"buffer\",\"type\":\"fp32\",\"count\":1,\"direction\":\"out\"}]}}";
    struct lab *lab = lab_setup(60);
    lab_jobs_pause(lab->jobs, true);
    assert_int_equal(submit_allowed(lab, check), LAB_SUBMIT_OK);
    assert_int_equal(submit_allowed(lab, check), LAB_SUBMIT_OK);
    assert_int_equal(submit_allowed(lab, check), LAB_SUBMIT_PROGRAMS);
    lab_stop(lab);
    lab_begin(lab, 60);
    assert_int_equal(submit_allowed(lab, check), LAB_SUBMIT_PROGRAMS);
    assert_int_equal(submit_allowed(lab, OWN("two", "\"entry\":\"add\",", "}")), LAB_SUBMIT_OK);
    lab_teardown(lab);
}

TEST(an_entry_is_found_by_its_name_in_the_source)
{
    json_t *kernels = json_pack("[{s:s}, {s:s}, {s:s}]", "name", "_Z3addPf", "name", "_Z4add2Pf", "name", "plain");
    json_t *templates = json_pack("[{s:s}, {s:s}]", "name", "_Z3mulILi16EEvPf", "name", "_Z3mulILi32EEvPf");
    json_t *one = json_pack("[{s:s}]", "name", "_Z3addPf");
    assert_string_equal(lab_own_kernel_entry(kernels, "add"), "_Z3addPf");
    assert_string_equal(lab_own_kernel_entry(kernels, "plain"), "plain");
    assert_null(lab_own_kernel_entry(kernels, "ad"));
    assert_null(lab_own_kernel_entry(kernels, NULL));
    assert_null(lab_own_kernel_entry(templates, "mul"));
    assert_string_equal(lab_own_kernel_entry(templates, "_Z3mulILi32EEvPf"), "_Z3mulILi32EEvPf");
    assert_string_equal(lab_own_kernel_entry(one, NULL), "_Z3addPf");
    json_decref(kernels);
    json_decref(templates);
    json_decref(one);
}

TEST(lists_and_events_have_no_sources)
{
    struct lab *lab = lab_setup(60);
    json_decref(expect_kernels(lab, RUN(EDIT("a-long-source"), ",\"compare_with\":{\"kernel\":" EDIT("another") "}"),
                               "head " GOT("a-long-source"), "base " GOT("another")));
    assert_true(lab_count_events(lab, "\"edits\":\"shown/note-kernels\"") > 0);
    assert_int_equal(lab_count_events(lab, "\"source\""), 0);
    lab_teardown(lab);
}
