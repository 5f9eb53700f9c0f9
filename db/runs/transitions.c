/* Status changes of runs: start, finish, interruption, and which status may follow which. */
#include "store_internal.h"

#include <stdio.h>

/* may_follow[from][to]. A final status never changes. */
static const bool may_follow[LAB_STATUS_COUNT][LAB_STATUS_COUNT] = {
    [LAB_STATUS_QUEUED] = {[LAB_STATUS_RUNNING] = true, [LAB_STATUS_CANCELLED] = true},
    [LAB_STATUS_RUNNING] = {[LAB_STATUS_SUCCEEDED] = true,
                            [LAB_STATUS_FAILED] = true,
                            [LAB_STATUS_CANCELLED] = true,
                            [LAB_STATUS_INTERRUPTED] = true},
};

struct transition {
    const char *id;
    enum lab_status status;
    int64_t at;
    bool contended;
    const char *error;
    struct lab_loss loss; /* count 0: no record was lost */
    struct lab_run_row *written;
};

/* Finds the run; LAB_STORE_CONFLICT when its status may not change to the new one. */
static enum lab_store_result check_transition(struct lab_db *connection, const struct transition *transition,
                                              int64_t *run)
{
    static const char sql[] = "SELECT number, status FROM run WHERE id = ?1";
    enum lab_status from = LAB_STATUS_QUEUED;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_text(transition->id)));
    if (!lab_query_next(connection, statement))
        return lab_run_not_found(connection, transition->id);
    *run = sqlite3_column_int64(statement, 0);
    lab_status_parse(lab_column_text(statement, 1), &from);
    lab_query_reset(statement);
    if (!may_follow[from][transition->status])
        return lab_result(LAB_STORE_CONFLICT, "the run is %s and cannot become %s", lab_status_name(from),
                          lab_status_name(transition->status));
    return LAB_STORE_OK;
}

static enum lab_store_result start_run(struct lab_db *connection, void *argument)
{
    static const char sql[] =
        "UPDATE run SET status = 'running', revision = revision + 1, started_at = max(?2, created_at)"
        " WHERE number = ?1" LAB_RETURNING_RUN;
    struct transition *transition = argument;
    int64_t run = 0;
    enum lab_store_result result = check_transition(connection, transition, &run);
    if (result != LAB_STORE_OK)
        return result;
    return lab_run_query(connection, sql, LAB_VALUES(lab_integer(run), lab_integer(transition->at)),
                         &transition->written);
}

enum lab_store_result lab_store_start_run(struct lab_store *store, const char *id, int64_t at,
                                          struct lab_run_row **written)
{
    struct transition transition = {.id = id, .status = LAB_STATUS_RUNNING, .at = at};
    enum lab_store_result result = lab_store_write(store, start_run, &transition);
    return lab_run_hand_over(result, transition.written, written);
}

static enum lab_store_result end_run(struct lab_db *connection, int64_t run, struct transition *transition)
{
    static const char sql[] =
        "UPDATE run SET status = ?2, revision = revision + 1,"
        " finished_at = max(?3, created_at, coalesce(started_at, created_at)), contended = ?4, error = ?5"
        " WHERE number = ?1" LAB_RETURNING_RUN;
    return lab_run_query(connection, sql,
                         LAB_VALUES(lab_integer(run), lab_text(lab_status_name(transition->status)),
                                    lab_integer(transition->at), lab_integer(transition->contended),
                                    lab_text(transition->error)),
                         &transition->written);
}

/* Where records of the run were lost, adds a warning instead of ending the run; lab_store_finish_run then returns
 * LAB_STORE_LOST. */
static enum lab_store_result finish_run(struct lab_db *connection, void *argument)
{
    struct transition *transition = argument;
    int64_t run = 0;
    enum lab_store_result result = check_transition(connection, transition, &run);
    if (result != LAB_STORE_OK)
        return result;
    if (transition->loss.count == 0)
        return end_run(connection, run, transition);
    char warning[128];
    snprintf(warning, sizeof warning, "%llu of this run's results could not be stored",
             (unsigned long long)transition->loss.count);
    lab_text_write(connection, run, LAB_TEXT_WARNING, warning);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_finish_run(struct lab_store *store, const char *id, enum lab_status status, int64_t at,
                                           bool contended, const char *error, struct lab_run_row **written)
{
    struct transition transition = {.id = id, .status = status, .at = at, .contended = contended, .error = error};
    /* Pending records are written first, because only then is it known whether one is lost. */
    enum lab_store_result result = lab_store_flush(store);
    if (result != LAB_STORE_OK)
        return lab_run_hand_over(result, NULL, written);
    bool lost = lab_writer_get_loss(store, id, &transition.loss);
    result = lab_store_write_urgent(store, finish_run, &transition);
    lab_run_hand_over(result, transition.written, written);
    if (!lost || result != LAB_STORE_OK)
        return result;
    lab_writer_clear_loss(store, id);
    return lab_result(LAB_STORE_LOST, "%llu of the run's results could not be stored",
                      (unsigned long long)transition.loss.count);
}

struct interruption {
    int64_t at;
    size_t count;
};

static enum lab_store_result interrupt_running(struct lab_db *connection, void *argument)
{
    static const char sql[] =
        "UPDATE run SET status = 'interrupted', revision = revision + 1,"
        " finished_at = max(?1, created_at, coalesce(started_at, created_at))"
        " WHERE status <> 'succeeded' AND status = 'running'";
    struct interruption *interruption = argument;
    lab_execute_statement(connection, sql, LAB_VALUES(lab_integer(interruption->at)));
    interruption->count = (size_t)sqlite3_changes64(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_interrupt_running(struct lab_store *store, int64_t at, size_t *count)
{
    struct interruption interruption = {.at = at};
    enum lab_store_result result = lab_store_write_urgent(store, interrupt_running, &interruption);
    *count = result == LAB_STORE_OK ? interruption.count : 0;
    return result;
}
