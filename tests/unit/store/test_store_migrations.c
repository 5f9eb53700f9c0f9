/* db/migrations: databases of every earlier version keep everything, and what is derived from it is right. */
#include "support/store_versions.h"
#include "support/test.h"

#include "core/shape.h"

static void assert_runs_kept(struct fixture *fixture)
{
    struct kept_run run;
    get_run(fixture->store, RUN_A, &run);
    assert_int_equal(run.row.revision, 4);
    assert_int_equal(run.row.status, LAB_STATUS_SUCCEEDED);
    assert_true(run.row.pinned && run.row.contended && run.row.time_limit_s == 12.5);
    assert_int_equal(run.row.created_at, 1000);
    assert_int_equal(run.row.started_at, 2000);
    assert_int_equal(run.row.finished_at, 3000);
    assert_string_equal(run.host, "node-1");
    assert_string_equal(run.devices, "[" DEVICE("GPU-1", "\"NVIDIA H200\"") "]");
    assert_string_equal(run.model, "NVIDIA H200");
    assert_string_equal(run.parameters, "{\"bytes\":1}");
    assert_string_equal(run.tags, "[\"nightly\",\"driver-580\"]");
    assert_string_equal(run.note, "first note");
    assert_string_equal(run.environment, "{\"devices\":[{\"id\":\"GPU-1\",\"name\":\"NVIDIA H200\"}]}");
    assert_null(run.row.error);
    assert_null(run.row.kernel);
    get_run(fixture->store, RUN_B, &run);
    assert_int_equal(run.row.status, LAB_STATUS_QUEUED);
    assert_int_equal(run.row.started_at, LAB_NO_TIME);
    assert_int_equal(run.row.finished_at, LAB_NO_TIME);
    assert_null(run.row.environment);
    get_run(fixture->store, RUN_C, &run);
    assert_string_equal(run.devices, "[" DEVICE("GPU-2", "null") "," DEVICE("GPU-3", "\"NVIDIA V100\"") "]");
    assert_string_equal(run.error, "{\"type\":\"crashed\"}");
    assert_int_equal(run.row.started_at, 5000); /* raised to created_at */
    assert_int_equal(run.row.finished_at, 5000);
}

static void count_run(void *context, const struct lab_run_row *run)
{
    (void)run;
    ++*(size_t *)context;
}

static size_t matching(struct fixture *fixture, struct lab_run_filter filter)
{
    size_t count = 0;
    bool more = false;
    filter.since = filter.until = LAB_NO_TIME;
    filter.limit = 10;
    assert_int_equal(lab_store_list_runs(fixture->store, &filter, count_run, &count, &more), LAB_STORE_OK);
    return count;
}

static void assert_runs_found(struct fixture *fixture)
{
    assert_int_equal(matching(fixture, (struct lab_run_filter){0}), 3);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.experiment = "transfer"}), 2);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.device = "GPU-3"}), 1);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.device = "NVIDIA H200"}), 1);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.tag = "nightly"}), 2);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.text = "second note"}), 1);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.text = "v100"}), 1);
    assert_int_equal(matching(fixture, (struct lab_run_filter){.before = RUN_B}), 1);
    char existing[LAB_RUN_ID_SIZE];
    assert_int_equal(
        lab_store_find_key(fixture->store, &(struct lab_request_key){"k", "{\"a\":1}"}, 10000000, existing),
        LAB_STORE_OK);
    assert_string_equal(existing, RUN_B);
    assert_int_equal(
        lab_store_find_key(fixture->store, &(struct lab_request_key){"k", "{\"a\":2}"}, 10000000, existing),
        LAB_STORE_CONFLICT);
    assert_in_step(fixture->path);
}

