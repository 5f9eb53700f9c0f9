/* db/runs/add_run.c, change_run.c, transitions.c: runs are added, change status, are patched and deleted; refused calls
 * change nothing. */
#include "support/store_harness.h"
#include "support/test.h"

/* --- adding ------------------------------------------------------------------------------------------------------- */

STORE_TEST(reads_back_what_was_added)
{
    char id[LAB_RUN_ID_SIZE];
    lab_run_id(id);
    struct lab_run_row run = {.id = id,
                              .experiment = "peer",
                              .host = "node-7",
                              .devices = "[" DEVICE("GPU-1", "\"V100\"") "," DEVICE("GPU-2", "\"H200\"") "]",
                              .parameters = "{\"bytes\":[1,2]}",
                              .tags = "[\"nightly\",\"ночь\"]",
                              .note = "a \"note\"\nof two lines",
                              .compare_with = "{\"kernel\":{}}",
                              .kernel = "{\"source\":\"// 1\"}",
                              .requested_by = "Ada",
                              .priority = LAB_PRIORITY_LOW,
                              .estimate_s = 3.5,
                              .created_at = 1760000000123456,
                              .time_limit_s = 12.5};
    add_run(fixture->store, &run);
    reopen_store(fixture);

    struct kept_run kept;
    get_run(fixture->store, id, &kept);
    assert_string_equal(kept.id, id);
    assert_int_equal(kept.row.revision, 1);
    assert_string_equal(kept.experiment, "peer");
    assert_int_equal(kept.row.status, LAB_STATUS_QUEUED);
    assert_false(kept.row.pinned);
    assert_false(kept.row.contended);
    assert_int_equal(kept.row.created_at, 1760000000123456);
    assert_int_equal(kept.row.started_at, LAB_NO_TIME);
    assert_int_equal(kept.row.finished_at, LAB_NO_TIME);
    assert_true(kept.row.time_limit_s == 12.5);
    assert_string_equal(kept.host, "node-7");
    assert_string_equal(kept.devices, run.devices);
    assert_string_equal(kept.parameters, run.parameters);
    assert_string_equal(kept.tags, run.tags);
    assert_string_equal(kept.note, run.note);
    assert_string_equal(kept.model, "H200 + V100");
    assert_string_equal(kept.compare_with, run.compare_with);
    assert_string_equal(kept.kernel, run.kernel);
    assert_string_equal(kept.requested_by, "Ada");
    assert_int_equal(kept.row.priority, LAB_PRIORITY_LOW);
    assert_true(kept.row.estimate_s == 3.5);
    assert_null(kept.row.sweep);
    assert_null(kept.row.headline);
    assert_null(kept.row.environment);
    assert_string_equal(kept.warnings, "[]");
    assert_string_equal(kept.notes, "[]");
    assert_null(kept.row.error);
    assert_int_equal(kept.row.measurement_count, 0);
    assert_int_equal(kept.row.wrong_count, 0);
    assert_in_step(fixture->path);
}

STORE_TEST(note_and_tags_may_be_missing)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    run.tags = run.note = NULL;
    run.devices = "[]";
    add_run(fixture->store, &run);
    get_run(fixture->store, id, &kept);
    assert_string_equal(kept.tags, "[]");
    assert_string_equal(kept.note, "");
    assert_in_step(fixture->path);
}

STORE_TEST(refuses_invalid_runs)
{
    char id[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE] = "old";
    add_plain_run(fixture->store, id);
    struct lab_run_row run = plain_run(id);
    assert_int_equal(lab_store_add_run(fixture->store, &run, NULL, existing), LAB_STORE_CONFLICT);
    assert_non_null(strstr(lab_store_message(fixture->store), id));
    assert_string_equal(existing, "");
    static const char *const no_ids[] = {"", "0190c0de-0000-7000-8000-000000000000-and-more",
                                         "0190c0de-0000-4000-8000-000000000000", "0190C0DE-0000-7000-8000-000000000000",
                                         "ffffffff-ffff-7000-8000-000000000000"};
    for (size_t i = 0; i < sizeof no_ids / sizeof *no_ids; i++) {
        run = plain_run(no_ids[i]);
        assert_int_equal(lab_store_add_run(fixture->store, &run, NULL, existing), LAB_STORE_FAILED);
    }
    lab_run_id(id);
    run = plain_run(id);
    run.parameters = NULL;
    assert_int_equal(lab_store_add_run(fixture->store, &run, NULL, existing), LAB_STORE_FAILED);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_NOT_FOUND);
    /* Errors of the caller do not affect health and store nothing. */
    assert_true(lab_store_healthy(fixture->store, NULL, 0));
    assert_in_step(fixture->path);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run"), 1);
}

/* --- idempotency -------------------------------------------------------------------------------------------------- */

