/* The status of a run, and the ways from one to the next. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const status_names[] = {
    [LAB_STATUS_QUEUED] = "queued", [LAB_STATUS_RUNNING] = "running",     [LAB_STATUS_SUCCEEDED] = "succeeded",
    [LAB_STATUS_FAILED] = "failed", [LAB_STATUS_CANCELLED] = "cancelled", [LAB_STATUS_INTERRUPTED] = "interrupted",
};
enum { STATUS_COUNT = sizeof status_names / sizeof *status_names };

const char *lab_status_name(enum lab_status status)
{
    return status_names[status];
}

bool lab_status_parse(const char *name, enum lab_status *status)
{
    for (unsigned i = 0; i < STATUS_COUNT; i++) {
        if (strcmp(status_names[i], name) == 0) {
            *status = (enum lab_status)i;
            return true;
        }
    }
    return false;
}

/* Which status may follow which; what is final stays. */
static const bool may_follow[STATUS_COUNT][STATUS_COUNT] = {
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
    struct lab_loss loss; /* count 0: nothing was lost */
};

/* Finds the run and sees whether it may take the status. */
static enum lab_store_result check_transition(struct lab_connection *connection, const struct transition *transition,
                                              int64_t *run)
{
    static const char sql[] = "SELECT number, status FROM run WHERE id = ?1";
    enum lab_status from = LAB_STATUS_QUEUED;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_WITH(lab_text(transition->id)));
    if (!lab_row(connection, statement))
        return lab_run_missing(connection, transition->id);
    *run = sqlite3_column_int64(statement, 0);
    lab_status_parse(lab_column_text(statement, 1), &from);
    lab_query_end(statement);
    if (!may_follow[from][transition->status])
        return lab_result(LAB_STORE_CONFLICT, "a run that is %s cannot become %s", lab_status_name(from),
                          lab_status_name(transition->status));
    return LAB_STORE_OK;
}

static enum lab_store_result start_run(struct lab_connection *connection, void *argument)
{
    static const char sql[] = "UPDATE run SET started_at = ?2 WHERE number = ?1";
    const struct transition *transition = argument;
    int64_t run = 0;
    enum lab_store_result result = check_transition(connection, transition, &run);
    if (result != LAB_STORE_OK)
        return result;
    lab_facets_set_status(connection, run, LAB_STATUS_RUNNING);
    lab_change(connection, sql, LAB_WITH(lab_integer(run), lab_optional(transition->at)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_start_run(struct lab_store *store, const char *id, int64_t at)
{
    return lab_store_write(store, start_run, &(struct transition){.id = id, .status = LAB_STATUS_RUNNING, .at = at});
}

static void end_run(struct lab_connection *connection, int64_t run, const struct transition *transition)
{
    static const char sql[] = "UPDATE run SET finished_at = ?2, contended = ?3, error = ?4 WHERE number = ?1";
    lab_facets_set_status(connection, run, transition->status);
    lab_change(connection, sql,
               LAB_WITH(lab_integer(run), lab_optional(transition->at), lab_integer(transition->contended),
                        lab_text(transition->error)));
}

/* When something of the run was lost, it gets a warning instead of its end, and the caller is told. */
static enum lab_store_result finish_run(struct lab_connection *connection, void *argument)
{
    struct transition *transition = argument;
    int64_t run = 0;
    enum lab_store_result result = check_transition(connection, transition, &run);
    if (result != LAB_STORE_OK)
        return result;
    if (transition->loss.count == 0) {
        end_run(connection, run, transition);
        return LAB_STORE_OK;
    }
    char warning[128];
    snprintf(warning, sizeof warning, "%llu of this run's results could not be stored",
             (unsigned long long)transition->loss.count);
    lab_warning_write(connection, run, warning);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_finish_run(struct lab_store *store, const char *id, enum lab_status status, int64_t at,
                                           bool contended, const char *error)
{
    struct transition transition = {.id = id, .status = status, .at = at, .contended = contended, .error = error};
    /* What is pending goes first: only then is it known whether something is lost. */
    enum lab_store_result result = lab_store_flush(store);
    if (result != LAB_STORE_OK)
        return result;
    bool lost = lab_writer_find_loss(store, id, &transition.loss);
    result = lab_store_write(store, finish_run, &transition);
    if (!lost || result != LAB_STORE_OK)
        return result;
    lab_writer_forget_loss(store, id);
    return lab_result(LAB_STORE_LOST, "%llu of the run's results could not be stored",
                      (unsigned long long)transition.loss.count);
}

struct interruption {
    int64_t at;
    size_t count;
};

static enum lab_store_result interrupt_running(struct lab_connection *connection, void *argument)
{
    static const char find[] =
        "SELECT run FROM listing WHERE experiment = 0 AND device = 0 AND status = ?1 AND tag = 0"
        " LIMIT 1";
    struct interruption *interruption = argument;
    const struct transition transition = {.status = LAB_STATUS_INTERRUPTED, .at = interruption->at};
    int64_t running = lab_facets_find(connection, "status", lab_status_name(LAB_STATUS_RUNNING)), run = 0;
    /* The term 0 stands for any: where no run was ever running, there is nothing to look for. */
    while (running != 0 && lab_lookup(connection, &run, find, LAB_WITH(lab_integer(running)))) {
        end_run(connection, run, &transition);
        interruption->count++;
    }
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_interrupt_running(struct lab_store *store, int64_t at, size_t *count)
{
    struct interruption interruption = {.at = at};
    enum lab_store_result result = lab_store_write(store, interrupt_running, &interruption);
    *count = result == LAB_STORE_OK ? interruption.count : 0;
    return result;
}
