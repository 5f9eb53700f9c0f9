/* db/writer/ on slow, failing and full disks: calls return only after fsync, and nothing is lost while the disk is
 * full. */
#include "support/store_harness.h"
#include "support/test.h"

#include "support/store_disk.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

AROUND_EACH_TEST(.setup = disk_install)

static bool healthy_within(struct lab_store *store, double seconds)
{
    double began = lab_clock_now();
    while (!lab_store_healthy(store, NULL, 0) && lab_clock_now() - began < seconds)
        sleep_ms(10);
    return lab_store_healthy(store, NULL, 0);
}

static void add_measurements(struct lab_store *store, const char *id, int count, const double *samples,
                             size_t sample_count)
{
    const struct lab_measurement_row row = {.axes = "{}",
                                            .metric = "time",
                                            .unit = "s",
                                            .n = (int64_t)sample_count,
                                            .verified = 1,
                                            .samples = samples,
                                            .sample_count = sample_count};
    for (int i = 0; i < count; i++)
        lab_store_add_measurement(store, id, &row);
}

/* --- fsync -------------------------------------------------------------------------------------------------------- */

/* Calls, on run `id`, each function that promises to return after fsync. */
static enum lab_store_result call(struct lab_store *store, int which, char id[LAB_RUN_ID_SIZE])
{
    char existing[LAB_RUN_ID_SIZE];
    size_t count = 0;
    struct lab_run_row run;
    switch (which) {
    case 0:
        lab_run_id(id);
        run = plain_run(id);
        return lab_store_add_run(store, &run, NULL, existing);
    case 1:
        return lab_store_start_run(store, id, 1, NULL);
    case 2:
        return lab_store_patch_run(store, id, &(struct lab_run_patch){.note = "n"}, NULL);
    case 3:
        return lab_store_finish_run(store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL);
    case 4:
        return lab_store_delete_run(store, id);
    case 5:
        return lab_store_set(store, "name", id);
    case 6:
        lab_run_id(id);
        run = plain_run(id);
        add_run(store, &run);
        assert_int_equal(lab_store_start_run(store, id, 1, NULL), LAB_STORE_OK);
        return lab_store_interrupt_running(store, 3, &count);
    default:
        return LAB_STORE_FAILED;
    }
}
enum { CALLS = 7 };

STORE_TEST(no_call_returns_before_its_fsync)
{
    char id[LAB_RUN_ID_SIZE];
    for (int round = 0; round < 20; round++) {
        for (int which = 0; which < CALLS; which++) {
            int before = atomic_load(&disk.log_syncs);
            assert_int_equal(call(fixture->store, which, id), LAB_STORE_OK);
            if (atomic_load(&disk.log_syncs) <= before || atomic_load(&disk.log_unsynced))
                fail_msg("call %d returned before its fsync", which);
        }
    }
}

STORE_TEST(calls_wait_for_a_slow_disk)
{
    char id[LAB_RUN_ID_SIZE];
    atomic_store(&disk.sync_delay_ms, 60);
    for (int which = 0; which < CALLS; which++) {
        double began = lab_clock_now();
        assert_int_equal(call(fixture->store, which, id), LAB_STORE_OK);
        assert_true(lab_clock_now() - began >= 0.06);
    }
    atomic_store(&disk.sync_delay_ms, 0);
}

/* --- commits that are shared -------------------------------------------------------------------------------------- */

enum { CALLERS = 8, CALLS_EACH = 10 };

struct caller {
    struct lab_store *store;
    int good, early; /* calls that succeeded; calls that returned without any fsync since they began */
};

/* Adds runs; every third one is refused, because it has no parameters. */
static void *add_runs(void *argument)
{
    struct caller *caller = argument;
    for (int i = 0; i < CALLS_EACH; i++) {
        char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
        lab_run_id(id);
        struct lab_run_row run = plain_run(id);
        bool valid = i % 3 != 0;
        if (!valid)
            run.parameters = NULL;
        int before = atomic_load(&disk.log_syncs);
        bool added = lab_store_add_run(caller->store, &run, NULL, existing) == LAB_STORE_OK;
        caller->good += added == valid;
        caller->early += added && atomic_load(&disk.log_syncs) == before;
    }
    return NULL;
}

