/* db/runs/import_run.c, drop_output.c, results/drop_samples.c, backup.c: runs from elsewhere, old samples and output,
 * and copies of the database. */
#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

static const double samples[] = {1, 2.5};
static const struct lab_measurement_row measurement = {.axes = "{\"b\":1,\"a\":2}",
                                                       .metric = "time",
                                                       .unit = "s",
                                                       .n = 2,
                                                       .median = 1.75,
                                                       .verified = 0,
                                                       .wrong = 3,
                                                       .numa_node = INT64_MIN,
                                                       .samples = samples,
                                                       .sample_count = 2};

static void keep_measurement(void *context, const struct lab_measurement_row *row)
{
    *(struct lab_measurement_row *)context = *row;
}

/* --- import ------------------------------------------------------------------------------------------------------- */

static struct lab_imported_run imported_run(const char *id)
{
    static const struct lab_span_row span = {.lane = "stream 1", .kind = "compute", .start_ns = 1, .end_ns = 2};
    static const char *const field = "{\"name\":\"potential\"}";
    return (struct lab_imported_run){.run = {.id = id,
                                             .revision = 7,
                                             .experiment = "transfer",
                                             .status = LAB_STATUS_FAILED,
                                             .priority = LAB_PRIORITY_LOW,
                                             .pinned = true,
                                             .contended = true,
                                             .created_at = 1000000,
                                             .started_at = 2000000,
                                             .finished_at = 3000000,
                                             .requested_by = "Ada",
                                             .host = "elsewhere",
                                             .devices = "[" DEVICE("GPU-9", "\"H200\"") "]",
                                             .parameters = "{}",
                                             .tags = "[\"nightly\"]",
                                             .note = "imported note",
                                             .headline = "[]",
                                             .environment = "{\"driver\":1}",
                                             .warnings = "[\"hot\",\"loud\"]",
                                             .notes = "[\"NCCL\"]",
                                             .error = "{\"type\":\"x\"}"},
                                     .environment_key = "1",
                                     .measurements = &measurement,
                                     .measurement_count = 1,
                                     .spans = &span,
                                     .span_count = 1,
                                     .fields = &field,
                                     .field_count = 1};
}

STORE_TEST(an_imported_run_is_complete)
{
    const char *id = "0190c0de-aaaa-7000-8000-000000000001";
    struct lab_imported_run imported = imported_run(id);
    struct kept_run kept;
    struct lab_measurement_row row;
    double values[2];
    size_t total = 0;
    bool added = false;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_true(added);
    get_run(fixture->store, id, &kept);
    assert_int_equal(kept.row.revision, 7);
    assert_int_equal(kept.row.status, LAB_STATUS_FAILED);
    assert_int_equal(kept.row.priority, LAB_PRIORITY_LOW);
    assert_true(kept.row.pinned && kept.row.contended);
    assert_int_equal(kept.row.created_at, 1000000);
    assert_int_equal(kept.row.started_at, 2000000);
    assert_int_equal(kept.row.finished_at, 3000000);
    assert_string_equal(kept.requested_by, "Ada");
    assert_string_equal(kept.model, "H200");
    assert_string_equal(kept.environment, "{\"driver\":1}");
    assert_string_equal(kept.warnings, "[\"hot\",\"loud\"]");
    assert_string_equal(kept.notes, "[\"NCCL\"]");
    assert_string_equal(kept.error, "{\"type\":\"x\"}");
    assert_string_equal(kept.headline, "[]");
    assert_int_equal(kept.row.measurement_count, 1);
    assert_int_equal(kept.row.wrong_count, 1);
    assert_int_equal(lab_store_list_measurements(fixture->store, id, 0, 1, keep_measurement, &row), LAB_STORE_OK);
    assert_true(row.median == 1.75);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 0, 2, values, &total), LAB_STORE_OK);
    assert_memory_equal(values, samples, sizeof samples);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM span"), 1);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM field WHERE content ->> 'name' = 'potential'"), 1);
    assert_in_step(fixture->path);
    close_store(fixture);
    assert_search_sound(fixture->path);
}

STORE_TEST(importing_again_changes_nothing)
{
    char id[LAB_RUN_ID_SIZE];
    bool added = true;
    add_plain_run(fixture->store, id);
    struct lab_imported_run imported = imported_run(id);
    uint64_t generation = lab_store_generation(fixture->store);
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_false(added);
    assert_true(lab_store_generation(fixture->store) == generation);
    imported.run.status = LAB_STATUS_RUNNING;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_CONFLICT);
}

