/* Sweeps: a sweep and its runs are added together, and its queued runs are cancelled together. */
#include "store_internal.h"

#include <stdlib.h>

const struct lab_row_member lab_sweep_shown_members[] = {LAB_SWEEP_SHOWN(LAB_ROW_MEMBER, struct lab_sweep_row){0}};
static const struct lab_row_member members[] = {LAB_SWEEP_MEMBERS(LAB_ROW_MEMBER, struct lab_sweep_row){0}};

/* --- adding ------------------------------------------------------------------------------------------------------- */

struct sweep_addition {
    const struct lab_sweep_row *sweep;
    struct lab_run_row *runs;
};

static enum lab_store_result add_sweep(struct lab_db *connection, void *argument)
{
    enum { OWN = 1 };
    static const char insert[] = "INSERT INTO sweep(number, tags, note" LAB_SWEEP_MEMBERS(
        LAB_NAME, ) ") VALUES (?1, '[]', ''" LAB_SWEEP_MEMBERS(LAB_PARAMETER, ) ")";
    const struct sweep_addition *addition = argument;
    const struct lab_sweep_row *sweep = addition->sweep;
    int64_t number = 0;
    if (!lab_run_id_number(sweep->id, &number))
        return lab_result(LAB_STORE_FAILED, "%s is not the id of a sweep", sweep->id);
    struct lab_sql_value values[OWN + sizeof members / sizeof *members - 1] = {lab_integer(number)};
    lab_row_values(members, sweep, &values[OWN]);
    lab_execute_statement(connection, insert, values, sizeof values / sizeof *values);
    enum lab_store_result result = LAB_STORE_OK;
    for (int64_t i = 0; i < sweep->total && result == LAB_STORE_OK; i++)
        result = lab_run_insert(connection, &addition->runs[i], &number);
    return result;
}

enum lab_store_result lab_store_add_sweep(struct lab_store *store, struct lab_sweep_row *sweep,
                                          struct lab_run_row *runs, size_t count)
{
    sweep->cancelled_at = LAB_NO_TIME;
    sweep->total = (int64_t)count;
    sweep->counts[LAB_STATUS_QUEUED] = count;
    for (size_t i = 0; i < count; i++)
        lab_run_begin(&runs[i]);
    return lab_store_write(store, add_sweep, &(struct sweep_addition){sweep, runs});
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static enum lab_store_result not_found(const char *id)
{
    return lab_result(LAB_STORE_NOT_FOUND, "sweep %s not found", id);
}

/* Reads the sweep's number and members from the first columns. */
static int64_t read_sweep(sqlite3_stmt *statement, struct lab_sweep_row *sweep)
{
    *sweep = (struct lab_sweep_row){0};
    lab_row_read(statement, 1, members, sweep);
    return sqlite3_column_int64(statement, 0);
}

static void count_runs(struct lab_db *connection, int64_t number, struct lab_sweep_row *sweep)
{
    static const char sql[] = "SELECT status, count(*) FROM run WHERE sweep = ?1 GROUP BY status";
    enum lab_status status;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_integer(number)));
    while (lab_query_next(connection, statement))
        if (lab_status_parse(lab_column_text(statement, 0), &status))
            sweep->counts[status] = (size_t)sqlite3_column_int64(statement, 1);
}

enum lab_store_result lab_store_get_sweep(struct lab_store *store, const char *id,
                                          void (*row)(void *context, const struct lab_sweep_row *sweep), void *context)
{
    static const char sql[] = "SELECT number" LAB_SWEEP_MEMBERS(LAB_COLUMN, "sweep") " FROM sweep WHERE id = ?1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(id)));
    if (!lab_query_next(reader, statement))
        return lab_reader_release(store, reader, not_found(id));
    struct lab_sweep_row sweep;
    count_runs(reader, read_sweep(statement, &sweep), &sweep);
    row(context, &sweep);
    lab_query_reset(statement);
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

/* --- cancelling --------------------------------------------------------------------------------------------------- */

/* What a cancel has written: copies. */
struct sweep_cancel {
    const char *id;
    int64_t at;
    struct lab_sweep_row *sweep;
    struct lab_run_row **runs; /* `count` of them */
    size_t count;
};

static void cancel_release(struct sweep_cancel *cancel)
{
    for (size_t i = 0; i < cancel->count; i++)
        free(cancel->runs[i]);
    free(cancel->runs);
    free(cancel->sweep);
    *cancel = (struct sweep_cancel){.id = cancel->id, .at = cancel->at};
}

/* Returns the sweep's number; 0 when there is none, or after a failure. */
static int64_t mark(struct lab_db *connection, struct sweep_cancel *cancel)
{
    static const char sql[] =
        "UPDATE sweep SET cancelled_at = coalesce(cancelled_at, ?2) WHERE id = ?1"
        " RETURNING number" LAB_SWEEP_MEMBERS(LAB_COLUMN, "sweep");
    static const struct lab_row_member *const tables[] = {members, NULL};
    struct lab_sweep_row sweep;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_text(cancel->id), lab_integer(cancel->at)));
    if (!lab_query_next(connection, statement))
        return 0;
    int64_t number = read_sweep(statement, &sweep);
    cancel->sweep = lab_row_copy(&sweep, sizeof sweep, tables);
    lab_query_reset(statement);
    return number;
}

/* False when out of memory. */
static bool end_runs(struct lab_db *connection, int64_t number, struct sweep_cancel *cancel)
{
    static const char sql[] =
        "UPDATE run SET status = 'cancelled', revision = revision + 1, finished_at = max(?2, created_at)"
        " WHERE sweep = ?1 AND status = 'queued' RETURNING " LAB_RUN_COLUMNS;
    struct lab_run_row run;
    bool memory = true;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_integer(number), lab_integer(cancel->at)));
    while (memory && lab_query_next(connection, statement)) {
        struct lab_run_row **runs = realloc(cancel->runs, (cancel->count + 1) * sizeof *runs);
        lab_run_read(statement, &run);
        cancel->runs = runs != NULL ? runs : cancel->runs;
        memory = runs != NULL && (runs[cancel->count] = lab_run_copy(&run)) != NULL;
        cancel->count += memory;
    }
    if (!memory)
        lab_query_reset(statement);
    return memory;
}

static enum lab_store_result cancel_sweep(struct lab_db *connection, void *argument)
{
    struct sweep_cancel *cancel = argument;
    cancel_release(cancel); /* what an earlier attempt has left */
    int64_t number = mark(connection, cancel);
    if (number == 0)
        return not_found(cancel->id);
    if (cancel->sweep == NULL || !end_runs(connection, number, cancel))
        return lab_store_no_memory();
    count_runs(connection, number, cancel->sweep);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_cancel_sweep(struct lab_store *store, const char *id, int64_t at,
                                             void (*run)(void *context, const struct lab_run_row *run), void *context,
                                             struct lab_sweep_row **written)
{
    struct sweep_cancel cancel = {.id = id, .at = at};
    enum lab_store_result result = lab_store_write(store, cancel_sweep, &cancel);
    for (size_t i = 0; result == LAB_STORE_OK && i < cancel.count; i++)
        run(context, cancel.runs[i]);
    if (written != NULL) {
        *written = result == LAB_STORE_OK ? cancel.sweep : NULL;
        cancel.sweep = result == LAB_STORE_OK ? NULL : cancel.sweep;
    }
    cancel_release(&cancel);
    return result;
}