static void keep_row(void *context, const struct lab_measurement_row *row)
{
    struct lab_measurement_row *rows = context;
    rows[row->position] = *row;
    rows[row->position].axes = strdup(row->axes);
    rows[row->position].stop_reason = row->stop_reason != NULL ? strdup(row->stop_reason) : NULL;
    rows[row->position].kernel = row->kernel != NULL ? strdup(row->kernel) : NULL;
    rows[row->position].shape = row->shape != NULL ? strdup(row->shape) : NULL;
    rows[row->position].skipped = row->skipped != NULL ? strdup(row->skipped) : NULL;
}

static void free_row(struct lab_measurement_row *row)
{
    free((char *)row->axes);
    free((char *)row->stop_reason);
    free((char *)row->kernel);
    free((char *)row->shape);
    free((char *)row->skipped);
}

static void assert_results_kept(struct fixture *fixture, size_t version)
{
    struct lab_measurement_row rows[2];
    double samples[2];
    size_t total = 0;
    char value[8];
    assert_int_equal(lab_store_list_measurements(fixture->store, RUN_A, 0, SIZE_MAX, keep_row, rows), LAB_STORE_OK);
    assert_string_equal(rows[0].axes, "{\"direction\":\"h2d\",\"bytes\":1024}");
    assert_string_equal(rows[0].stop_reason, version < 5 ? "budget" : "timed-out");
    const double read[] = {rows[0].median, rows[0].q1,   rows[0].q3,   rows[0].min,
                           rows[0].max,    rows[0].mean, rows[0].stdev};
    for (int i = 0; i < 7; i++)
        assert_true(read[i] == i + 1);
    assert_true(rows[0].noise == 1); /* (q3 - q1) / median; it was 8 */
    char *shape = lab_shape_text((const double[]){1, 2.5}, 2);
    assert_string_equal(rows[0].shape, shape);
    free(shape);
    assert_int_equal(rows[0].numa_node, 3);
    assert_int_equal(rows[0].sample_count, 2);
    if (version >= 3)
        assert_string_equal(rows[0].kernel, "{\"registers\":32}");
    assert_null(rows[1].shape);
    assert_string_equal(rows[1].skipped, "too long");
    assert_int_equal(rows[1].verified, -1);
    assert_int_equal(lab_store_read_samples(fixture->store, RUN_A, 0, 0, 2, samples, &total), LAB_STORE_OK);
    assert_true(total == 2 && samples[0] == 1 && samples[1] == 2.5);
    free_row(&rows[0]);
    free_row(&rows[1]);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM span WHERE start_ns = -5 AND end_ns = 7"), 1);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM warning WHERE text = 'careful'"), 1);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM note WHERE text = 'FAKE 1.2'"), version >= 4);
    assert_int_equal(lab_store_get(fixture->store, "queue.paused", value, sizeof value), LAB_STORE_OK);
    /* Axes that differ in their order only are one point; another experiment has points of its own. */
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM point"), 3);
    assert_int_equal(ask_file(fixture->path, "SELECT count(DISTINCT canonical) FROM point"), 2);
}

VERSION_TEST(every_version_keeps_everything)
{
    for (size_t version = 1; version < lab_migration_count; version++) {
        make_version(fixture->path, version);
        open_store(fixture);
        assert_runs_kept(fixture);
        assert_runs_found(fixture);
        if (version >= 2)
            assert_results_kept(fixture, version);
        assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
        assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%old%'"), 0);
        assert_true(is_sound(fixture->path));
        assert_int_equal(lab_store_finish_run(fixture->store, RUN_B, LAB_STATUS_CANCELLED, 1, false, NULL, NULL),
                         LAB_STORE_OK);
        assert_int_equal(
            lab_store_patch_run(fixture->store, RUN_A, &(struct lab_run_patch){.pinned = &(const bool){false}}, NULL),
            LAB_STORE_OK); /* a pinned run cannot be deleted */
        assert_int_equal(lab_store_delete_run(fixture->store, RUN_A), LAB_STORE_OK);
        assert_in_step(fixture->path);
        close_store(fixture);
        assert_search_sound(fixture->path);
        unlink(fixture->path);
    }
}
