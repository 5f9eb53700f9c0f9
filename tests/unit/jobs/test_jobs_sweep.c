/* server/jobs/submit_sweep.c: sweeps are stored as a whole or not at all, and cancelled together. */
#include "support/jobs_harness.h"
#include "support/test.h"

#include "support/store_disk.h"

AROUND_EACH_TEST(.setup = disk_install)

static void copy_id(void *id, const struct lab_sweep_row *row)
{
    snprintf(id, LAB_RUN_ID_SIZE, "%s", row->id);
}

static enum lab_submit_result submit_sweep(struct lab *lab, const char *text, char id[LAB_RUN_ID_SIZE],
                                           struct lab_errors *errors)
{
    json_t *request = json_loads(text, 0, NULL);
    assert_non_null(request);
    enum lab_submit_result result = lab_jobs_submit_sweep(lab->jobs, request, "anna", copy_id, id, errors);
    json_decref(request);
    return result;
}

static void copy_sweep(void *context, const struct lab_sweep_row *row)
{
    *(struct lab_sweep_row *)context = *row;
}

static struct lab_sweep_row read_sweep(struct lab *lab, const char *id)
{
    struct lab_sweep_row row = {0};
    assert_int_equal(lab_store_get_sweep(lab->store, id, copy_sweep, &row), LAB_STORE_OK);
    return row;
}

static size_t queue_length(struct lab *lab)
{
    struct lab_queue_state queue;
    lab_jobs_queue(lab->jobs, &queue);
    return queue.length;
}

static const char three[] = "{\"experiment\":\"probe\",\"parameters\":{\"points\":[1,2,3]},\"tags\":[\"t\"]}";

TEST(all_runs_of_a_sweep_are_executed)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    assert_int_equal(submit_sweep(lab, three, id, &errors), LAB_SUBMIT_OK);
    for (int i = 0; i < 30000 && read_sweep(lab, id).counts[LAB_STATUS_SUCCEEDED] < 3; i++)
        usleep(2000);
    const struct lab_sweep_row sweep = read_sweep(lab, id);
    assert_int_equal(sweep.total, 3);
    assert_int_equal(sweep.counts[LAB_STATUS_SUCCEEDED], 3);
    assert_true(sweep.cancelled_at == LAB_NO_TIME);
    assert_int_equal(lab_store_get_sweep(lab->store, "none", copy_sweep, &(struct lab_sweep_row){0}),
                     LAB_STORE_NOT_FOUND);
    lab_teardown(lab);
}

TEST(one_run_that_is_not_valid_refuses_the_sweep)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    assert_int_equal(submit_sweep(lab, "{\"experiment\":\"probe\",\"parameters\":{\"points\":[1,13,3]}}", id, &errors),
                     LAB_SUBMIT_INVALID);
    assert_string_equal(errors.items[0].pointer, "/parameters/points");
    assert_non_null(strstr(errors.items[1].detail, "run 2 of 3, with {\"points\":13}"));
    assert_int_equal(queue_length(lab), 0);
    lab_teardown(lab);
}

/* The queue of the tests has 5 places. */
TEST(a_sweep_needs_one_place_in_the_queue)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE], run[LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    for (int i = 0; i < 4; i++)
        lab_submit(lab, "finish", "fake-0", run);
    assert_int_equal(submit_sweep(lab, three, id, &errors), LAB_SUBMIT_OK);
    assert_int_equal(queue_length(lab), 7);
    assert_int_equal(submit_sweep(lab, three, id, &errors), LAB_SUBMIT_FULL);
    lab_stop(lab);
    lab_begin(lab, 60);
    assert_int_equal(queue_length(lab), 7);
    lab_teardown(lab);
}

TEST(a_full_disk_stores_nothing)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE];
    atomic_store(&disk.full, true);
    assert_int_equal(submit_sweep(lab, three, id, &errors), LAB_SUBMIT_STORE);
    atomic_store(&disk.full, false);
    assert_int_equal(queue_length(lab), 0);
    assert_int_equal(lab_store_get_sweep(lab->store, id, copy_sweep, &(struct lab_sweep_row){0}), LAB_STORE_NOT_FOUND);
    lab_teardown(lab);
}

/* The runs that ended so, as GET /metrics has them. */
static uint64_t counted(struct lab *lab, enum lab_status status)
{
    const struct lab_jobs_counters *counters = lab_jobs_counters(lab->jobs);
    uint64_t count = 0;
    for (size_t i = 0; i < counters->run_count; i++)
        count += counters->runs[i].finished[status];
    return count;
}

TEST(a_cancel_ends_the_queued_and_the_running_runs)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    char id[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    struct lab_queue_state queue = {0};
    assert_int_equal(
        submit_sweep(lab, "{\"experiment\":\"probe\",\"parameters\":{\"behaviour\":\"slow\",\"points\":[1,2,3]}}", id,
                     &errors),
        LAB_SUBMIT_OK);
    for (int i = 0; i < 30000 && queue.running == 0; i++) {
        usleep(2000);
        lab_jobs_queue(lab->jobs, &queue);
    }
    lab_await_progress(lab, queue.runs[0]);
    lab_submit(lab, "finish", "fake-0", other);
    assert_int_equal(lab_jobs_cancel_sweep(lab->jobs, id, NULL), LAB_STORE_OK);
    assert_int_equal(read_sweep(lab, id).counts[LAB_STATUS_QUEUED], 0);
    assert_true(read_sweep(lab, id).cancelled_at != LAB_NO_TIME);
    lab_expect(lab, queue.runs[0], "cancelled");
    lab_expect(lab, other, "succeeded");
    assert_int_equal(read_sweep(lab, id).counts[LAB_STATUS_CANCELLED], 3);
    assert_int_equal(counted(lab, LAB_STATUS_CANCELLED), 3);
    assert_int_equal(lab_jobs_cancel_sweep(lab->jobs, id, NULL), LAB_STORE_OK);
    assert_int_equal(lab_jobs_cancel_sweep(lab->jobs, "none", NULL), LAB_STORE_NOT_FOUND);
    lab_teardown(lab);
}

static void copy_run_id(void *id, const struct lab_run_row *row)
{
    snprintf(id, LAB_RUN_ID_SIZE, "%s", row->id);
}

static void ignore_run(void *context, const struct lab_run_row *run)
{
    (void)context, (void)run;
}

/* The sweep of a run is cancelled after the run was withdrawn from the queue, and before its own cancel is recorded. */
TEST(a_run_that_was_cancelled_with_its_sweep_is_not_queued_again)
{
    struct lab *lab = lab_setup(60);
    struct lab_errors errors = {0};
    struct lab_run_row *written;
    char id[LAB_RUN_ID_SIZE], run[LAB_RUN_ID_SIZE];
    assert_true(lab_jobs_pause(lab->jobs, true));
    assert_int_equal(submit_sweep(lab, three, id, &errors), LAB_SUBMIT_OK);
    const struct lab_run_filter filter = {.sweep = id, .since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = 1};
    assert_int_equal(lab_store_list_runs(lab->store, &filter, copy_run_id, run, &(bool){false}), LAB_STORE_OK);
    assert_int_equal(lab_store_cancel_sweep(lab->store, id, lab_time_now(), ignore_run, NULL, NULL), LAB_STORE_OK);
    assert_int_equal(lab_jobs_cancel(lab->jobs, run, &written), LAB_CANCEL_ALREADY);
    assert_null(written);
    assert_int_equal(queue_length(lab), 2);
    lab_teardown(lab);
}
