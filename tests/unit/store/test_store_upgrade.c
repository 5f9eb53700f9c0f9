/* db/sqlite/upgrade.c: a database is copied before it is migrated, and nothing is lost when the process is killed or
 * the disk is full at any step. */
#include "support/store_versions.h"
#include "support/test.h"

#include "support/store_disk.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

AROUND_EACH_TEST(.setup = disk_install)

/* In place of the function of libc, so that it is a step. */
int rename(const char *from, const char *to)
{
    disk_step();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void copy_file(const char *from, const char *to)
{
    struct stat status;
    int source = open(from, O_RDONLY | O_CLOEXEC), target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(fstat(source, &status), 0);
    assert_int_equal(sendfile(target, source, NULL, (size_t)status.st_size), status.st_size);
    assert_int_equal(close(source) | close(target), 0);
}

/* --- what a database holds ---------------------------------------------------------------------------------------- */

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* Continues a hash with bytes: FNV-1a, eight bytes at a time where as many are left. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t count, uint64_t hash)
{
    for (size_t size; count > 0; bytes += size, count -= size) {
        uint64_t word = 0;
        size = count < sizeof word ? count : sizeof word;
        memcpy(&word, bytes, size);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Hashes all columns of all rows of a table. */
static uint64_t hash_table(sqlite3 *db, const char *table, uint64_t hash)
{
    char sql[160];
    sqlite3_stmt *rows = NULL;
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_column_count(rows); column++) {
            const unsigned char *bytes = sqlite3_column_blob(rows, column);
            int described[] = {sqlite3_column_bytes(rows, column), sqlite3_column_type(rows, column)};
            hash = hash_bytes(bytes, (size_t)described[0], hash);
            hash = hash_bytes((const unsigned char *)described, sizeof described, hash);
        }
    }
    sqlite3_finalize(rows);
    return hash;
}

/* Hashes all that a database holds, its schema included. Fails when the file is damaged. */
static uint64_t hash_database(const char *path)
{
    static const char names[] =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        " AND name NOT LIKE 'sqlite#_%' ESCAPE '#' ORDER BY name";
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL;
    uint64_t hash = HASH_OF_NOTHING;
    assert_int_equal(ask_file(path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, names, -1, &tables, NULL), SQLITE_OK);
    hash = hash_table(db, "sqlite_schema", hash);
    while (sqlite3_step(tables) == SQLITE_ROW)
        hash = hash_table(db, (const char *)sqlite3_column_text(tables, 0), hash);
    sqlite3_finalize(tables);
    sqlite3_close(db);
    return hash;
}

/* Hashes the bytes of a file and of its write-ahead log. */
static uint64_t hash_contents(const char *path)
{
    static const char *const endings[] = {"", "-wal"};
    static unsigned char bytes[1 << 16];
    uint64_t hash = HASH_OF_NOTHING;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        int file = open(name, O_RDONLY | O_CLOEXEC);
        for (ssize_t got; file >= 0 && (got = read(file, bytes, sizeof bytes)) > 0;)
            hash = hash_bytes(bytes, (size_t)got, hash);
        if (file >= 0)
            close(file);
        hash = hash_bytes((const unsigned char *)endings[i], strlen(endings[i]), hash);
    }
    return hash;
}

/* As hash_database, which it calls only for files of which it has not hashed an equal one: most steps leave the same
 * files. */
static uint64_t hash_file(const char *path)
{
    static struct {
        uint64_t contents, database;
    } known[64];
    static size_t count;
    uint64_t contents = hash_contents(path);
    for (size_t i = 0; i < count && i < sizeof known / sizeof *known; i++)
        if (known[i].contents == contents)
            return known[i].database;
    size_t at = count++ % (sizeof known / sizeof *known);
    known[at].database = hash_database(path);
    known[at].contents = contents;
    return known[at].database;
}

static int64_t version_of(const char *path)
{
    return ask_file(path, "PRAGMA user_version");
}

/* --- the copy ----------------------------------------------------------------------------------------------------- */

/* Opens and closes the store in a process of its own, whose stderr goes into a file. Returns its status for wait(2):
 * the exit code is 0 if the store opened. */
