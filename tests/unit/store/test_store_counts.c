/* db/counts.c: the numbers of runs, measurements and samples follow every change. */
#include "support/store_harness.h"
#include "support/test.h"

static struct lab_store_counts counts_of(struct fixture *fixture)
{
    struct lab_store_counts counts;
    lab_store_counts(fixture->store, &counts);
    return counts;
}

/* Fails unless the store has exactly these rows. */
static void expect(struct fixture *fixture, const struct lab_stored *expected)
{
    struct lab_stored stored = counts_of(fixture).stored;
    for (unsigned status = 0; status < LAB_STATUS_COUNT; status++)
        if (stored.runs[status] != expected->runs[status])
            fail_msg("%lld runs are %s, not %lld", (long long)stored.runs[status],
                     lab_status_name((enum lab_status)status), (long long)expected->runs[status]);
    assert_int_equal(stored.measurements, expected->measurements);
    assert_int_equal(stored.samples, expected->samples);
}

static void add_measurement(struct fixture *fixture, const char *id, size_t samples)
{
    static const double values[8];
    const struct lab_measurement_row row = {
        .axes = "{}", .metric = "time", .unit = "s", .n = (int64_t)samples, .samples = values, .sample_count = samples};
    lab_store_add_measurement(fixture->store, id, &row);
}

/* Adds a run that succeeds with two measurements, of 3 and 5 samples. */
static void complete_run(struct fixture *fixture, char id[LAB_RUN_ID_SIZE])
{
    add_plain_run(fixture->store, id);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    add_measurement(fixture, id, 3);
    add_measurement(fixture, id, 5);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL),
                     LAB_STORE_OK);
}

STORE_TEST(counts_follow_the_states_of_runs)
{
    char id[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    size_t interrupted;
    expect(fixture, &(struct lab_stored){0});
    add_plain_run(fixture->store, id);
    add_plain_run(fixture->store, other);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_QUEUED] = 2});
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_QUEUED] = 1, .runs[LAB_STATUS_RUNNING] = 1});
    assert_int_equal(lab_store_finish_run(fixture->store, other, LAB_STATUS_CANCELLED, 2, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_interrupt_running(fixture->store, 3, &interrupted), LAB_STORE_OK);
    assert_int_equal(interrupted, 1);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_CANCELLED] = 1, .runs[LAB_STATUS_INTERRUPTED] = 1});
    assert_int_equal(lab_store_finish_run(fixture->store, other, LAB_STATUS_FAILED, 2, false, NULL, NULL),
                     LAB_STORE_CONFLICT);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_CANCELLED] = 1, .runs[LAB_STATUS_INTERRUPTED] = 1});
}

STORE_TEST(counts_follow_measurements_and_samples)
{
    char id[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    size_t dropped;
    complete_run(fixture, id);
    complete_run(fixture, other);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_SUCCEEDED] = 2, .measurements = 4, .samples = 16});
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_OK);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_SUCCEEDED] = 1, .measurements = 2, .samples = 8});
    assert_int_equal(lab_store_drop_samples(fixture->store, INT64_MAX, 1, &dropped), LAB_STORE_OK);
    assert_int_equal(dropped, 1);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_SUCCEEDED] = 1, .measurements = 2, .samples = 5});
    reopen_store(fixture);
    expect(fixture, &(struct lab_stored){.runs[LAB_STATUS_SUCCEEDED] = 1, .measurements = 2, .samples = 5});
}

STORE_TEST(commits_and_files_are_measured)
{
    char id[LAB_RUN_ID_SIZE];
    complete_run(fixture, id);
    struct lab_store_counts counts = counts_of(fixture);
    uint64_t commits = 0;
    for (size_t i = 0; i <= LAB_HISTOGRAM_BOUNDS_MAX; i++)
        commits += atomic_load(&counts.commits->buckets[i]);
    assert_true(commits >= 4); /* added, started, measurements, ended */
    assert_true(atomic_load(&counts.commits->sum_ns) > 0);
    assert_true(counts.stored.database_bytes > 0 && counts.stored.wal_bytes > 0);
    assert_int_equal(counts.pending_records, 0);
    assert_int_equal(counts.pending_bytes, 0);
    assert_int_equal(counts.lost_records, 0);
    assert_int_equal(counts.failed_writes, 0);
}

STORE_TEST(records_of_no_run_are_lost)
{
    add_measurement(fixture, "01900000-0000-7000-8000-000000000000", 3);
    for (int i = 0; i < 6000 && counts_of(fixture).lost_records == 0; i++)
        sleep_ms(10);
    assert_int_equal(counts_of(fixture).lost_records, 1);
    assert_int_equal(counts_of(fixture).pending_records, 0);
    expect(fixture, &(struct lab_stored){0});
}
