/* Adds a run: its number, its time, what it is found by, its idempotency key. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

static const int64_t day_us = INT64_C(24) * 60 * 60 * 1000000;

/* --- idempotency keys --------------------------------------------------------------------------------------------- */

/* Looks for an earlier request with this key. *found receives whether there is one; the result is then that of the new
 * request. */
static enum lab_store_result find_key(struct lab_db *connection, const struct lab_request_key *key, int64_t now,
                                      bool *found, char existing[LAB_RUN_ID_SIZE])
{
    static const char sql[] =
        "SELECT run.id, digest = sha256(?2) FROM idempotency_key JOIN run ON run.number = run"
        " WHERE key = ?1 AND at >= ?3";
    sqlite3_stmt *statement =
        lab_query(connection, sql, LAB_VALUES(lab_text(key->key), lab_text(key->body), lab_integer(now - day_us)));
    *found = lab_query_next(connection, statement);
    if (!*found)
        return LAB_STORE_OK;
    bool same = sqlite3_column_int(statement, 1) != 0;
    if (same)
        snprintf(existing, LAB_RUN_ID_SIZE, "%s", lab_column_text(statement, 0));
    lab_query_reset(statement);
    return same ? LAB_STORE_OK
                : lab_result(LAB_STORE_CONFLICT, "the Idempotency-Key was used before with another request");
}

enum lab_store_result lab_store_find_key(struct lab_store *store, const struct lab_request_key *key, int64_t now,
                                         char existing[LAB_RUN_ID_SIZE])
{
    existing[0] = '\0';
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    bool found;
    return lab_reader_release(store, reader, find_key(reader, key, now, &found, existing));
}

/* Stores the key of a run that was added at `now`, and removes some that have expired. */
static void add_key(struct lab_db *connection, const struct lab_request_key *key, int64_t number, int64_t now)
{
    static const char expire[] =
        "DELETE FROM idempotency_key WHERE key IN (SELECT key FROM idempotency_key WHERE at < ?1 LIMIT 100)";
    static const char insert[] =
        "INSERT INTO idempotency_key(key, digest, run, at) VALUES (?1, sha256(?2), ?3, ?4)"
        " ON CONFLICT(key) DO UPDATE SET digest = excluded.digest, run = excluded.run, at = excluded.at";
    lab_execute_statement(connection, expire, LAB_VALUES(lab_integer(now - day_us)));
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_text(key->key), lab_text(key->body), lab_integer(number), lab_integer(now)));
}

/* --- number and time ---------------------------------------------------------------------------------------------- */

/* Returns the number in the id. If a run with another id has it, which an imported run may, returns the next one that
 * is free. */
static int64_t free_number(struct lab_db *connection, int64_t number)
{
    static const char sql[] = "SELECT 1 FROM run WHERE number = ?1";
    int64_t taken = 0;
    while (lab_select_integer(connection, &taken, sql, LAB_VALUES(lab_integer(number))))
        number++;
    return number;
}

/* Returns the run's time of creation: that of the clock, moved between the times of the runs before and after, unless
 * it is a day or more away from them. Runs are then found by time although a clock was adjusted a little, and one run
 * with a wrong year does not spoil the times of all that follow. */
static int64_t time_between(struct lab_db *connection, int64_t number, int64_t at)
{
    static const char before[] = "SELECT created_at FROM run WHERE number < ?1 ORDER BY number DESC LIMIT 1";
    static const char after[] = "SELECT created_at FROM run WHERE number > ?1 ORDER BY number LIMIT 1";
    int64_t low = at, high = at;
    lab_select_integer(connection, &low, before, LAB_VALUES(lab_integer(number)));
    lab_select_integer(connection, &high, after, LAB_VALUES(lab_integer(number)));
    if (low > at && low - at < day_us)
        return low;
    return high < at && at - high < day_us ? high : at;
}

