#include "support/store_versions.h"

/* What version 1 had, less the tables that were derived. */
static const char runs_of_version_1[] =
    "INSERT INTO run(number, id, revision, experiment, status, pinned, contended, created_at, started_at, finished_at,"
    " time_limit_s, host, devices, parameters, tags, note, error, environment) VALUES"
    " (1720000000000, '" RUN_A
    "', 4, 'transfer', 'succeeded', 1, 1, 1000, 2000, 3000, 12.5, 'node-1', '[\"GPU-1\"]',"
    "  '{\"bytes\":1}', '[\"nightly\",\"driver-580\"]', 'first note', NULL,"
    "  '{\"devices\":[{\"id\":\"GPU-1\",\"name\":\"NVIDIA H200\"}]}'),"
    " (1720000000001, '" RUN_B
    "', 1, 'transfer', 'queued', 0, 0, 1000, NULL, NULL, 0, 'node-1', '[\"GPU-1\"]', '{}', '[]',"
    "  '', NULL, NULL),"
    " (1730000000000, '" RUN_C
    "', 3, 'peer', 'failed', 0, 0, 5000, 4000, 4500, 0, 'node-2', '[\"GPU-2\",\"GPU-3\"]', '{}',"
    "  '[\"nightly\"]', 'second note', '{\"type\":\"crashed\"}',"
    "  '{\"devices\":[{\"id\":\"GPU-3\",\"name\":\"NVIDIA V100\"},{\"id\":\"GPU-4\",\"name\":\"other\"}]}');"
    "INSERT INTO idempotency_key(key, body, run, at) VALUES ('k', '{\"a\":1}', 1720000000001, 9000000);";

/* What version 2 added. Points 0 of the first run and 1 of the third have equal axes, written differently. */
static const char results_of_version_2[] =
    "INSERT INTO measurement(run, position, axes, metric, unit, n, median, q1, q3, min, max, mean, stdev, noise,"
    " stop_reason, verified, wrong, cache, numa_node, peak, conditions, skipped, samples) VALUES"
    " (1720000000000, 0, '{\"direction\":\"h2d\",\"bytes\":1024}', 'bandwidth', 'GB/s', 2, 1, 2, 3, 4, 5, 6, 7, 8,"
    "  'timed-out', 1, 0, 'warm', 3, '{\"value\":64}', '{\"power_w\":70}', NULL, x'000000000000F03F0000000000000440'),"
    " (1720000000000, 1, '{\"bytes\":2048,\"direction\":\"h2d\"}', 'bandwidth', 'GB/s', 0, NULL, NULL, NULL, NULL, NULL,"
    "  NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 'too long', NULL),"
    " (1730000000000, 0, '{\"bytes\":1024,\"direction\":\"h2d\"}', 'bandwidth', 'GB/s', 1, 2.5, NULL, NULL, NULL, NULL, NULL,"
    "  NULL, NULL, 'converged', 0, 9, NULL, NULL, NULL, NULL, NULL, x'0000000000000440');"
    "UPDATE run SET measurement_count = 2 WHERE number = 1720000000000;"
    "UPDATE run SET measurement_count = 1, wrong_count = 1 WHERE number = 1730000000000;"
    "INSERT INTO span(run, position, lane, kind, label, axes, start_ns, end_ns) VALUES"
    " (1730000000000, 0, 'stream 1', 'compute', 'chunk', '{}', -5, 7);"
    "INSERT INTO warning(run, position, text) VALUES (1720000000000, 0, 'careful');"
    "INSERT INTO setting(name, value) VALUES ('queue.paused', 'true');";

void migrate_file(const char *path, size_t version, size_t count)
{
    struct lab_db connection;
    assert_int_equal(lab_db_open(&connection, path, true), LAB_STORE_OK);
    assert_int_equal(lab_schema_migrate(&connection, lab_migrations, version, count), LAB_STORE_OK);
    lab_db_close(&connection);
}

void make_version(const char *path, size_t version)
{
    size_t first = version < LAST_WITH_NUMBERS ? version : LAST_WITH_NUMBERS;
    assert_int_equal(close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600)), 0);
    migrate_file(path, 0, first);
    change_file(path, runs_of_version_1);
    if (version >= 2)
        change_file(path, results_of_version_2);
    if (version >= 3)
        change_file(path, "UPDATE measurement SET kernel = '{\"registers\":32}' WHERE run = 1720000000000");
    if (version >= 4)
        change_file(path, "INSERT INTO note(run, position, text) VALUES (1720000000000, 0, 'FAKE 1.2')");
    if (version > first)
        migrate_file(path, first, version);
}

void copy_path(char path[128], const struct fixture *fixture, size_t version)
{
    snprintf(path, 128, "%s.schema-%zu", fixture->path, version);
}

void remove_database(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

int remove_store_and_copies(void **state)
{
    for (size_t version = 1; version < lab_migration_count; version++) {
        char path[128];
        copy_path(path, *state, version);
        remove_database(path);
    }
    return remove_store(state);
}
