/* Sweeps: a sweep and its runs are added together, and its queued runs are cancelled together. */
#include "store_internal.h"

struct sweep_addition {
    const struct lab_sweep_row *sweep;
    struct lab_run_row *runs;
};

static enum lab_store_result add_sweep(struct lab_db *connection, void *argument)
{
    static const char insert[] =
        "INSERT INTO sweep(number, id, experiment, request, tags, note, requested_by, created_at, total)"
        " VALUES (?1, ?2, ?3, ?4, '[]', '', ?5, ?6, ?7)";
    const struct sweep_addition *addition = argument;
    const struct lab_sweep_row *sweep = addition->sweep;
    int64_t number = 0;
    if (!lab_run_id_number(sweep->id, &number))
        return lab_result(LAB_STORE_FAILED, "%s is not the id of a sweep", sweep->id);
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_integer(number), lab_text(sweep->id), lab_text(sweep->experiment),
                                     lab_text(sweep->request), lab_text(sweep->requested_by),
                                     lab_integer(sweep->created_at), lab_integer((int64_t)sweep->total)));
    enum lab_store_result result = LAB_STORE_OK;
    for (size_t i = 0; i < sweep->total && result == LAB_STORE_OK; i++)
        result = lab_run_insert(connection, &addition->runs[i], &number);
    return result;
}

enum lab_store_result lab_store_add_sweep(struct lab_store *store, struct lab_sweep_row *sweep,
                                          struct lab_run_row *runs, size_t count)
{
    sweep->cancelled_at = LAB_NO_TIME;
    sweep->total = sweep->counts[LAB_STATUS_QUEUED] = count;
    for (size_t i = 0; i < count; i++)
        lab_run_begin(&runs[i]);
    return lab_store_write(store, add_sweep, &(struct sweep_addition){sweep, runs});
}

struct sweep_cancel {
    const char *id;
    int64_t at;
};

static enum lab_store_result cancel_sweep(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT number FROM sweep WHERE id = ?1";
    static const char mark[] = "UPDATE sweep SET cancelled_at = coalesce(cancelled_at, ?2) WHERE number = ?1";
    static const char end_runs[] =
        "UPDATE run SET status = 'cancelled', revision = revision + 1, finished_at = max(?2, created_at)"
        " WHERE sweep = ?1 AND status = 'queued'";
    const struct sweep_cancel *cancel = argument;
    int64_t number = 0;
    if (!lab_select_integer(connection, &number, find, LAB_VALUES(lab_text(cancel->id))))
        return lab_result(LAB_STORE_NOT_FOUND, "sweep %s not found", cancel->id);
    lab_execute_statement(connection, mark, LAB_VALUES(lab_integer(number), lab_integer(cancel->at)));
    lab_execute_statement(connection, end_runs, LAB_VALUES(lab_integer(number), lab_integer(cancel->at)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_cancel_sweep(struct lab_store *store, const char *id, int64_t at)
{
    return lab_store_write(store, cancel_sweep, &(struct sweep_cancel){id, at});
}

static void count_runs(struct lab_db *reader, int64_t number, struct lab_sweep_row *row)
{
    static const char sql[] = "SELECT status, count(*) FROM run WHERE sweep = ?1 GROUP BY status";
    enum lab_status status;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(number)));
    while (lab_query_next(reader, statement))
        if (lab_status_parse(lab_column_text(statement, 0), &status))
            row->counts[status] = (size_t)sqlite3_column_int64(statement, 1);
}

enum lab_store_result lab_store_get_sweep(struct lab_store *store, const char *id,
                                          void (*row)(void *context, const struct lab_sweep_row *sweep), void *context)
{
    static const char sql[] =
        "SELECT number, id, experiment, request, requested_by, created_at, cancelled_at, total"
        " FROM sweep WHERE id = ?1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(id)));
    enum lab_store_result result = LAB_STORE_OK;
    if (lab_query_next(reader, statement)) {
        struct lab_sweep_row sweep = {.id = lab_column_text(statement, 1),
                                      .experiment = lab_column_text(statement, 2),
                                      .request = lab_column_text(statement, 3),
                                      .requested_by = lab_column_text(statement, 4),
                                      .created_at = sqlite3_column_int64(statement, 5),
                                      .cancelled_at = lab_column_optional(statement, 6),
                                      .total = (size_t)sqlite3_column_int64(statement, 7)};
        count_runs(reader, sqlite3_column_int64(statement, 0), &sweep);
        row(context, &sweep);
        lab_query_reset(statement);
    } else {
        result = lab_result(LAB_STORE_NOT_FOUND, "sweep %s not found", id);
    }
    return lab_reader_release(store, reader, result);
}