static int open_in_child(const struct fixture *fixture, const char *log, long kill_at, long full_at)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        char message[400];
        if (freopen(log, "w", stderr) == NULL)
            _exit(2);
        atomic_store(&disk.steps, 0);
        atomic_store(&disk.kill_at, kill_at);
        atomic_store(&disk.full_at, full_at);
        struct lab_store *store = lab_store_open(fixture->path, message, sizeof message);
        if (store == NULL)
            fprintf(stderr, "%s\n", message);
        lab_store_close(store);
        fflush(stderr);
        _exit(store != NULL ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_logged(const char *log, const char *text)
{
    char line[1000] = "";
    FILE *file = fopen(log, "r");
    assert_non_null(file);
    size_t got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[got] = '\0';
    if (strstr(line, text) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", text, line);
}

/* Files of a test: an old database, the copy that its migration makes, the copy of an earlier migration, and stderr. */
struct files {
    char old[128], copy[128], earlier[128], incomplete[160], log[128];
    size_t version;
    uint64_t before, after; /* what the database holds before and after the migration */
};

static void remove_files(const struct files *files)
{
    remove_database(files->old);
    remove_database(files->copy);
    unlink(files->earlier);
    unlink(files->log);
}

static struct files make_files(struct fixture *fixture, size_t version)
{
    struct files files = {.version = version};
    snprintf(files.old, sizeof files.old, "%s/old", fixture->folder);
    snprintf(files.log, sizeof files.log, "%s/stderr", fixture->folder);
    copy_path(files.copy, fixture, version);
    copy_path(files.earlier, fixture, version - 1);
    snprintf(files.incomplete, sizeof files.incomplete, "%s.incomplete", files.copy);
    make_version(files.old, version);
    files.before = hash_file(files.old);
    copy_file(files.old, fixture->path);
    migrate_file(fixture->path, version, lab_migration_count);
    files.after = hash_file(fixture->path);
    assert_int_not_equal(files.before, files.after);
    remove_database(fixture->path);
    return files;
}

/* Puts the old database and the copy of an earlier migration in place. */
static void begin(const struct fixture *fixture, const struct files *files)
{
    remove_database(fixture->path);
    remove_database(files->copy);
    copy_file(files->old, fixture->path);
    copy_file(files->old, files->earlier);
}

VERSION_TEST(an_older_database_is_copied_first)
{
    for (size_t version = 2; version < lab_migration_count; version++) {
        struct files files = make_files(fixture, version);
        struct stat status;
        begin(fixture, &files);
        assert_int_equal(open_in_child(fixture, files.log, 0, 0), 0);
        assert_logged(files.log, files.copy);
        assert_true(hash_file(files.copy) == files.before && hash_file(fixture->path) == files.after);
        assert_int_equal(stat(files.copy, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
        assert_false(exists(files.earlier));

        /* The copy stays when a gpulab of the same schema opens the database, which says nothing. */
        open_store(fixture);
        close_store(fixture);
        assert_true(hash_file(files.copy) == files.before);

        /* An older gpulab can use the copy, and it can be migrated again. */
        remove_database(fixture->path);
        assert_int_equal(rename(files.copy, fixture->path), 0);
        assert_int_equal(open_in_child(fixture, files.log, 0, 0), 0);
        assert_true(hash_file(files.copy) == files.before && hash_file(fixture->path) == files.after);
        remove_files(&files);
        remove_database(fixture->path);
    }
}

VERSION_TEST(a_new_database_has_no_copy)
{
    open_store(fixture);
    reopen_store(fixture);
    for (size_t version = 0; version <= lab_migration_count; version++) {
        char path[128];
        copy_path(path, fixture, version);
        assert_false(exists(path));
    }
}

/* Changes that are still in the write-ahead log of a process that was killed are in the copy. */
VERSION_TEST(the_log_is_copied_too)
{
    size_t version = lab_migration_count - 1;
    struct files files = make_files(fixture, version);
    int status = -1;
    begin(fixture, &files);
    pid_t child = fork();
    if (child == 0) {
        struct lab_db connection;
        bool done = lab_db_open(&connection, fixture->path, true) == LAB_STORE_OK &&
                    lab_execute_script(&connection, "PRAGMA journal_mode = WAL; UPDATE run SET note = 'in the log'");
        _exit(done ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(open_in_child(fixture, files.log, 0, 0), 0);
    assert_int_equal(ask_file(files.copy, "SELECT count(*) FROM run WHERE note = 'in the log'"), 3);
    assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run WHERE note = 'in the log'"), 3);
    remove_files(&files);
}

/* --- refused ------------------------------------------------------------------------------------------------------ */

static void assert_refused(struct fixture *fixture, const struct files *files, const char *reason)
{
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    if (strstr(fixture->message, "cannot be copied before it is migrated") == NULL ||
        strstr(fixture->message, reason) == NULL)
        fail_msg("%s", fixture->message);
    assert_int_equal(version_of(fixture->path), files->version);
    assert_true(hash_file(fixture->path) == files->before);
    assert_true(exists(files->earlier) && !exists(files->incomplete));
}

VERSION_TEST(a_copy_that_does_not_fit_is_refused)
{
    struct files files = make_files(fixture, lab_migration_count - 1);
    begin(fixture, &files);
    struct stat status;
    assert_int_equal(stat(fixture->path, &status), 0);
    disk.path = fixture->path;
    atomic_store(&disk.capacity, disk_used() + status.st_size - 1);
    assert_refused(fixture, &files, "free disk space");
    assert_false(exists(files.copy));
    atomic_store(&disk.capacity, 0);
    open_store(fixture);
    assert_true(hash_file(files.copy) == files.before);
    close_store(fixture);
    remove_files(&files);
}

VERSION_TEST(a_copy_that_cannot_be_made_is_refused)
{
    struct files files = make_files(fixture, lab_migration_count - 1);
    begin(fixture, &files);
    assert_int_equal(mkdir(files.copy, 0700), 0);
    assert_refused(fixture, &files, "cannot rename");
    assert_int_equal(rmdir(files.copy), 0);
    assert_int_equal(mkdir(files.incomplete, 0700), 0);
    assert_null(lab_store_open(fixture->path, fixture->message, sizeof fixture->message));
    assert_non_null(strstr(fixture->message, "cannot create"));
    assert_int_equal(rmdir(files.incomplete), 0);
    atomic_store(&disk.broken_sync, true);
    assert_refused(fixture, &files, "cannot write");
    atomic_store(&disk.broken_sync, false);
    open_store(fixture);
    close_store(fixture);
    assert_true(hash_file(fixture->path) == files.after);
    remove_files(&files);
}

/* --- interrupted at each step ------------------------------------------------------------------------------------- */

/* After an interruption: the database is as before or migrated, then with a whole copy; and the next start completes
 * it. */
static void assert_recovers(struct fixture *fixture, const struct files *files, long step)
{
    bool migrated = version_of(fixture->path) == (int64_t)lab_migration_count;
    uint64_t now = hash_file(fixture->path);
    if (now != (migrated ? files->after : files->before) || (migrated && !exists(files->copy)) ||
        (exists(files->copy) && hash_file(files->copy) != files->before))
        fail_msg("step %ld: the database %s, the copy %s", step, migrated ? "is migrated" : "is not migrated",
                 exists(files->copy) ? "exists" : "does not exist");
    if (!migrated && !exists(files->earlier))
        fail_msg("step %ld: the copy of an earlier migration was removed", step);
    if (open_in_child(fixture, files->log, 0, 0) != 0)
        fail_msg("step %ld: the next start fails", step);
    if (hash_file(fixture->path) != files->after || hash_file(files->copy) != files->before ||
        exists(files->incomplete))
        fail_msg("step %ld: the next start does not complete the migration", step);
}

enum { STEPS_MAX = 20000 };

/* A migration from the newest schema before this one takes every step, that from an old one, which takes hundreds,
 * every fourth; with GPULAB_TEST_LONG=1 every one too. */
static long stride_of(size_t version)
{
    return version == LAST_WITH_NUMBERS && getenv("GPULAB_TEST_LONG") == NULL ? 4 : 1;
}

VERSION_TEST(a_kill_at_any_step_loses_nothing)
{
    static const size_t versions[] = {LAST_WITH_NUMBERS, 10};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct files files = make_files(fixture, versions[i]);
        long killed = 0;
        for (long step = 1; step < STEPS_MAX; step += stride_of(versions[i])) {
            begin(fixture, &files);
            int status = open_in_child(fixture, files.log, step, 0);
            assert_recovers(fixture, &files, step);
            if (!WIFSIGNALED(status))
                break;
            killed++;
        }
        assert_in_range(killed, 20, STEPS_MAX - 2);
        remove_files(&files);
        remove_database(fixture->path);
    }
}

VERSION_TEST(a_full_disk_at_any_step_loses_nothing)
{
    static const size_t versions[] = {LAST_WITH_NUMBERS, 10};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct files files = make_files(fixture, versions[i]);
        long failed = 0, opened = 0;
        for (long step = 1; step < STEPS_MAX && opened < 20; step += stride_of(versions[i])) {
            begin(fixture, &files);
            int status = open_in_child(fixture, files.log, 0, step);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
            opened += WEXITSTATUS(status) == 0;
            failed += WEXITSTATUS(status) == 1;
            if (WEXITSTATUS(status) == 1)
                assert_logged(files.log, "full");
            assert_recovers(fixture, &files, step);
        }
        assert_in_range(failed, 5, STEPS_MAX);
        remove_files(&files);
        remove_database(fixture->path);
    }
}

/* --- documents that are nested too deeply ------------------------------------------------------------------------- */

/* Puts JSON of this depth in place of each text of a database that is JSON. */
static void nest(const char *path, int depth, char open, char close)
{
    static const char *const columns[][2] = {
        {"run", "devices"},         {"run", "parameters"},     {"run", "tags"},         {"run", "error"},
        {"run", "environment"},     {"run", "headline"},       {"run", "compare_with"}, {"run", "kernel"},
        {"environment", "content"}, {"measurement", "axes"},   {"measurement", "peak"}, {"measurement", "conditions"},
        {"measurement", "kernel"},  {"measurement", "rounds"}, {"point", "axes"},       {"span", "axes"},
        {"field", "content"}};
    char values[128], script[sizeof columns / sizeof *columns * 200] = "BEGIN;";
    size_t length = strlen(script);
    sqlite3 *db = NULL;
    snprintf(values, sizeof values,
             "replace(hex(zeroblob(%d)), '00', '%c%s') || '%s' || replace(hex(zeroblob(%d)), '00', '%c')", depth, open,
             open == '{' ? "\"a\":" : "", open == '{' ? "1" : "", depth, close);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *table = columns[i][0], *column = columns[i][1];
        if (sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
            length += (size_t)snprintf(script + length, sizeof script - length, "UPDATE %s SET %s = %s;", table, column,
                                       values);
    }
    assert_in_range(length, 1, sizeof script - sizeof "COMMIT");
    snprintf(script + length, sizeof script - length, "COMMIT");
    sqlite3_close(db);
    change_file(path, script);
}

/* The first version goes through all migrations, and the newest has all columns: they get all depths, the others one
 * each in turn; with GPULAB_TEST_LONG=1 all too. */
static bool is_nested(size_t version, size_t depth, size_t depth_count)
{
    return version == 1 || version + 1 == lab_migration_count || version % depth_count == depth ||
           getenv("GPULAB_TEST_LONG") != NULL;
}

VERSION_TEST(deeply_nested_documents_are_kept)
{
    static const int depths[] = {33, 1995, 100000};
    enum { DEPTHS = sizeof depths / sizeof *depths };
    for (size_t version = 1; version < lab_migration_count; version++) {
        char old[128];
        snprintf(old, sizeof old, "%s/old", fixture->folder);
        make_version(old, version);
        for (size_t i = 0; i < (size_t)2 * DEPTHS; i++) {
            if (!is_nested(version, i / 2, DEPTHS))
                continue;
            char copy[128], log[128];
            bool array = i % 2 == 0;
            copy_path(copy, fixture, version);
            snprintf(log, sizeof log, "%s/stderr", fixture->folder);
            copy_file(old, fixture->path);
            nest(fixture->path, depths[i / 2], array ? '[' : '{', array ? ']' : '}');
            uint64_t before = hash_file(fixture->path);
            if (open_in_child(fixture, log, 0, 0) != 0)
                fail_msg("version %zu, depth %d: not migrated", version, depths[i / 2]);
            assert_true(hash_file(copy) == before);
            assert_int_equal(version_of(fixture->path), lab_migration_count);
            assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run"), 3);
            assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM measurement"), version >= 2 ? 3 : 0);
            assert_int_equal(ask_file(fixture->path, "SELECT count(*) FROM run WHERE length(parameters) > 60"), 3);
            unlink(log);
            remove_database(copy);
            remove_database(fixture->path);
        }
        remove_database(old);
    }
}
