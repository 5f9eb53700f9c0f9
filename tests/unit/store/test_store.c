/* db/store.c, settings.c, sqlite/lock.c, migrate.c: file, lock, schema, settings. */
#include "store_internal.h"
#include "support/store_harness.h"
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}

/* --- file and folder ---------------------------------------------------------------------------------------------- */

FOLDER_TEST(creates_folder_and_file_readable_by_the_owner_only)
{
    char folder[80], deep[96], path[128], name[144];
    mode_t mask = umask(022);
    snprintf(folder, sizeof folder, "%s/a", fixture->folder);
    snprintf(deep, sizeof deep, "%s/b", folder);
    snprintf(path, sizeof path, "%s/lab.db", deep);
    struct lab_store *store = lab_store_open(path, fixture->message, sizeof fixture->message);
    assert_non_null(store);
    assert_int_equal(mode_of(folder), 0700);
    assert_int_equal(mode_of(deep), 0700);
    assert_int_equal(mode_of(path), 0600);
    static const char *const endings[] = {"-wal", "-shm", ".lock", ".reserve"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        assert_int_equal(mode_of(name), 0600);
    }
    lab_store_close(store);
    umask(mask);
    unlink(path);
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
    rmdir(deep);
    rmdir(folder);
}

STORE_TEST(leaves_no_wal_after_closing)
{
    char id[LAB_RUN_ID_SIZE], wal[128];
    add_plain_run(fixture->store, id);
    close_store(fixture);
    snprintf(wal, sizeof wal, "%s-wal", fixture->path);
    assert_int_not_equal(access(wal, F_OK), 0);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run"), 1);
}

FOLDER_TEST(file_names_have_no_special_meaning)
{
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(fixture->folder), 0);
    struct lab_store *store = lab_store_open(":memory:", fixture->message, sizeof fixture->message);
    assert_non_null(store);
    assert_int_equal(chdir(here), 0);
    /* Readers open the file after the working directory has changed. */
    char id[LAB_RUN_ID_SIZE], path[128];
    add_plain_run(store, id);
    assert_int_equal(lab_store_get_run(store, id, NULL), LAB_STORE_OK);
    lab_store_close(store);
    snprintf(path, sizeof path, "%s/:memory:", fixture->folder);
    assert_int_equal(unlink(path), 0);
    strcat(path, ".lock");
    unlink(path);
    snprintf(path, sizeof path, "%s/:memory:.reserve", fixture->folder);
    unlink(path);
}

FOLDER_TEST(opening_fails_with_the_reason)
{
    assert_null(lab_store_open("", fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "not a file name"));
    assert_null(lab_store_open("/dev/null/lab.db", fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "/dev/null"));
    assert_int_equal(mkdir(fixture->path, 0700), 0);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "directory"));
    rmdir(fixture->path);
}

