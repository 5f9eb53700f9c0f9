/* Changes of a run that exists: tags, note, pinned, public, deletion. */
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- tags, note, pinned, public ----------------------------------------------------------------------------------- */

struct change {
    const char *id;
    const struct lab_run_patch *patch;
    struct lab_run_row *written;
};

static enum lab_store_result patch_run(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT number, revision, status FROM run WHERE id = ?1";
    static const char update[] =
        "UPDATE run SET tags = coalesce(?2, tags), note = coalesce(?3, note), pinned = coalesce(?4, pinned),"
        " public = coalesce(?5, public),"
        " revision = revision + (coalesce(?2, ?3, ?4, ?5) IS NOT NULL)"
        " WHERE number = ?1" LAB_RETURNING_RUN;
    struct change *change = argument;
    const struct lab_run_patch *patch = change->patch;
    enum lab_status status = LAB_STATUS_QUEUED;
    sqlite3_stmt *statement = lab_query(connection, find, LAB_VALUES(lab_text(change->id)));
    if (!lab_query_next(connection, statement))
        return lab_run_not_found(connection, change->id);
    int64_t run = sqlite3_column_int64(statement, 0), revision = sqlite3_column_int64(statement, 1);
    lab_status_parse(lab_column_text(statement, 2), &status);
    lab_query_reset(statement);
    if (patch->allows != NULL && !patch->allows(patch->context, revision, status))
        return lab_result(LAB_STORE_CONFLICT, "the run is at revision %lld and %s", (long long)revision,
                          lab_status_name(status));

    bool indexed = patch->tags != NULL || patch->note != NULL;
    if (indexed)
        lab_index_remove(connection, run);
    enum lab_store_result result =
        lab_run_query(connection, update,
                      LAB_VALUES(lab_integer(run), lab_text(patch->tags), lab_text(patch->note),
                                 lab_integer_or_null(patch->pinned == NULL ? INT64_MIN : *patch->pinned),
                                 lab_integer_or_null(patch->public == NULL ? INT64_MIN : *patch->public)),
                      &change->written);
    if (indexed)
        lab_index_add(connection, run);
    return result;
}

enum lab_store_result lab_store_patch_run(struct lab_store *store, const char *id, const struct lab_run_patch *patch,
                                          struct lab_run_row **written)
{
    struct change change = {id, patch, NULL};
    enum lab_store_result result = lab_store_write(store, patch_run, &change);
    return lab_run_hand_over(result, change.written, written);
}

/* --- deleting ----------------------------------------------------------------------------------------------------- */

/* Deletes the points that no measurement refers to, of those in a JSON array. */
static void delete_unused_points(struct lab_db *connection, const char *points)
{
    static const char sql[] =
        "DELETE FROM point WHERE id IN (SELECT value FROM json_each(?1))"
        " AND NOT EXISTS (SELECT 1 FROM measurement WHERE measurement.point = point.id)";
    lab_execute_statement(connection, sql, LAB_VALUES(lab_text(points)));
}

/* Returns the points of a run as a JSON array, which the caller frees; NULL after a failure. */
static char *points_of(struct lab_db *connection, int64_t run)
{
    static const char sql[] = "SELECT json_group_array(DISTINCT point) FROM measurement WHERE run = ?1";
    char *points = NULL;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_integer(run)));
    if (lab_query_next(connection, statement)) {
        points = strdup(lab_column_text(statement, 0));
        lab_query_reset(statement);
    }
    return points;
}

static enum lab_store_result delete_run(struct lab_db *connection, void *argument)
{
    static const char state[] = "SELECT status IN ('queued', 'running') OR pinned FROM run WHERE number = ?1";
    static const char delete[] = "DELETE FROM run WHERE number = ?1"; /* its results are deleted by cascade */
    const char *id = argument;
    int64_t run = 0, is_kept = 0;
    if (!lab_run_find(connection, id, &run))
        return lab_run_not_found(connection, id);
    lab_select_integer(connection, &is_kept, state, LAB_VALUES(lab_integer(run)));
    if (is_kept)
        return lab_result(LAB_STORE_CONFLICT, "the run is queued, running or pinned and cannot be deleted");
    char *points = points_of(connection, run);
    lab_index_remove(connection, run);
    lab_execute_statement(connection, delete, LAB_VALUES(lab_integer(run)));
    lab_run_mark_clock(connection, run);
    delete_unused_points(connection, points);
    free(points);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_delete_run(struct lab_store *store, const char *id)
{
    return lab_store_write_urgent(store, delete_run, (void *)id);
}
