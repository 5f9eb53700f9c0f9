/* server/jobs/examination.c and server/workers/worker_examine.c: examining a machine between its runs. */
#include "support/jobs_harness.h"

#include <string.h>

/* Checks that the machine is examined. */
static void check_examined(struct lab *lab, const char *node)
{
    struct lab_error error = {0};
    json_t *document = lab_jobs_examine(lab->jobs, node, 20, &error);
    assert_string_equal(error.detail, "");
    assert_string_equal(text_at(document, "version"), "0");
    json_decref(document);
}

/* Checks that it is not, and why; waits `seconds` for a run. */
static void check_refused(struct lab *lab, const char *node, double seconds, enum lab_error_code code,
                          const char *words)
{
    struct lab_error error = {0};
    assert_null(lab_jobs_examine(lab->jobs, node, seconds, &error));
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.detail, words));
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