STORE_TEST(connections_use_durable_settings)
{
    struct lab_db *writer = &fixture->store->writer.connection;
    struct lab_db *reader = lab_reader_acquire(fixture->store);
    assert_non_null(reader);
    struct lab_db *both[] = {writer, reader};
    for (size_t i = 0; i < 2; i++) {
        static const char keys[] = "PRAGMA foreign_keys", synchronous[] = "PRAGMA synchronous",
                          busy[] = "PRAGMA busy_timeout", mapped[] = "PRAGMA mmap_size";
        int64_t value = -1;
        assert_true(lab_select_integer(both[i], &value, keys, LAB_NO_VALUES));
        assert_int_equal(value, 1);
        assert_true(lab_select_integer(both[i], &value, synchronous, LAB_NO_VALUES));
        assert_int_equal(value, 2);
        assert_true(lab_select_integer(both[i], &value, busy, LAB_NO_VALUES));
        assert_int_equal(value, 5000);
        value = 0;
        lab_select_integer(both[i], &value, mapped, LAB_NO_VALUES);
        assert_int_equal(value, 0);
    }
    static const char write[] = "INSERT INTO setting VALUES ('a', 'b')";
    assert_false(lab_execute_statement(reader, write, LAB_NO_VALUES));
    assert_int_equal(reader->failure & 0xff, SQLITE_READONLY);
    assert_int_equal(lab_reader_release(fixture->store, reader, LAB_STORE_OK), LAB_STORE_FAILED);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    /* Every table is strict except the virtual table and its shadow tables. */
    assert_int_equal(ask_file(fixture->path,
                              "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                              " AND name NOT LIKE 'sqlite_%' AND NOT strict"),
                     0);
}

/* --- the lock ----------------------------------------------------------------------------------------------------- */

STORE_TEST(second_opener_gets_the_process_id_of_the_first)
{
    char pid[32], message[400] = "";
    snprintf(pid, sizeof pid, "process %d", (int)getpid());
    assert_null(lab_store_open(fixture->path, message, sizeof message));
    assert_non_null(strstr(message, pid));

    /* Opening fails in another process and through another path too. */
    pid_t child = fork();
    if (child == 0) {
        char other[160];
        snprintf(other, sizeof other, "%s/./lab.db", fixture->folder);
        _exit(lab_store_open(other, message, sizeof message) == NULL && strstr(message, pid) != NULL ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    /* The first store still works. */
    char id[LAB_RUN_ID_SIZE];
    add_plain_run(fixture->store, id);
    reopen_store(fixture);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_OK);
}

static void assert_refused(const char *path, const char *reason)
{
    char message[400] = "";
    assert_null(lab_store_open(path, message, sizeof message));
    if (strstr(message, reason) == NULL)
        fail_msg("'%s' does not contain '%s'", message, reason);
}

STORE_TEST(a_symbolic_link_has_the_lock_of_its_file)
{
    char first[160], second[160], folder[160], through[200], id[LAB_RUN_ID_SIZE];
    snprintf(first, sizeof first, "%s/first.db", fixture->folder);
    snprintf(second, sizeof second, "%s/second.db", fixture->folder);
    snprintf(folder, sizeof folder, "%s/folder", fixture->folder);
    snprintf(through, sizeof through, "%s/second.db", folder);
    assert_int_equal(symlink(fixture->path, first), 0);
    assert_int_equal(symlink("first.db", second), 0); /* a link to a link, relative */
    assert_int_equal(symlink(".", folder), 0);
    assert_refused(first, "in use by process");
    assert_refused(second, "in use by process");
    assert_refused(through, "in use by process");

    close_store(fixture);
    fixture->store = lab_store_open(through, fixture->message, sizeof fixture->message);
    assert_non_null(fixture->store);
    add_plain_run(fixture->store, id);
    assert_refused(fixture->path, "in use by process");
    reopen_store(fixture);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_OK);
    unlink(first);
    assert_refused(second, "a symbolic link to a file that does not exist");
    unlink(second);
    unlink(folder);
}

STORE_TEST(a_file_with_two_names_is_refused)
{
    char other[160], lock[176];
    snprintf(other, sizeof other, "%s/other.db", fixture->folder);
    snprintf(lock, sizeof lock, "%s.lock", other);
    assert_int_equal(link(fixture->path, other), 0);
    assert_refused(other, "2 names (hard links)");
    close_store(fixture);
    assert_refused(fixture->path, "2 names (hard links)");
    assert_int_equal(unlink(other), 0);
    unlink(lock);
    open_store(fixture);
}

FOLDER_TEST(lock_of_a_dead_process_is_released)
{
    pid_t child = fork();
    if (child == 0) {
        lab_store_open(fixture->path, fixture->message, sizeof fixture->message);
        _exit(0); /* without closing */
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    open_store(fixture);
}

/* --- schema ------------------------------------------------------------------------------------------------------- */

struct content {
    size_t size;
    char *bytes;
};

static struct content content_of(const char *path)
{
    struct content content = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    content.size = (size_t)ftell(file);
    rewind(file);
    content.bytes = malloc(content.size + 1);
    assert_int_equal(fread(content.bytes, 1, content.size, file), content.size);
    fclose(file);
    return content;
}

static void assert_untouched(const char *path, const struct content *before)
{
    struct content after = content_of(path);
    assert_int_equal(after.size, before->size);
    assert_memory_equal(after.bytes, before->bytes, after.size);
    free(after.bytes);
}

STORE_TEST(refuses_a_newer_schema)
{
    close_store(fixture);
    change_file(fixture->path,
                "PRAGMA journal_mode = DELETE; PRAGMA user_version = 999;"
                "CREATE TABLE telepathy(thought TEXT); INSERT INTO telepathy VALUES ('kept')");
    struct content before = content_of(fixture->path);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "schema version 999"));
    assert_non_null(strstr(fixture->message, "newer"));
    assert_untouched(fixture->path, &before);
    free(before.bytes);
}