STORE_TEST(a_file_is_one_run_whenever_it_is_imported)
{
    static const unsigned char digests[2][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 10}};
    char first[LAB_RUN_ID_SIZE], later[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE], found[LAB_RUN_ID_SIZE];
    bool added = false;
    lab_run_id_of_file(1000000, digests[0], first);
    lab_run_id_of_file(5000000, digests[0], later);
    lab_run_id_of_file(1000000, digests[1], other);
    assert_string_not_equal(first, later);
    struct lab_imported_run imported = imported_run(first);
    imported.of_file = true;
    assert_int_equal(lab_store_find_file(fixture->store, later, found), LAB_STORE_NOT_FOUND);
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_true(added);
    imported.run.id = later;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_false(added);
    assert_int_equal(lab_store_find_file(fixture->store, later, found), LAB_STORE_OK);
    assert_string_equal(found, first);
    imported.run.id = other;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_true(added);
}

STORE_TEST(samples_are_added_all_or_none)
{
    const char *id = "0190c0de-aaaa-7000-8000-000000000002";
    struct lab_measurement_row bare[2] = {measurement, measurement}, rows[2] = {measurement, measurement};
    struct lab_imported_run imported = imported_run(id);
    double values[2];
    size_t total = 0;
    bool added;
    bare[0].sample_count = bare[1].sample_count = 0;
    rows[1].position = 1;
    imported.measurements = bare;
    imported.measurement_count = 2;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    assert_int_equal(lab_store_add_samples(fixture->store, id, 6, rows, 2), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_add_samples(fixture->store, id, 7, &rows[1], 1), LAB_STORE_OK);
    assert_int_equal(lab_store_add_samples(fixture->store, id, 7, rows, 2),
                     LAB_STORE_CONFLICT); /* the second has samples */
    assert_int_equal(lab_store_read_samples(fixture->store, id, 0, 0, 2, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 0);
    assert_int_equal(lab_store_read_samples(fixture->store, id, 1, 0, 2, values, &total), LAB_STORE_OK);
    assert_memory_equal(values, samples, sizeof samples);
    assert_in_step(fixture->path);
}

STORE_TEST(a_run_that_violates_the_schema_is_not_added)
{
    struct lab_imported_run imported = imported_run("0190c0de-aaaa-7000-8000-000000000003");
    bool added = true;
    imported.run.host = NULL;
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_CONFLICT);
    assert_false(added);
    assert_true(lab_store_healthy(fixture->store, NULL, 0));
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run"), 0);
}

/* Ids that are created after an import are greater than the imported one, although the clock of the other lab is
 * ahead. */
STORE_TEST(ids_grow_beyond_imported_ones)
{
    const char *ahead = "fffe0000-0000-7000-8000-000000000001", *later = "0fff0000-0000-7000-8000-000000000001";
    char id[LAB_RUN_ID_SIZE];
    bool added = false;
    struct lab_imported_run imported = imported_run(ahead);
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_FAILED); /* the year 10889 */
    imported = imported_run(later);
    assert_int_equal(lab_store_import_run(fixture->store, &imported, &added), LAB_STORE_OK);
    lab_run_id(id);
    assert_true(strcmp(id, later) > 0);
}

/* --- samples and points ------------------------------------------------------------------------------------------- */