static enum lab_store_result add_with_key(struct lab_store *store, const char *key, const char *body, int64_t at,
                                          char id[LAB_RUN_ID_SIZE], char existing[LAB_RUN_ID_SIZE])
{
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    run.created_at = at;
    return lab_store_add_run(store, &run, &(struct lab_request_key){key, body}, existing);
}

STORE_TEST(same_key_and_body_give_the_same_run)
{
    char first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    int64_t now = lab_time_now();
    assert_int_equal(add_with_key(fixture->store, "k", "body", now, first, existing), LAB_STORE_OK);
    assert_string_equal(existing, "");
    uint64_t generation = lab_store_generation(fixture->store);
    assert_int_equal(add_with_key(fixture->store, "k", "body", now, second, existing), LAB_STORE_OK);
    assert_string_equal(existing, first);
    assert_int_equal(lab_store_get_run(fixture->store, second, NULL), LAB_STORE_NOT_FOUND);
    assert_true(lab_store_generation(fixture->store) == generation);
    reopen_store(fixture);
    assert_int_equal(add_with_key(fixture->store, "k", "body", now, second, existing), LAB_STORE_OK);
    assert_string_equal(existing, first);
}

STORE_TEST(same_key_and_another_body_conflict)
{
    char first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    int64_t now = lab_time_now();
    assert_int_equal(add_with_key(fixture->store, "k", "body", now, first, existing), LAB_STORE_OK);
    assert_int_equal(add_with_key(fixture->store, "k", "Body", now, second, existing), LAB_STORE_CONFLICT);
    assert_string_equal(existing, "");
    assert_int_equal(lab_store_get_run(fixture->store, second, NULL), LAB_STORE_NOT_FOUND);
    assert_int_equal(add_with_key(fixture->store, "K", "Body", now, second, existing), LAB_STORE_OK);
    assert_string_equal(existing, "");
}

STORE_TEST(keys_are_kept_for_a_day)
{
    const int64_t hour = INT64_C(3600) * 1000000, now = lab_time_now();
    char first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    assert_int_equal(add_with_key(fixture->store, "k", "body", now, first, existing), LAB_STORE_OK);
    assert_int_equal(add_with_key(fixture->store, "k", "body", now + 24 * hour, second, existing), LAB_STORE_OK);
    assert_string_equal(existing, first);
    assert_int_equal(add_with_key(fixture->store, "k", "body", now + 25 * hour, second, existing), LAB_STORE_OK);
    assert_string_equal(existing, "");
}