STORE_TEST(calls_that_wait_share_an_fsync)
{
    enum { ADDED = CALLERS * (CALLS_EACH - (CALLS_EACH + 2) / 3) };
    pthread_t threads[CALLERS];
    struct caller callers[CALLERS];
    int before = atomic_load(&disk.log_syncs);
    atomic_store(&disk.sync_delay_ms, 50);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.store = fixture->store};
        assert_int_equal(pthread_create(&threads[i], NULL, add_runs, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&disk.sync_delay_ms, 0);
    int syncs = atomic_load(&disk.log_syncs) - before;
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(callers[i].good, CALLS_EACH);
        assert_int_equal(callers[i].early, 0);
    }
    printf("%d runs with %d fsyncs\n", ADDED, syncs);
    assert_in_range(syncs, 1, ADDED / 2);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run"), ADDED);
    assert_in_step(fixture->path);
}

STORE_TEST(a_failed_fsync_is_an_error)
{
    char id[LAB_RUN_ID_SIZE], message[200] = "";
    atomic_store(&disk.broken_sync, true);
    assert_int_equal(call(fixture->store, 0, id), LAB_STORE_FAILED);
    atomic_store(&disk.broken_sync, false);
    assert_non_null(strstr(lab_store_message(fixture->store), "disk I/O error"));
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_NOT_FOUND);
    assert_true(healthy_within(fixture->store, 60));
    lab_store_healthy(fixture->store, message, sizeof message);
    assert_non_null(strstr(message, "disk I/O error"));
    add_plain_run(fixture->store, id);
}

/* --- a full disk -------------------------------------------------------------------------------------------------- */

STORE_TEST(a_full_disk_is_reported_and_survived)
{
    char kept[LAB_RUN_ID_SIZE], refused[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE], message[200] = "";
    struct kept_run run;
    add_plain_run(fixture->store, kept);
    assert_true(lab_store_healthy(fixture->store, message, sizeof message));
    assert_string_equal(message, "");
    uint64_t generation = lab_store_generation(fixture->store);

    atomic_store(&disk.full, true);
    lab_run_id(refused);
    struct lab_run_row more = plain_run(refused);
    assert_int_equal(lab_store_add_run(fixture->store, &more, NULL, existing), LAB_STORE_FULL);
    assert_non_null(strstr(lab_store_message(fixture->store), "full"));
    assert_int_equal(lab_store_start_run(fixture->store, kept, 1, NULL), LAB_STORE_FULL);
    assert_int_equal(lab_store_patch_run(fixture->store, kept, &(struct lab_run_patch){.note = "x"}, NULL),
                     LAB_STORE_FULL);
    assert_int_equal(lab_store_set(fixture->store, "a", "b"), LAB_STORE_FULL);
    assert_false(lab_store_healthy(fixture->store, message, sizeof message));
    assert_non_null(strstr(message, "full"));
    /* Stored data can still be read and is unchanged. */
    get_run(fixture->store, kept, &run);
    assert_int_equal(run.row.status, LAB_STATUS_QUEUED);
    assert_string_equal(run.note, "");
    assert_int_equal(lab_store_get_run(fixture->store, refused, NULL), LAB_STORE_NOT_FOUND);
    assert_true(lab_store_generation(fixture->store) == generation);

    atomic_store(&disk.full, false);
    add_run(fixture->store, &more);
    assert_true(lab_store_healthy(fixture->store, NULL, 0));
    assert_int_equal(lab_store_start_run(fixture->store, kept, 1, NULL), LAB_STORE_OK);
    assert_true(is_sound(fixture->path));
    assert_in_step(fixture->path);
    close_store(fixture);
    assert_search_sound(fixture->path);
}