/* Adds a finished run with two measurements of a point of its own. */
static void add_finished(struct lab_store *store, const char *axes, int64_t at, bool pinned, char id[LAB_RUN_ID_SIZE])
{
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    struct lab_measurement_row row = measurement;
    row.axes = axes;
    run.created_at = at;
    add_run(store, &run);
    assert_int_equal(lab_store_start_run(store, id, at, NULL), LAB_STORE_OK);
    lab_store_add_measurement(store, id, &row);
    lab_store_add_measurement(store, id, &row);
    assert_int_equal(lab_store_finish_run(store, id, LAB_STATUS_SUCCEEDED, at, false, NULL, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_patch_run(store, id, &(struct lab_run_patch){.pinned = &pinned}, NULL), LAB_STORE_OK);
}

STORE_TEST(old_samples_are_dropped_in_steps)
{
    char old[3][LAB_RUN_ID_SIZE], recent[LAB_RUN_ID_SIZE];
    struct lab_measurement_row row;
    size_t dropped = 0, total = 99;
    double values[2];
    for (int i = 0; i < 3; i++)
        add_finished(fixture->store, "{}", 1000 + i, i == 1, old[i]);
    add_finished(fixture->store, "{}", 2000, false, recent);
    static const size_t steps[] = {3, 1, 0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lab_store_drop_samples(fixture->store, 2000, 3, &dropped), LAB_STORE_OK);
        assert_int_equal(dropped, steps[i]);
    }
    assert_int_equal(lab_store_list_measurements(fixture->store, old[0], 0, 1, keep_measurement, &row), LAB_STORE_OK);
    assert_int_equal(row.sample_count, 0);
    assert_int_equal(row.n, 2);
    assert_true(row.median == 1.75);
    assert_int_equal(lab_store_read_samples(fixture->store, old[0], 0, 0, 2, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 0);
    assert_int_equal(lab_store_read_samples(fixture->store, old[1], 0, 0, 2, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 2); /* the run is pinned */
    assert_int_equal(lab_store_read_samples(fixture->store, recent, 0, 0, 2, values, &total), LAB_STORE_OK);
    assert_int_equal(total, 2);
}

STORE_TEST(old_output_is_removed)
{
    static const struct {
        int64_t at;
        bool pinned;
        const char *output, *left;
    } runs[] = {{1000, false, "old", ""},
                {1001, true, "kept", "kept"},
                {1002, false, NULL, "none"},
                {2000, false, "new", "new"}};
    char ids[4][LAB_RUN_ID_SIZE];
    struct lab_run_row *row;
    size_t dropped = 0;
    for (int i = 0; i < 4; i++) {
        lab_run_id(ids[i]);
        struct lab_run_row run = plain_run(ids[i]);
        run.created_at = runs[i].at;
        add_run(fixture->store, &run);
        assert_int_equal(lab_store_start_run(fixture->store, ids[i], runs[i].at, NULL), LAB_STORE_OK);
        if (runs[i].output != NULL)
            lab_store_add_output(fixture->store, ids[i], runs[i].output);
        assert_int_equal(
            lab_store_finish_run(fixture->store, ids[i], LAB_STATUS_SUCCEEDED, runs[i].at, false, NULL, NULL),
            LAB_STORE_OK);
        assert_int_equal(
            lab_store_patch_run(fixture->store, ids[i], &(struct lab_run_patch){.pinned = &runs[i].pinned}, NULL),
            LAB_STORE_OK);
    }
    assert_int_equal(lab_store_drop_output(fixture->store, 2000, 5, &dropped), LAB_STORE_OK);
    assert_int_equal(dropped, 1);
    assert_int_equal(lab_store_drop_output(fixture->store, 2000, 5, &dropped), LAB_STORE_OK);
    assert_int_equal(dropped, 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(lab_store_get_run(fixture->store, ids[i], &row), LAB_STORE_OK);
        assert_string_equal(row->output != NULL ? row->output : "none", runs[i].left);
        free(row);
    }
}

STORE_TEST(points_go_with_their_last_measurement)
{
    char one[LAB_RUN_ID_SIZE], other[LAB_RUN_ID_SIZE];
    add_finished(fixture->store, "{\"a\":1,\"b\":2}", 1000, false, one);
    add_finished(fixture->store, "{\"b\":2, \"a\":1}", 1000, false, other);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM point"), 1);
    assert_int_equal(lab_store_delete_run(fixture->store, one), LAB_STORE_OK);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM point"), 1);
    assert_int_equal(lab_store_delete_run(fixture->store, other), LAB_STORE_OK);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM point"), 0);
}

TEST(axes_are_canonical)
{
    static const struct {
        const char *axes, *canonical;
    } cases[] = {
        {"{}", "{}"},
        {" { } ", "{}"},
        {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
        {"{ \"b\" : 1.50 ,\n\t\"a\" : \"x y\" }", "{\"a\":\"x y\",\"b\":1.50}"},
        {"{\"ab\":1,\"a\":2}", "{\"a\":2,\"ab\":1}"},
        {"{\"q\\\"\":\"},{\",\"l\":[1,{\"z\":2,\"y\":3}]}", "{\"l\":[1,{\"z\":2,\"y\":3}],\"q\\\"\":\"},{\"}"},
        {"{\"\\u00e9\":null,\"e\\\\\":true}", "{\"\\u00e9\":null,\"e\\\\\":true}"},
        {"", ""},
        {"{", "{}"},
        {"{\"a\"", "{\"a\"}"},
        {"[1, 2]", "[1,2]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *canonical = lab_canonical_axes(cases[i].axes);
        assert_string_equal(canonical, cases[i].canonical);
        free(canonical);
    }
}

/* --- backup ------------------------------------------------------------------------------------------------------- */

struct writing {
    struct lab_store *store;
    atomic_bool stop;
    atomic_int added;
};

static void *add_until_stopped(void *argument)
{
    struct writing *writing = argument;
    while (!atomic_load(&writing->stop)) {
        char id[LAB_RUN_ID_SIZE];
        add_plain_run(writing->store, id);
        atomic_fetch_add(&writing->added, 1);
    }
    return NULL;
}

struct steps {
    struct writing *writing;
    int count;
    int64_t copied, total;
};

/* Between two steps, at least one run is added. */
static bool wait_for_a_run(void *context, int64_t copied, int64_t total)
{
    struct steps *steps = context;
    int before = atomic_load(&steps->writing->added);
    while (atomic_load(&steps->writing->added) == before)
        sleep_ms(1);
    assert_true(copied > steps->copied && copied <= total);
    steps->copied = copied;
    steps->total = total;
    steps->count++;
    return true;
}

STORE_TEST(a_backup_is_one_state_while_runs_are_added)
{
    static double many[1 << 21]; /* 16 MiB: several steps */
    struct lab_measurement_row large = measurement;
    char id[LAB_RUN_ID_SIZE], path[128], message[200];
    add_plain_run(fixture->store, id);
    large.samples = many;
    large.sample_count = sizeof many / sizeof *many;
    lab_store_add_measurement(fixture->store, id, &large);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL),
                     LAB_STORE_OK);

    struct writing writing = {.store = fixture->store};
    struct steps steps = {.writing = &writing};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, add_until_stopped, &writing), 0);
    snprintf(path, sizeof path, "%s/copy.db", fixture->folder);
    assert_int_equal(lab_store_backup(fixture->store, path, wait_for_a_run, &steps), LAB_STORE_OK);
    atomic_store(&writing.stop, true);
    pthread_join(thread, NULL);
    assert_true(steps.count >= 3);

    struct lab_store *copy = lab_store_open(path, message, sizeof message);
    assert_non_null(copy);
    assert_true(is_sound(path));
    assert_int_equal(lab_store_get_run(copy, id, NULL), LAB_STORE_OK);
    lab_store_close(copy);
    assert_true(ask_file(path, "SELECT count(*) FROM run") < ask_file(fixture->path, "SELECT count(*) FROM run"));
    assert_in_step(path);
    static const char *const endings[] = {"", ".lock", ".reserve", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s/copy.db%s", fixture->folder, endings[i]);
        unlink(path);
    }
}