STORE_TEST(a_key_is_deleted_with_its_run)
{
    char first[LAB_RUN_ID_SIZE], second[LAB_RUN_ID_SIZE], existing[LAB_RUN_ID_SIZE];
    int64_t now = lab_time_now();
    assert_int_equal(add_with_key(fixture->store, "k", "body", now, first, existing), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(fixture->store, first, LAB_STATUS_CANCELLED, now, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_delete_run(fixture->store, first), LAB_STORE_OK);
    assert_int_equal(add_with_key(fixture->store, "k", "other", now, second, existing), LAB_STORE_OK);
    assert_string_equal(existing, "");
}

/* --- status ------------------------------------------------------------------------------------------------------- */

TEST(names_statuses)
{
    for (int i = LAB_STATUS_QUEUED; i <= LAB_STATUS_INTERRUPTED; i++) {
        enum lab_status status = LAB_STATUS_QUEUED;
        assert_true(lab_status_parse(lab_status_name((enum lab_status)i), &status));
        assert_int_equal(status, i);
        assert_int_equal(lab_status_live(status), i <= LAB_STATUS_RUNNING);
    }
    enum lab_status status = LAB_STATUS_FAILED;
    assert_false(lab_status_parse("Running", &status));
    assert_false(lab_status_parse("", &status));
    assert_int_equal(status, LAB_STATUS_FAILED);
}

/* Adds a run and changes it to a status. */
static void add_run_in(struct lab_store *store, enum lab_status status, char id[LAB_RUN_ID_SIZE])
{
    add_plain_run(store, id);
    if (status != LAB_STATUS_QUEUED)
        assert_int_equal(lab_store_start_run(store, id, 10, NULL), LAB_STORE_OK);
    if (!lab_status_live(status))
        assert_int_equal(lab_store_finish_run(store, id, status, 20, false, NULL, NULL), LAB_STORE_OK);
}

STORE_TEST(allows_only_valid_transitions)
{
    for (int i = LAB_STATUS_QUEUED; i <= LAB_STATUS_INTERRUPTED; i++) {
        for (int j = LAB_STATUS_QUEUED; j <= LAB_STATUS_INTERRUPTED; j++) {
            enum lab_status from = (enum lab_status)i, to = (enum lab_status)j;
            char id[LAB_RUN_ID_SIZE];
            struct kept_run kept;
            bool allowed = (from == LAB_STATUS_QUEUED && (to == LAB_STATUS_RUNNING || to == LAB_STATUS_CANCELLED)) ||
                           (from == LAB_STATUS_RUNNING && to > LAB_STATUS_RUNNING);
            add_run_in(fixture->store, from, id);
            get_run(fixture->store, id, &kept);
            int64_t revision = kept.row.revision;
            enum lab_store_result result = to == LAB_STATUS_RUNNING
                                               ? lab_store_start_run(fixture->store, id, 30, NULL)
                                               : lab_store_finish_run(fixture->store, id, to, 30, false, NULL, NULL);
            assert_int_equal(result, allowed ? LAB_STORE_OK : LAB_STORE_CONFLICT);
            get_run(fixture->store, id, &kept);
            assert_int_equal(kept.row.status, allowed ? to : from);
            assert_int_equal(kept.row.revision, revision + allowed);
        }
    }
    assert_in_step(fixture->path);
}

STORE_TEST(records_start_and_end)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    add_plain_run(fixture->store, id);
    const int64_t later = lab_time_now() + 1000;
    assert_int_equal(lab_store_start_run(fixture->store, id, later, NULL), LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_RUNNING);
    assert_int_equal(kept.row.started_at, later);
    assert_int_equal(kept.row.finished_at, LAB_NO_TIME);
    assert_int_equal(kept.row.revision, 2);
    lab_store_set_environment(fixture->store, id, "{\"driver\":\"570\"}", NULL);
    lab_store_set_environment(fixture->store, id, "{\"driver\":\"580\"}", "580");
    lab_store_set_headline(fixture->store, id, "[1]");
    assert_int_equal(
        lab_store_finish_run(fixture->store, id, LAB_STATUS_FAILED, later + 1000, true, "{\"code\":\"crashed\"}", NULL),
        LAB_STORE_OK);
    reopen_store(fixture);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_FAILED);
    assert_int_equal(kept.row.finished_at, later + 1000);
    assert_string_equal(kept.environment, "{\"driver\":\"580\"}");
    assert_string_equal(kept.headline, "[1]");
    assert_true(kept.row.contended);
    assert_string_equal(kept.error, "{\"code\":\"crashed\"}");
    assert_int_equal(kept.row.revision, 3);
}

STORE_TEST(times_follow_each_other_whatever_the_clock_says)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    run.created_at = 5000000;
    add_run(fixture->store, &run);
    assert_int_equal(lab_store_start_run(fixture->store, id, 4000000, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 3000000, false, NULL, NULL),
                     LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.started_at, 5000000);
    assert_int_equal(kept.row.finished_at, 5000000);
}

STORE_TEST(unknown_runs_are_not_found)
{
    struct lab_store *store = fixture->store;
    const char *id = "0190c0de-0000-7000-8000-000000000000";
    const struct lab_run_patch patch = {.note = "x"};
    assert_int_equal(lab_store_get_run(store, id, NULL), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_start_run(store, id, 1, NULL), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_FAILED, 1, false, NULL, NULL), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_patch_run(store, id, &patch, NULL), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_delete_run(store, id), LAB_STORE_NOT_FOUND);
    assert_non_null(strstr(lab_store_message(store), id));
}

STORE_TEST(interrupts_running_runs)
{
    char ids[6][LAB_RUN_ID_SIZE];
    struct kept_run kept;
    size_t count = 99;
    add_plain_run(fixture->store, ids[0]); /* one run is queued, none has been running */
    assert_int_equal(lab_store_interrupt_running(fixture->store, 5, &count), LAB_STORE_OK);
    assert_int_equal(count, 0);
    get_run(fixture->store, ids[0], &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_QUEUED);
    for (int i = 0; i < 6; i++)
        add_run_in(fixture->store, (enum lab_status)i, ids[i]);
    char another[LAB_RUN_ID_SIZE];
    add_run_in(fixture->store, LAB_STATUS_RUNNING, another);
    reopen_store(fixture);
    const int64_t later = lab_time_now() + 1000;
    assert_int_equal(lab_store_interrupt_running(fixture->store, later, &count), LAB_STORE_OK);
    assert_int_equal(count, 2);
    for (int i = 0; i < 6; i++) {
        get_run(fixture->store, ids[i], &kept);
        assert_int_equal(kept.row.status, i == LAB_STATUS_RUNNING ? (int)LAB_STATUS_INTERRUPTED : i);
    }
    get_run(fixture->store, another, &kept);
    assert_int_equal(kept.row.status, LAB_STATUS_INTERRUPTED);
    assert_int_equal(kept.row.finished_at, later);
    assert_int_equal(kept.row.revision, 3);
    assert_in_step(fixture->path);
}