STORE_TEST(refuses_a_newer_schema_without_touching_its_wal)
{
    char wal[128];
    snprintf(wal, sizeof wal, "%s-wal", fixture->path);
    close_store(fixture);
    pid_t child = fork();
    if (child == 0) { /* a newer gpulab that was killed: its last commit is only in the WAL */
        sqlite3 *db = NULL;
        sqlite3_open(fixture->path, &db);
        sqlite3_exec(db, "PRAGMA user_version = 999", NULL, NULL, NULL);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    struct content before = content_of(fixture->path), log = content_of(wal);
    assert_true(log.size > 0);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "schema version 999"));
    assert_untouched(fixture->path, &before);
    assert_untouched(wal, &log);
    free(before.bytes);
    free(log.bytes);
}

FOLDER_TEST(refuses_other_databases)
{
    change_file(fixture->path, "CREATE TABLE recipes(name TEXT)");
    struct content before = content_of(fixture->path);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "not created by gpulab"));
    assert_untouched(fixture->path, &before);
    free(before.bytes);

    FILE *file = fopen(fixture->path, "wb");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database at all\n", file);
    fclose(file);
    before = content_of(fixture->path);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "not a database"));
    assert_untouched(fixture->path, &before);
    free(before.bytes);
}

STORE_TEST(refuses_a_file_without_one_of_its_parts)
{
    static const char *const damages[][2] = {
        {"DROP TABLE span", "table span;"},
        {"DROP TABLE search", "table search;"},
        {"ALTER TABLE run DROP COLUMN output", "table run, column output"},
    };
    char command[256];
    close_store(fixture);
    snprintf(command, sizeof command, "cp %s %s.kept", fixture->path, fixture->path);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        change_file(fixture->path, damages[i][0]);
        assert_refused(fixture->path, damages[i][1]);
        snprintf(command, sizeof command, "cp %s.kept %s", fixture->path, fixture->path);
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    }
    open_store(fixture);
    snprintf(command, sizeof command, "%s.kept", fixture->path);
    unlink(command);
}

static const struct lab_migration good_steps[] = {
    {"001_first", "CREATE TABLE first(a INTEGER) STRICT; INSERT INTO first VALUES (1)"},
    {"002_second", "CREATE TABLE second(b INTEGER) STRICT; INSERT INTO second SELECT a + 1 FROM first"},
    {"003_third", "ALTER TABLE second ADD COLUMN c INTEGER"},
};
static const struct lab_migration broken_steps[] = {
    {"001_first", "CREATE TABLE first(a INTEGER) STRICT; INSERT INTO first VALUES (1)"},
    {"002_second", "CREATE TABLE second(b INTEGER) STRICT; INSERT INTO second VALUES ('no integer')"},
    {"003_third", "CREATE TABLE third(c INTEGER) STRICT"},
};

static enum lab_store_result migrate(const char *path, const struct lab_migration *steps, size_t count, size_t *from)
{
    struct lab_db connection;
    assert_int_equal(close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600)), 0);
    assert_int_equal(lab_db_open(&connection, path, true), LAB_STORE_OK);
    enum lab_store_result result = lab_schema_version(&connection, count, from);
    if (result == LAB_STORE_OK)
        result = lab_schema_migrate(&connection, steps, *from, count);
    lab_db_close(&connection);
    return result;
}

FOLDER_TEST(applies_migrations_in_order)
{
    size_t from = 99;
    assert_int_equal(migrate(fixture->path, good_steps, 1, &from), LAB_STORE_OK);
    assert_int_equal(from, 0);
    assert_int_equal(ask_file(fixture->path, "PRAGMA user_version"), 1);
    assert_int_equal(migrate(fixture->path, good_steps, 3, &from), LAB_STORE_OK);
    assert_int_equal(from, 1);
    assert_int_equal(ask_file(fixture->path, "PRAGMA user_version"), 3);
    assert_int_equal(ask_file(fixture->path, "SELECT b FROM second WHERE c IS NULL"), 2);
    assert_int_equal(migrate(fixture->path, good_steps, 3, &from), LAB_STORE_OK);
    assert_int_equal(from, 3);
}

FOLDER_TEST(a_migration_that_fails_undoes_those_before)
{
    size_t from = 0;
    assert_int_equal(migrate(fixture->path, broken_steps, 3, &from), LAB_STORE_FAILED);
    assert_non_null(strstr(lab_message(), "002_second"));
    assert_int_equal(ask_file(fixture->path, "PRAGMA user_version"), 0);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM sqlite_schema"), 0);
    assert_int_equal(migrate(fixture->path, good_steps, 3, &from), LAB_STORE_OK);
    assert_int_equal(from, 0);
}