STORE_TEST(health_recovers_without_a_call)
{
    atomic_store(&disk.full, true);
    assert_int_equal(lab_store_set(fixture->store, "a", "b"), LAB_STORE_FULL);
    sleep_ms(1500);
    assert_false(lab_store_healthy(fixture->store, NULL, 0));
    atomic_store(&disk.full, false);
    assert_true(healthy_within(fixture->store, 60));
}

STORE_TEST(measurements_are_kept_until_the_disk_has_space)
{
    static const double samples[] = {1, 2, 3};
    char id[LAB_RUN_ID_SIZE];
    struct kept_run run;
    add_plain_run(fixture->store, id);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    add_measurements(fixture->store, id, 5, samples, 3);
    sleep_ms(300);
    atomic_store(&disk.full, true);
    add_measurements(fixture->store, id, 20, samples, 3);
    sleep_ms(400);
    assert_false(lab_store_healthy(fixture->store, NULL, 0)); /* the failed write of the group is reported */
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL),
                     LAB_STORE_FULL);
    get_run(fixture->store, id, &run);
    assert_int_equal(run.row.status, LAB_STATUS_RUNNING);
    assert_int_equal(run.row.measurement_count, 5);
    add_measurements(fixture->store, id, 3, samples, 3);

    atomic_store(&disk.full, false);
    assert_true(healthy_within(fixture->store, 60));
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL),
                     LAB_STORE_OK);
    get_run(fixture->store, id, &run);
    assert_int_equal(run.row.measurement_count, 28);
    assert_string_equal(run.warnings, "[]");
    assert_int_equal(ask_file(fixture->path, "SELECT max(position) + 1 = count(*) FROM measurement"), 1);
}

/* More records than may be pending: the rest is lost, and health, lab_store_finish_run and a warning of the run report
 * it. */
STORE_TEST(lost_records_are_reported)
{
    enum { SAMPLES = 16384, COUNT = 600 }; /* 75 MiB */
    static double samples[SAMPLES];
    char id[LAB_RUN_ID_SIZE], expected[64];
    struct kept_run run;
    add_plain_run(fixture->store, id);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    atomic_store(&disk.full, true);
    add_measurements(fixture->store, id, COUNT, samples, SAMPLES);
    assert_false(lab_store_healthy(fixture->store, NULL, 0));
    atomic_store(&disk.full, false);

    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 2, false, NULL, NULL),
                     LAB_STORE_LOST);
    get_run(fixture->store, id, &run);
    assert_int_equal(run.row.status, LAB_STATUS_RUNNING);
    assert_in_range(run.row.measurement_count, 400, COUNT - 1);
    snprintf(expected, sizeof expected, "%d of ", COUNT - (int)run.row.measurement_count);
    assert_non_null(strstr(run.warnings, expected));
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_FAILED, 2, false, NULL, NULL), LAB_STORE_OK);
    get_run(fixture->store, id, &run);
    assert_int_equal(run.row.status, LAB_STATUS_FAILED);
}

/* --- the reserve -------------------------------------------------------------------------------------------------- */

/* Adds a run with a large result, and then runs until the disk is full. */
static void fill_disk(struct fixture *fixture, char first[LAB_RUN_ID_SIZE])
{
    static const double large[1 << 17];
    char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    enum lab_store_result result = LAB_STORE_OK;
    add_plain_run(fixture->store, first);
    assert_int_equal(lab_store_start_run(fixture->store, first, 1, NULL), LAB_STORE_OK);
    add_measurements(fixture->store, first, 1, large, sizeof large / sizeof *large);
    for (kept.row.measurement_count = 0; kept.row.measurement_count < 1; sleep_ms(10))
        get_run(fixture->store, first, &kept);
    disk.path = fixture->path;
    atomic_store(&disk.capacity, disk_used() + (1 << 20));
    for (int i = 0; i < 10000 && result == LAB_STORE_OK; i++) {
        lab_run_id(id);
        struct lab_run_row run = plain_run(id);
        run.note = "a note of some length, so that the disk is full before long";
        result = lab_store_add_run(fixture->store, &run, NULL, existing);
    }
    assert_int_equal(result, LAB_STORE_FULL);
    assert_false(lab_store_healthy(fixture->store, NULL, 0));
}

