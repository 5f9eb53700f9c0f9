#include "support/store_harness.h"

void open_store(struct fixture *fixture)
{
    fixture->store = lab_store_open(fixture->path, fixture->message, sizeof fixture->message);
    if (fixture->store == NULL)
        fail_msg("%s", fixture->message);
}

void close_store(struct fixture *fixture)
{
    lab_store_close(fixture->store);
    fixture->store = NULL;
}

void reopen_store(struct fixture *fixture)
{
    close_store(fixture);
    open_store(fixture);
}

int make_folder_only(void **state)
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

int make_store(void **state)
{
    if (make_folder_only(state) != 0)
        return -1;
    open_store(*state);
    return 0;
}

int remove_store(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", ".lock", ".reserve"};
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

void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

struct lab_run_row plain_run(const char *id)
{
    return (struct lab_run_row){.id = id,
                                .experiment = "transfer",
                                .host = "here",
                                .devices = "[{\"id\":\"host-0\",\"name\":\"A CPU\",\"node\":null}]",
                                .parameters = "{\"bytes\":1024}",
                                .tags = "[]",
                                .note = "",
                                .created_at = lab_time_now()};
}

void add_run(struct lab_store *store, struct lab_run_row *run)
{
    char existing[LAB_RUN_ID_SIZE];
    if (lab_store_add_run(store, run, NULL, existing) != LAB_STORE_OK)
        fail_msg("%s", lab_store_message(store));
    assert_string_equal(existing, "");
}

void add_plain_run(struct lab_store *store, char id[LAB_RUN_ID_SIZE])
{
    lab_run_id(id);
    struct lab_run_row run = plain_run(id);
    add_run(store, &run);
}

const char *keep_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from != NULL ? from : "");
    return from != NULL ? to : NULL;
}

static void keep_run(struct kept_run *kept, const struct lab_run_row *row)
{
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
    KEEP(sweep);
    KEEP(requested_by);
    KEEP(model);
    KEEP(compare_with);
    KEEP(kernel);
    KEEP(output);
    KEEP(headline);
#undef KEEP
}

void get_run(struct lab_store *store, const char *id, struct kept_run *kept)
{
    struct lab_run_row *run;
    if (lab_store_get_run(store, id, &run) != LAB_STORE_OK)
        fail_msg("%s", lab_store_message(store));
    keep_run(kept, run);
    free(run);
}

/* --- direct access to the file ------------------------------------------------------------------------------------ */

int64_t ask_file(const char *path, const char *sql)
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

bool is_sound(const char *path)
{
    return ask_file(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1;
}

void change_file(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *error = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s: %s", sql, error);
    sqlite3_close(db);
}

void assert_in_step(const char *path)
{
    static const char *const wrong[] = {
        "SELECT count(*) FROM (SELECT device, run FROM run_device EXCEPT"
        " SELECT json_extract(value, '$.id'), number FROM run, json_each(devices) EXCEPT"
        " SELECT json_extract(value, '$.name'), number FROM run, json_each(devices))",
        "SELECT count(*) FROM run, json_each(devices) WHERE"
        " NOT EXISTS (SELECT 1 FROM run_device AS d WHERE device = json_extract(value, '$.id') AND run = number AND"
        " d.experiment = run.experiment)",
        "SELECT count(*) FROM (SELECT tag, run FROM run_tag EXCEPT SELECT value, number FROM run, json_each(tags))",
        "SELECT count(*) FROM run, json_each(tags)"
        " WHERE NOT EXISTS (SELECT 1 FROM run_tag WHERE tag = value AND run = number)",
        "SELECT count(*) FROM (SELECT id, clock_set_back AS marked, created_at, lag(id) OVER o AS before_id,"
        " lag(created_at) OVER o AS before_at FROM run WINDOW o AS (ORDER BY number))"
        " WHERE id <= before_id OR marked <> coalesce(created_at < before_at, 0)",
        "SELECT count(*) FROM run WHERE started_at < created_at OR finished_at < started_at OR finished_at < created_at",
        "SELECT count(*) FROM run WHERE (measurement_count, wrong_count) <> (SELECT count(*),"
        " count(*) FILTER (WHERE verified = 0) FROM measurement WHERE measurement.run = run.number)",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (ask_file(path, wrong[i]) != 0)
            fail_msg("%s", wrong[i]);
}

void assert_search_sound(const char *path)
{
    change_file(path, "INSERT INTO search(search) VALUES ('integrity-check')");
}