FOLDER_TEST(points_that_used_up_their_budget_are_renamed)
{
    size_t from = 0;
    assert_int_equal(migrate(fixture->path, lab_migrations, 2, &from), LAB_STORE_OK);
    change_file(fixture->path,
                "INSERT INTO run(number, id, experiment, status, created_at, host, devices,"
                " parameters, tags, note) VALUES (1, '1', 'transfer', 'failed', 0, '', '', '', '', '');"
                "INSERT INTO measurement(run, position, axes, metric, unit, n, stop_reason)"
                " VALUES (1, 0, '{}', 'time', 's', 1, 'timed-out'),"
                " (1, 1, '{}', 'time', 's', 1, 'converged'), (1, 2, '{}', 'time', 's', 1, NULL)");
    assert_int_equal(migrate(fixture->path, lab_migrations, lab_migration_count, &from), LAB_STORE_OK);
    assert_int_equal(ask_file(fixture->path,
                              "SELECT count(*) FROM measurement WHERE (position, stop_reason) IN"
                              " (VALUES (0, 'budget'), (1, 'converged'))"),
                     2);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM measurement WHERE stop_reason IS NULL"), 1);
}

STORE_TEST(embeds_all_migrations)
{
    assert_true(lab_migration_count >= 2);
    assert_int_equal(ask_file(fixture->path, "PRAGMA user_version"), lab_migration_count);
    for (size_t i = 0; i < lab_migration_count; i++)
        assert_int_equal(atoi(lab_migrations[i].name), i + 1);
}

/* --- generation, settings, check ---------------------------------------------------------------------------------- */

STORE_TEST(generation_grows_with_each_change)
{
    char id[LAB_RUN_ID_SIZE];
    uint64_t first = lab_store_generation(fixture->store);
    add_plain_run(fixture->store, id);
    uint64_t added = lab_store_generation(fixture->store);
    assert_true(added > first);
    assert_int_equal(lab_store_get_run(fixture->store, id, NULL), LAB_STORE_OK);
    assert_int_equal(lab_store_delete_run(fixture->store, id), LAB_STORE_CONFLICT);
    assert_int_equal(lab_store_start_run(fixture->store, "no such run", 1, NULL), LAB_STORE_NOT_FOUND);
    assert_true(lab_store_generation(fixture->store) == added);
    lab_store_add_warning(fixture->store, id, "a group is a change too");
    sleep_ms(400);
    uint64_t warned = lab_store_generation(fixture->store);
    assert_true(warned > added);
    reopen_store(fixture);
    assert_true(lab_store_generation(fixture->store) > warned);
}

STORE_TEST(settings_persist)
{
    char value[16] = "untouched";
    assert_int_equal(lab_store_get(fixture->store, "queue.paused", value, sizeof value), LAB_STORE_NOT_FOUND);
    assert_non_null(strstr(lab_store_message(fixture->store), "queue.paused"));
    assert_string_equal(value, "untouched");
    assert_int_equal(lab_store_set(fixture->store, "queue.paused", "true"), LAB_STORE_OK);
    assert_int_equal(lab_store_set(fixture->store, "other", ""), LAB_STORE_OK);
    assert_int_equal(lab_store_set(fixture->store, "queue.paused", "a longer text than fits"), LAB_STORE_OK);
    reopen_store(fixture);
    assert_int_equal(lab_store_get(fixture->store, "queue.paused", value, sizeof value), LAB_STORE_OK);
    assert_string_equal(value, "a longer text t");
    assert_int_equal(lab_store_get(fixture->store, "other", value, sizeof value), LAB_STORE_OK);
    assert_string_equal(value, "");
    /* An invalid value is refused and does not affect the health of the store. */
    assert_int_equal(lab_store_set(fixture->store, "other", NULL), LAB_STORE_FAILED);
    assert_true(lab_store_healthy(fixture->store, NULL, 0));
}

STORE_TEST(messages_belong_to_their_thread)
{
    assert_int_equal(lab_store_start_run(fixture->store, "the-first", 1, NULL), LAB_STORE_NOT_FOUND);
    assert_non_null(strstr(lab_store_message(fixture->store), "the-first"));
    assert_int_equal(lab_store_delete_run(fixture->store, "the-second"), LAB_STORE_NOT_FOUND);
    assert_non_null(strstr(lab_store_message(fixture->store), "the-second"));
    assert_int_equal(lab_store_get_run(fixture->store, "the-third", NULL), LAB_STORE_NOT_FOUND);
    assert_non_null(strstr(lab_store_message(fixture->store), "the-third"));
}

TEST(closing_null_is_allowed)
{
    lab_store_close(NULL);
}