static bool reserve_exists(struct fixture *fixture)
{
    char name[128];
    snprintf(name, sizeof name, "%s.reserve", fixture->path);
    return access(name, F_OK) == 0;
}

STORE_TEST(runs_end_and_are_deleted_on_a_full_disk)
{
    char id[LAB_RUN_ID_SIZE], another[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    assert_true(reserve_exists(fixture));
    fill_disk(fixture, id);
    assert_true(reserve_exists(fixture)); /* new runs do not use it */
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_FAILED, 2, false, NULL, NULL), LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_FAILED);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_OK);
    /* The space of the deleted run is used for another. */
    lab_run_id(another);
    struct lab_run_row run = plain_run(another);
    for (int i = 0; i < 20; i++) {
        lab_run_id(another);
        if (lab_store_add_run(fixture->store, &run, NULL, existing) != LAB_STORE_OK)
            fail_msg("%d: %s", i, lab_store_message(fixture->store));
    }
    assert_true(healthy_within(fixture->store, 60));
    atomic_store(&disk.capacity, 0);
    for (int i = 0; i < 6000 && !reserve_exists(fixture); i++)
        sleep_ms(10);
    assert_true(reserve_exists(fixture));
    assert_in_step(fixture->path);
}

STORE_TEST(a_store_opens_on_a_full_disk)
{
    char id[LAB_RUN_ID_SIZE];
    size_t count = 0;
    fill_disk(fixture, id);
    close_store(fixture);
    atomic_store(&disk.capacity, disk_used());
    open_store(fixture);
    assert_int_equal(lab_store_interrupt_running(fixture->store, 3, &count), LAB_STORE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_OK);
    atomic_store(&disk.capacity, 0);
}

/* A few results fit into the reserve. */
STORE_TEST(closing_writes_results_into_the_reserve)
{
    static const double samples[] = {1};
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    fill_disk(fixture, id);
    add_measurements(fixture->store, id, 10, samples, 1);
    close_store(fixture);
    atomic_store(&disk.capacity, 0);
    open_store(fixture);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.measurement_count, 11);
    assert_string_equal(kept.warnings, "[]");
}

/* Many do not; the run says so. */
STORE_TEST(closing_marks_runs_whose_results_are_lost)
{
    static const double samples[1 << 18];
    char id[LAB_RUN_ID_SIZE];
    size_t count = 0;
    struct kept_run kept;
    fill_disk(fixture, id);
    add_measurements(fixture->store, id, 3, samples, 1 << 18);
    close_store(fixture);
    atomic_store(&disk.capacity, 0);
    open_store(fixture);
    assert_int_equal(lab_store_interrupt_running(fixture->store, 3, &count), LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_INTERRUPTED);
    assert_int_equal(kept.row.measurement_count, 1);
    assert_non_null(strstr(kept.warnings, "3 of this run's results could not be stored"));
    assert_in_step(fixture->path);
}

STORE_TEST(closing_works_on_a_full_disk)
{
    static const double samples[] = {1};
    char id[LAB_RUN_ID_SIZE];
    add_plain_run(fixture->store, id);
    add_measurements(fixture->store, id, 10, samples, 1);
    atomic_store(&disk.full, true);
    close_store(fixture);
    atomic_store(&disk.full, false);
    open_store(fixture);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_OK);
}

FOLDER_TEST(creating_a_store_on_a_full_disk_fails)
{
    atomic_store(&disk.full, true);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "full"));
    atomic_store(&disk.full, false);
    open_store(fixture);
}

/* --- a file that is gone ------------------------------------------------------------------------------------------ */

