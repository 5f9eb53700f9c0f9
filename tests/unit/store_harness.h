/* A store in a temporary folder, for the tests of db/. */
#ifndef LAB_TEST_STORE_HARNESS_H
#define LAB_TEST_STORE_HARNESS_H

#include "store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

struct fixture {
    char folder[64], path[96];
    struct lab_store *store;
    char message[400];
};

static inline void open_store(struct fixture *fixture)
{
    fixture->store = lab_store_open(fixture->path, fixture->message, sizeof fixture->message);
    if (fixture->store == NULL)
        fail_msg("%s", fixture->message);
}

static inline void close_store(struct fixture *fixture)
{
    lab_store_close(fixture->store);
    fixture->store = NULL;
}

static inline void reopen_store(struct fixture *fixture)
{
    close_store(fixture);
    open_store(fixture);
}

/* Creates an empty folder; does not open the store. */
static inline int make_folder_only(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const char *temporary = getenv("TMPDIR");
    snprintf(fixture->folder, sizeof fixture->folder, "%.40s/store-XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(fixture->folder) == NULL)
        return -1;
    snprintf(fixture->path, sizeof fixture->path, "%s/lab.db", fixture->folder);
    *state = fixture;
    return 0;
}

static inline int make_store(void **state)
{
    if (make_folder_only(state) != 0)
        return -1;
    open_store(*state);
    return 0;
}

static inline int remove_store(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", ".lock"};
    struct fixture *fixture = *state;
    if (fixture->store != NULL)
        close_store(fixture);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", fixture->path, endings[i]);
        unlink(name);
    }
    int result = rmdir(fixture->folder);
    free(fixture);
    return result;
}

#define STORE_TEST(function) cmocka_unit_test_setup_teardown(function, make_store, remove_store)
#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder_only, remove_store)

static inline void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int64_t microseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* --- runs ----------------------------------------------------------------------------------------------------------- */

static inline struct lab_new_run plain_run(const char *id)
{
    static const char *const devices[] = {"host-0"};
    return (struct lab_new_run){.id = id,
                                .experiment = "transfer",
                                .host = "here",
                                .devices = "[\"host-0\"]",
                                .parameters = "{\"bytes\":1024}",
                                .tags = "[]",
                                .note = "",
                                .device_ids = devices,
                                .device_count = 1,
                                .created_at = microseconds_now()};
}

static inline void add_run(struct lab_store *store, const struct lab_new_run *run)
{
    char existing[LAB_RUN_ID_SIZE];
    if (lab_store_add_run(store, run, existing) != LAB_STORE_OK)
        fail_msg("%s", lab_store_message(store));
    assert_string_equal(existing, "");
}

/* Adds a run like plain_run with a new id. */
static inline void add_plain_run(struct lab_store *store, char id[LAB_RUN_ID_SIZE])
{
    lab_run_id(id);
    struct lab_new_run run = plain_run(id);
    add_run(store, &run);
}

/* A copy of a row, valid after its callback. */
struct kept_run {
    struct lab_run_row row;
    char id[LAB_RUN_ID_SIZE], experiment[64], host[64], devices[128], parameters[128], tags[128], note[128],
        environment[128], warnings[512], notes[128], error[128];
};

static inline const char *keep_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from != NULL ? from : "");
    return from != NULL ? to : NULL;
}

static inline void keep_run(void *context, const struct lab_run_row *row)
{
    struct kept_run *kept = context;
    kept->row = *row;
#define KEEP(field) kept->row.field = keep_text(kept->field, sizeof kept->field, row->field)
    KEEP(id);
    KEEP(experiment);
    KEEP(host);
    KEEP(devices);
    KEEP(parameters);
    KEEP(tags);
    KEEP(note);
    KEEP(environment);
    KEEP(warnings);
    KEEP(notes);
    KEEP(error);
#undef KEEP
}

static inline void get_run(struct lab_store *store, const char *id, struct kept_run *kept)
{
    if (lab_store_get_run(store, id, keep_run, kept) != LAB_STORE_OK)
        fail_msg("%s", lab_store_message(store));
}

static inline void ignore_run(void *context, const struct lab_run_row *row)
{
    (void)context;
    (void)row;
}

/* --- direct access to the file --------------------------------------------------------------------------------------- */

/* Returns the first column of a query's only row, read through a separate connection. */
static inline int64_t ask_file(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    else
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

/* Executes SQL on a file that no store has open. */
static inline void change_file(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *error = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s: %s", sql, error);
    sqlite3_close(db);
}

/* Fails unless `listing`, the terms and the runs are consistent; `search` has an integrity check of its own, run when closed. */
static inline void assert_in_step(const char *path)
{
    static const char combinations[] =
        "SELECT e.term, d.term, s.term, t.term, e.run FROM run_term e JOIN run_term d ON d.run = e.run"
        " JOIN run_term s ON s.run = e.run JOIN run_term t ON t.run = e.run"
        " WHERE e.kind = 'experiment' AND d.kind = 'device' AND s.kind = 'status' AND t.kind = 'tag'";
    char sql[1024];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT * FROM listing EXCEPT %s)", combinations);
    assert_int_equal(ask_file(path, sql), 0);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM (%s EXCEPT SELECT * FROM listing)", combinations);
    assert_int_equal(ask_file(path, sql), 0);
    assert_int_equal(ask_file(path,
                              "SELECT count(*) FROM run WHERE"
                              " (SELECT group_concat(name) FROM run_term JOIN term ON term = term.number"
                              "  WHERE run = run.number AND run_term.kind = 'status') IS NOT status OR"
                              " (SELECT group_concat(name) FROM run_term JOIN term ON term = term.number"
                              "  WHERE run = run.number AND run_term.kind = 'experiment') IS NOT experiment"),
                     0);
    assert_int_equal(ask_file(path, "SELECT count(*) FROM run_term WHERE run NOT IN (SELECT number FROM run)"), 0);
    /* Numbers have the order of ids and of times. */
    assert_int_equal(ask_file(path,
                              "SELECT count(*) FROM (SELECT id, created_at, lag(id) OVER o AS before_id,"
                              " lag(created_at) OVER o AS before_at FROM run WINDOW o AS (ORDER BY number))"
                              " WHERE id <= before_id OR created_at < before_at"),
                     0);
}

static inline void assert_search_sound(const char *path)
{
    change_file(path, "INSERT INTO search(search) VALUES ('integrity-check')");
}

#endif