/* --- patching ----------------------------------------------------------------------------------------------------- */

STORE_TEST(patches_given_fields_only)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    const bool yes = true, no = false;
    add_plain_run(fixture->store, id);

    assert_int_equal(lab_store_patch_run(fixture->store, id, &(struct lab_run_patch){.note = "new"}, NULL),
                     LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_string_equal(kept.note, "new");
    assert_string_equal(kept.tags, "[]");
    assert_int_equal(kept.row.revision, 2);

    assert_int_equal(
        lab_store_patch_run(fixture->store, id, &(struct lab_run_patch){.tags = "[\"a\",\"b\"]", .pinned = &yes}, NULL),
        LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_string_equal(kept.note, "new");
    assert_string_equal(kept.tags, "[\"a\",\"b\"]");
    assert_true(kept.row.pinned);
    assert_int_equal(kept.row.revision, 3);

    assert_int_equal(lab_store_patch_run(fixture->store, id, &(struct lab_run_patch){.pinned = &no}, NULL),
                     LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_false(kept.row.pinned);
    assert_int_equal(kept.row.revision, 4);
    assert_in_step(fixture->path);
}

STORE_TEST(patching_nothing_changes_nothing)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    add_plain_run(fixture->store, id);
    assert_int_equal(lab_store_patch_run(fixture->store, id, &(struct lab_run_patch){0}, NULL), LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.revision, 1);
}

struct condition {
    int64_t revision;
    enum lab_status status;
};

static bool is_met(void *context, int64_t revision, enum lab_status status)
{
    const struct condition *condition = context;
    return revision == condition->revision && status == condition->status;
}

STORE_TEST(a_patch_that_the_run_does_not_allow_conflicts)
{
    char id[LAB_RUN_ID_SIZE];
    struct kept_run kept;
    add_run_in(fixture->store, LAB_STATUS_SUCCEEDED, id);
    struct lab_run_row *written;
    struct condition condition = {2, LAB_STATUS_SUCCEEDED};
    const struct lab_run_patch patch = {.note = "stale", .allows = is_met, .context = &condition};
    assert_int_equal(lab_store_patch_run(fixture->store, id, &patch, &written), LAB_STORE_CONFLICT);
    assert_null(written);
    assert_non_null(strstr(lab_store_message(fixture->store), "revision 3"));
    condition = (struct condition){3, LAB_STATUS_RUNNING};
    assert_int_equal(lab_store_patch_run(fixture->store, id, &patch, NULL), LAB_STORE_CONFLICT);
    condition = (struct condition){3, LAB_STATUS_SUCCEEDED};
    assert_int_equal(
        lab_store_patch_run(fixture->store, id, &(struct lab_run_patch){.allows = is_met, .context = &condition}, NULL),
        LAB_STORE_OK);
    get_run(fixture->store, id, &kept);
    assert_string_equal(kept.note, "");
    assert_int_equal(kept.row.revision, 3);
    assert_in_step(fixture->path);
}

/* --- deleting ----------------------------------------------------------------------------------------------------- */

STORE_TEST(deletes_a_run_with_its_results)
{
    char id[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    static const char *const tables[] = {"run",  "run_device", "run_tag", "measurement", "samples",
                                         "span", "field",      "warning", "note",        "environment"};
    static const double samples[] = {1, 2, 3};
    add_run_in(fixture->store, LAB_STATUS_RUNNING, id);
    add_run_in(fixture->store, LAB_STATUS_SUCCEEDED, other);
    const struct lab_measurement_row measurement = {
        .axes = "{}", .metric = "time", .unit = "s", .n = 3, .sample_count = 3, .samples = samples};
    const struct lab_span_row span = {.lane = "a", .kind = "b", .label = "c", .axes = "{}"};
    lab_store_add_measurement(fixture->store, id, &measurement);
    lab_store_add_span(fixture->store, id, &span);
    lab_store_add_field(fixture->store, id, "{}");
    lab_store_add_warning(fixture->store, id, "careful");
    lab_store_add_note(fixture->store, id, "FAKE 1.2.3");
    lab_store_set_environment(fixture->store, id, "{}", "{}");
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM measurement"), 1);

    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_OK);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_NOT_FOUND);
    assert_in_step(fixture->path);
    assert_int_equal(lab_store_delete_run(fixture->store, other), LAB_STORE_OK);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        assert_int_equal(ask_file(fixture->path, sql), 0);
    }
    close_store(fixture);
    assert_search_sound(fixture->path);
}

STORE_TEST(keeps_live_runs)
{
    char id[LAB_RUN_ID_SIZE];
    add_plain_run(fixture->store, id);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_OK);
    assert_in_step(fixture->path);
}
