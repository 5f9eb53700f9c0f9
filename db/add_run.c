/* Adds a run: its number, its terms, its idempotency key. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

struct addition {
    const struct lab_new_run *run;
    char *existing;
};

/* Looks for an earlier request with the same idempotency key. If there is one, sets *decided, and the result of the new
 * request is the one that is returned here. */
static enum lab_store_result earlier_request(struct lab_connection *connection, const struct addition *addition,
                                             bool *decided)
{
    static const char expire[] = "DELETE FROM idempotency_key WHERE at < ?1";
    static const char find[] =
        "SELECT run.id, body = ?2 FROM idempotency_key JOIN run ON run.number = run"
        " WHERE key = ?1";
    const struct lab_new_run *run = addition->run;
    const int64_t day_us = INT64_C(24) * 60 * 60 * 1000000;

    lab_execute_statement(connection, expire, LAB_VALUES(lab_integer(run->created_at - day_us)));
    sqlite3_stmt *statement =
        lab_query(connection, find, LAB_VALUES(lab_text(run->idempotency_key), lab_text(run->idempotency_body)));
    *decided = lab_query_next(connection, statement);
    if (!*decided)
        return LAB_STORE_OK;
    bool same = sqlite3_column_int(statement, 1) != 0;
    if (same)
        snprintf(addition->existing, LAB_RUN_ID_SIZE, "%s", lab_column_text(statement, 0));
    lab_query_reset(statement);
    return same ? LAB_STORE_OK
                : lab_result(LAB_STORE_CONFLICT, "the Idempotency-Key was used before with another request");
}

/* A run's place in the order of runs. */
struct place {
    int64_t number, created_at;
};

/* Finds the run before or after `id` in the order of ids; *place is unchanged when there is none. */
static void find_adjacent(struct lab_connection *connection, const char *sql, const char *id, struct place *place)
{
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_text(id)));
    if (lab_query_next(connection, statement)) {
        place->number = sqlite3_column_int64(statement, 0);
        place->created_at = sqlite3_column_int64(statement, 1);
        lab_query_reset(statement);
    }
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Increments the number of the run at `number` and of those that follow it without a gap. Needed only for runs created within
 * one millisecond that arrive in another order than that of their ids. */
static void shift_numbers(struct lab_connection *connection, int64_t number)
{
    static const char find[] =
        "SELECT number FROM run AS before WHERE number >= ?1"
        " AND NOT EXISTS (SELECT 1 FROM run WHERE number = before.number + 1) ORDER BY number LIMIT 1";
    static const char move[] = "UPDATE run SET number = number + 1 WHERE number = ?1";
    int64_t last = 0;
    if (!lab_select_integer(connection, &last, find, LAB_VALUES(lab_integer(number))))
        return;
    for (; last >= number; last--) {
        lab_index_remove(connection, last, LAB_INDEX_ALL);
        lab_execute_statement(connection, move, LAB_VALUES(lab_integer(last)));
        lab_index_add(connection, last + 1, LAB_INDEX_ALL);
    }
}

/* Chooses number and creation time so that both have the order of the ids, whatever the clock says. */
static enum lab_store_result choose_place(struct lab_connection *connection, const struct lab_new_run *run,
                                          struct place *place)
{
    static const char before[] = "SELECT number, created_at FROM run WHERE id < ?1 ORDER BY id DESC LIMIT 1";
    static const char after[] = "SELECT number, created_at FROM run WHERE id > ?1 ORDER BY id LIMIT 1";
    int64_t taken = 0;
    if (lab_run_find(connection, run->id, &taken))
        return lab_result(LAB_STORE_CONFLICT, "run %s exists already", run->id);

    struct place low = {0, INT64_MIN + 1}, high = {LAB_RUN_NUMBER_END - 1, INT64_MAX};
    find_adjacent(connection, before, run->id, &low);
    find_adjacent(connection, after, run->id, &high);
    if (high.number == low.number + 1)
        shift_numbers(connection, high.number++);
    place->number = clamp(run->created_at / 1000, low.number + 1, high.number - 1);
    place->created_at = clamp(run->created_at, low.created_at, high.created_at);
    return LAB_STORE_OK;
}

static void add_terms(struct lab_connection *connection, int64_t number, const struct lab_new_run *run)
{
    static const char *const kinds[] = {"experiment", "device", "status", "tag"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        lab_index_add_term(connection, number, kinds[i], NULL);
    lab_index_add_term(connection, number, "experiment", run->experiment);
    lab_index_add_term(connection, number, "status", lab_status_name(LAB_STATUS_QUEUED));
    for (size_t i = 0; i < run->device_count; i++)
        lab_index_add_term(connection, number, "device", run->device_ids[i]);
    for (size_t i = 0; i < run->tag_count; i++)
        lab_index_add_term(connection, number, "tag", run->tag_names[i]);
}

static enum lab_store_result add_run(struct lab_connection *connection, void *argument)
{
    static const char insert[] =
        "INSERT INTO run(number, id, experiment, status, created_at, time_limit_s, host, devices, parameters, tags, note)"
        " VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8, coalesce(?9, '[]'), coalesce(?10, ''))";
    static const char insert_key[] = "INSERT INTO idempotency_key(key, body, run, at) VALUES (?1, ?2, ?3, ?4)";
    const struct addition *addition = argument;
    const struct lab_new_run *run = addition->run;

    bool decided = false;
    enum lab_store_result result = LAB_STORE_OK;
    if (run->idempotency_key != NULL)
        result = earlier_request(connection, addition, &decided);
    struct place place = {0};
    if (!decided && result == LAB_STORE_OK)
        result = choose_place(connection, run, &place);
    if (decided || result != LAB_STORE_OK)
        return result;

    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_integer(place.number), lab_text(run->id), lab_text(run->experiment),
                                     lab_integer(place.created_at), lab_real(run->time_limit_s), lab_text(run->host),
                                     lab_text(run->devices), lab_text(run->parameters), lab_text(run->tags),
                                     lab_text(run->note)));
    add_terms(connection, place.number, run);
    lab_index_update_text(connection, place.number);
    lab_index_add(connection, place.number, LAB_INDEX_ALL);
    if (run->idempotency_key != NULL)
        lab_execute_statement(connection, insert_key,
                              LAB_VALUES(lab_text(run->idempotency_key), lab_text(run->idempotency_body),
                                         lab_integer(place.number), lab_integer(place.created_at)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_run(struct lab_store *store, const struct lab_new_run *run,
                                        char existing[LAB_RUN_ID_SIZE])
{
    existing[0] = '\0';
    if (strlen(run->id) >= LAB_RUN_ID_SIZE)
        return lab_result(LAB_STORE_FAILED, "%s is not a run id", run->id);
    return lab_store_write(store, add_run, &(struct addition){run, existing});
}