static void assert_nothing_accepted(struct fixture *fixture, const char *id)
{
    char another[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE], message[400] = "";
    lab_run_id(another);
    struct lab_run_row run = plain_run(another);
    assert_int_equal(lab_store_add_run(fixture->store, &run, NULL, existing), LAB_STORE_FAILED);
    assert_non_null(strstr(lab_store_message(fixture->store), "was removed or replaced"));
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_FAILED);
    assert_false(lab_store_healthy(fixture->store, message, sizeof message));
    assert_non_null(strstr(message, fixture->path));
}

STORE_TEST(a_file_that_is_removed_or_replaced_is_reported)
{
    char id[LAB_RUN_ID_SIZE], aside[128], command[320];
    add_plain_run(fixture->store, id);
    snprintf(aside, sizeof aside, "%s.aside", fixture->path);
    assert_int_equal(rename(fixture->path, aside), 0);
    for (int i = 0; i < 6000 && lab_store_healthy(fixture->store, NULL, 0); i++)
        sleep_ms(10); /* it is noticed without a call */
    assert_nothing_accepted(fixture, id);
    snprintf(command, sizeof command, "cp %s %s", aside, fixture->path);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    assert_nothing_accepted(fixture, id);

    assert_int_equal(rename(aside, fixture->path), 0);
    assert_true(healthy_within(fixture->store, 60));
    add_plain_run(fixture->store, id);
}

STORE_TEST(a_log_that_is_removed_or_replaced_is_reported_and_saved)
{
    char id[LAB_RUN_ID_SIZE], log[128], copy[128], command[420];
    for (int i = 0; i < 20; i++)
        add_plain_run(fixture->store, id);
    snprintf(log, sizeof log, "%s-wal", fixture->path);
    snprintf(copy, sizeof copy, "%s.copy", fixture->path);
    assert_int_equal(unlink(log), 0);
    for (int i = 0; i < 6000 && lab_store_healthy(fixture->store, NULL, 0); i++)
        sleep_ms(10); /* it is noticed without a call */
    assert_nothing_accepted(fixture, id);
    snprintf(command, sizeof command, "cp %s %s", fixture->path, copy); /* what a process that is killed leaves */
    assert_int_equal(system(command), 0);                               /* NOLINT(cert-env33-c) */
    assert_int_equal(ask_file(copy, "SELECT count(*) FROM run"), 20);
    snprintf(command, sizeof command, "rm -f %s %s-wal %s-shm", copy, copy, copy);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */

    FILE *other = fopen(log, "w");
    assert_non_null(other);
    fclose(other);
    assert_nothing_accepted(fixture, id);
    reopen_store(fixture);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_OK);
    add_plain_run(fixture->store, id);
}

/* Without the VFS wrapper: a limit on the size of files (RLIMIT_FSIZE), under which the store fails and then
 * recovers. */
static int fill_until_refused(const char *path)
{
    char message[200], id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    struct lab_store *store = lab_store_open(path, message, sizeof message);
    if (store == NULL || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 2;
    enum lab_store_result result = LAB_STORE_OK;
    int added = 0;
    while (result == LAB_STORE_OK && added < 100000) {
        lab_run_id(id);
        struct lab_run_row run = plain_run(id);
        result = lab_store_add_run(store, &run, NULL, existing);
        added += result == LAB_STORE_OK;
    }
    if (result != LAB_STORE_FULL || lab_store_healthy(store, NULL, 0))
        return 3;
    limit.rlim_cur = RLIM_INFINITY;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || !healthy_within(store, 60))
        return 4;
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    if (lab_store_add_run(store, &run, NULL, existing) != LAB_STORE_OK || !is_sound(path))
        return 5;
    lab_store_close(store);
    return ask_file(path, "SELECT count(*) FROM run") == added + 1 ? 0 : 6;
}

FOLDER_TEST(files_that_cannot_grow_count_as_full)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(fill_until_refused(fixture->path));
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_in_step(fixture->path);
    assert_search_sound(fixture->path);
}
