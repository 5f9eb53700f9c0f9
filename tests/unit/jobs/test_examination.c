/* server/jobs/examination.c and server/workers/worker_examine.c: examining a machine between its runs. */
#include "jobs/jobs_state.h"
#include "support/jobs_harness.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const double long_s = 60;

/* Checks that the machine is examined. */
static void check_examined(struct lab *lab, const char *node)
{
    struct lab_error error = {0};
    json_t *document = lab_jobs_examine(lab->jobs, node, long_s, long_s, &error);
    assert_string_equal(error.detail, "");
    assert_string_equal(text_at(document, "version"), "0");
    json_decref(document);
}

/* Checks that it is not, and why; waits `begin_s` for a run, and `end_s` for the examination. */
static void check_limits(struct lab *lab, const char *node, double begin_s, double end_s, enum lab_error_code code,
                         const char *words)
{
    struct lab_error error = {0};
    assert_null(lab_jobs_examine(lab->jobs, node, begin_s, end_s, &error));
    assert_int_equal(error.code, code);
    if (strstr(error.detail, words) == NULL)
        fail_msg("'%s' does not contain '%s'", error.detail, words);
}

static void check_refused(struct lab *lab, const char *node, double begin_s, enum lab_error_code code,
                          const char *words)
{
    check_limits(lab, node, begin_s, long_s, code, words);
}

/* A call on a thread of its own. */
struct call {
    struct lab *lab;
    const char *node;
    pthread_t thread;
    json_t *document;
    struct lab_error error;
};

static void *call_main(void *context)
{
    struct call *call = context;
    call->document = lab_jobs_examine(call->lab->jobs, call->node, long_s, long_s, &call->error);
    return NULL;
}

static struct lab_examination read_examination(struct lab *lab, size_t node)
{
    pthread_mutex_lock(&lab->jobs->lock);
    struct lab_examination examination = lab->jobs->nodes[node].examination;
    pthread_mutex_unlock(&lab->jobs->lock);
    return examination;
}

/* Waits until that many examinations of the node have begun, and that many calls wait for the next one. */
static void await_examination(struct lab *lab, size_t node, uint64_t begun, size_t waiting)
{
    for (int i = 0; i < 6000; i++) {
        struct lab_examination now = read_examination(lab, node);
        if (now.begun == begun && now.waiting == waiting)
            return;
        usleep(10000);
    }
    fail_msg("not %d examinations and %d waiting calls", (int)begun, (int)waiting);
}

static void call_begin(struct call *call, struct lab *lab, const char *node)
{
    *call = (struct call){.lab = lab, .node = node};
    assert_int_equal(pthread_create(&call->thread, NULL, call_main, call), 0);
}

/* Waits for the end of the call: the machine was examined, or there is that error. */
static void call_end(struct call *call, enum lab_error_code code)
{
    assert_int_equal(pthread_join(call->thread, NULL), 0);
    assert_int_equal(call->error.code, code);
    assert_int_equal(call->document != NULL, code == LAB_ERROR_NONE);
    json_decref(call->document);
}

TEST(a_machine_is_examined_between_runs)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab *lab = lab_setup(60);
    check_examined(lab, NULL);
    lab_submit(lab, "slow", "fake-0", id);
    lab_await_progress(lab, id);
    check_refused(lab, "here", 0.05, LAB_ERROR_RUN_IN_PROGRESS, "here is busy: a run is being measured there");
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    lab_expect(lab, id, "cancelled");
    check_examined(lab, "here");
    check_refused(lab, "nobody", 20, LAB_ERROR_NOT_FOUND, "Node not found");
    lab_teardown(lab);
}

TEST(a_worker_that_cannot_examine_is_quoted)
{
    struct lab *lab = lab_setup(60);
    struct switch_file broken;
    switch_on(&broken, "FAKE_WORKER_BROKEN");
    check_refused(lab, NULL, 20, LAB_ERROR_WORKER_DIED,
                  "examined nothing: gpulab-worker: unrecognized option '--examine'. It must be of the same version");
    switch_off(&broken);
    check_examined(lab, NULL);
    lab_teardown(lab);
}