static bool give_up(void *context, int64_t copied, int64_t total)
{
    (void)context;
    (void)copied;
    (void)total;
    return false;
}

STORE_TEST(a_backup_that_fails_leaves_nothing)
{
    char path[128];
    snprintf(path, sizeof path, "%s/missing/copy.db", fixture->folder);
    assert_int_equal(lab_store_backup(fixture->store, path, NULL, NULL), LAB_STORE_FAILED);
    assert_non_null(strstr(lab_store_message(fixture->store), "missing/copy.db"));
    snprintf(path, sizeof path, "%s/copy.db", fixture->folder);
    static const double many[1 << 20];
    struct lab_measurement_row large = measurement;
    char id[LAB_RUN_ID_SIZE];
    large.samples = many;
    large.sample_count = 1 << 20;
    add_plain_run(fixture->store, id);
    lab_store_add_measurement(fixture->store, id, &large);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_backup(fixture->store, path, give_up, NULL), LAB_STORE_CONFLICT);
    assert_int_equal(access(path, F_OK), -1);
}

/* Overwrites the content of a page behind its header. */
static void damage(const char *path, long page)
{
    static const char nothing[256];
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, page * 4096 + 8, SEEK_SET), 0);
    assert_int_equal(fwrite(nothing, 1, sizeof nothing, file), sizeof nothing);
    assert_int_equal(fclose(file), 0);
}

STORE_TEST(a_copy_is_verified_and_a_damaged_one_is_found)
{
    char path[128], beside[160], message[320], id[LAB_RUN_ID_SIZE];
    struct lab_verified verified;
    struct stat status;
    snprintf(path, sizeof path, "%s/copy.db", fixture->folder);
    add_plain_run(fixture->store, id);
    lab_store_add_measurement(fixture->store, id, &measurement);
    assert_int_equal(lab_store_start_run(fixture->store, id, 1, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_finish_run(fixture->store, id, LAB_STATUS_SUCCEEDED, 1, false, NULL, NULL),
                     LAB_STORE_OK);
    assert_int_equal(lab_store_backup(fixture->store, path, NULL, NULL), LAB_STORE_OK);
    assert_true(lab_copy_verify(path, &verified, message, sizeof message));
    assert_int_equal(verified.runs, 1);
    assert_int_equal(verified.measurements, 1);
    assert_true(verified.schema > 10);
    snprintf(beside, sizeof beside, "%s-wal", path);
    assert_int_equal(access(beside, F_OK), -1);
    assert_int_equal(stat(path, &status), 0);
    for (long page = 1; page < status.st_size / 4096; page++) /* some have no row yet */
        damage(path, page);
    assert_false(lab_copy_verify(path, &verified, message, sizeof message));
    assert_true(message[0] != '\0');
    assert_int_equal(truncate(path, 4096), 0);
    assert_false(lab_copy_verify(path, &verified, message, sizeof message));
    assert_int_equal(unlink(path), 0);
}