void lab_run_mark_clock(struct lab_db *connection, int64_t number)
{
    static const char sql[] =
        "UPDATE run SET clock_set_back = coalesce(created_at <"
        " (SELECT created_at FROM run AS before WHERE before.number < run.number ORDER BY number DESC LIMIT 1), 0)"
        " WHERE number IN (SELECT number FROM run WHERE number >= ?1 ORDER BY number LIMIT 2)";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(number)));
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Returns the id of the run's model: the distinct names of its devices. */
static int64_t model_of(struct lab_db *connection, const char *devices)
{
#define MODEL                                                                                                             \
    "(SELECT coalesce(group_concat(name, ' + '), '') AS name FROM (SELECT DISTINCT json_extract(value, '$.name') AS name" \
    " FROM json_each(?1) WHERE name IS NOT NULL ORDER BY name))"
    static const char insert[] = "INSERT INTO model(name) SELECT name FROM " MODEL " WHERE true ON CONFLICT DO NOTHING";
    static const char find[] = "SELECT id FROM model WHERE name = " MODEL;
#undef MODEL
    int64_t model = 0;
    if (!lab_select_integer(connection, &model, find, LAB_VALUES(lab_text(devices)))) {
        lab_execute_statement(connection, insert, LAB_VALUES(lab_text(devices)));
        lab_select_integer(connection, &model, find, LAB_VALUES(lab_text(devices)));
    }
    return model;
}

void lab_run_begin(struct lab_run_row *run)
{
    run->revision = 1;
    run->status = LAB_STATUS_QUEUED;
    run->pinned = run->public = run->contended = false;
    run->started_at = run->finished_at = LAB_NO_TIME;
    run->headline = run->error = run->output = run->messages = run->findings = run->environment = run->warnings =
        run->notes = NULL;
    run->measurement_count = run->wrong_count = 0;
    run->tags = run->tags != NULL ? run->tags : "[]";
    run->note = run->note != NULL ? run->note : "";
}

enum lab_store_result lab_run_insert(struct lab_db *connection, struct lab_run_row *run, int64_t *number)
{
    if (!lab_run_id_number(run->id, number))
        return lab_result(LAB_STORE_FAILED, "%s is not a run id", run->id);
    if (lab_run_find(connection, run->id, &(int64_t){0}))
        return lab_result(LAB_STORE_CONFLICT, "run %s exists already", run->id);
    enum lab_store_result joined = lab_challenge_join(connection, run);
    if (joined != LAB_STORE_OK)
        return joined;
    *number = free_number(connection, *number);
    run->created_at = time_between(connection, *number, run->created_at);
    run->started_at = lab_raise_time(run->started_at, run->created_at);
    run->finished_at =
        lab_raise_time(run->finished_at, run->started_at != LAB_NO_TIME ? run->started_at : run->created_at);
    lab_run_write(connection, *number, model_of(connection, run->devices), run);
    lab_run_mark_clock(connection, *number);
    lab_index_add(connection, *number);
    lab_run_id_after(*number);
    return LAB_STORE_OK;
}

struct addition {
    struct lab_run_row *run;
    const struct lab_request_key *key;
    char *existing;
};

static enum lab_store_result add_run(struct lab_db *connection, void *argument)
{
    const struct addition *addition = argument;
    struct lab_run_row *run = addition->run;
    int64_t requested_at = run->created_at, number = 0;
    bool found = false;
    enum lab_store_result result = LAB_STORE_OK;
    addition->existing[0] = '\0';
    if (addition->key != NULL)
        result = find_key(connection, addition->key, requested_at, &found, addition->existing);
    if (found || result != LAB_STORE_OK)
        return result;
    result = lab_run_insert(connection, run, &number);
    if (result == LAB_STORE_OK && addition->key != NULL)
        add_key(connection, addition->key, number, requested_at);
    return result;
}

enum lab_store_result lab_store_add_run(struct lab_store *store, struct lab_run_row *run,
                                        const struct lab_request_key *key, char existing[LAB_RUN_ID_SIZE])
{
    existing[0] = '\0';
    lab_run_begin(run);
    return lab_store_write(store, add_run, &(struct addition){run, key, existing});
}