TEST(one_examination_answers_the_calls_before_it)
{
    char id[LAB_RUN_ID_SIZE];
    struct lab *lab = lab_setup(60);
    for (uint64_t i = 1; i <= 3; i++) {
        check_examined(lab, "here");
        lab_submit(lab, "finish", "fake-0", id);
        lab_expect(lab, id, "succeeded");
        assert_int_equal(read_examination(lab, 0).begun, i);
    }
    lab_teardown(lab);
}

TEST(what_was_waited_for_is_named)
{
    struct lab *lab = lab_setup(60);
    struct switch_file slow;
    switch_on(&slow, "FAKE_EXAMINATION_SLOW");
    check_limits(lab, "here", long_s, 0.05, LAB_ERROR_NOT_EXAMINED, "has begun, but did not end within 0.05 s");
    check_refused(lab, "here", 0.05, LAB_ERROR_NOT_EXAMINED, "an examination that was requested earlier");
    assert_int_equal(read_examination(lab, 0).waiting, 0);
    switch_off(&slow);
    check_examined(lab, "here");
    lab_teardown(lab);
}

/* Lets an examination of the node be in progress, one more wait and `first`, a run, be queued: they take turns. */
static void check_turns(struct lab *lab, size_t node, const char *first)
{
    const char *name = lab->jobs->nodes[node].options.name;
    char id[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE];
    struct lab_errors errors = {0};
    struct switch_file slow;
    struct call calls[2];
    switch_on(&slow, "FAKE_EXAMINATION_SLOW");
    for (size_t i = 0; i < 2; i++) {
        call_begin(&calls[i], lab, name);
        await_examination(lab, node, 1, i);
    }
    check_refused(lab, name, long_s, LAB_ERROR_TOO_BUSY, "at most 2 for a machine and 4 in all");
    assert_int_equal(lab_submit_text(lab, first, NULL, id, &errors), LAB_SUBMIT_OK);
    assert_int_equal(lab_submit_text(lab, first, NULL, second, &errors), LAB_SUBMIT_OK);
    switch_off(&slow);
    lab_await_progress(lab, id);
    call_end(&calls[0], LAB_ERROR_NONE);
    await_examination(lab, node, 1, 1);
    assert_int_equal(lab_jobs_cancel(lab->jobs, id, NULL), LAB_CANCEL_OK);
    call_end(&calls[1], LAB_ERROR_NONE);
    lab_await_progress(lab, second);
    await_examination(lab, node, 2, 0);
}

TEST(runs_and_examinations_take_turns)
{
    struct lab *lab = lab_setup(60);
    check_turns(lab, 0, "{\"experiment\":\"probe\",\"devices\":[\"fake-0\"],\"parameters\":{\"behaviour\":\"slow\"}}");
    lab_teardown(lab);
}

TEST(runs_of_several_nodes_and_examinations_take_turns)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    check_turns(lab, 1,
                "{\"experiment\":\"spanning\",\"devices\":[\"fake-1\",\"there-0\"],"
                "\"parameters\":{\"behaviour\":\"group-slow\"}}");
    lab_teardown(lab);
}

TEST(calls_end_when_the_lab_stops)
{
    struct lab *lab = lab_setup_nodes(2, 60);
    struct switch_file slow;
    struct call calls[2];
    pthread_mutex_lock(&lab->jobs->lock);
    lab->jobs->nodes[0].options.transport = "ssh"; /* as where the lab itself is no node */
    lab->jobs->here = lab->jobs->nodes[0].options.worker;
    pthread_mutex_unlock(&lab->jobs->lock);
    switch_on(&slow, "FAKE_EXAMINATION_SLOW");
    call_begin(&calls[0], lab, "there");
    call_begin(&calls[1], lab, NULL);
    await_examination(lab, 1, 1, 0);
    lab_jobs_end_waits(lab->jobs);
    call_end(&calls[0], LAB_ERROR_STOPPING);
    assert_int_equal(pthread_join(calls[1].thread, NULL), 0);
    assert_null(calls[1].document);
    check_refused(lab, "there", long_s, LAB_ERROR_STOPPING, "The server is stopping.");
    lab_teardown(lab);
    switch_off(&slow);
}
