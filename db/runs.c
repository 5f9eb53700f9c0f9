/* Runs are found, changed and removed. */
#include "store_internal.h"

bool lab_run_number(struct lab_connection *connection, const char *id, int64_t *run)
{
    static const char sql[] = "SELECT number FROM run WHERE id = ?1";
    return lab_lookup(connection, run, sql, LAB_WITH(lab_text(id)));
}

enum lab_store_result lab_run_missing(const struct lab_connection *connection, const char *id)
{
    enum lab_store_result result = lab_connection_result(connection);
    return result == LAB_STORE_OK ? lab_result(LAB_STORE_NOT_FOUND, "there is no run %s", id) : result;
}

/* --- environment ---------------------------------------------------------------------------------------------------- */

struct environment {
    const char *id, *text;
};

static enum lab_store_result set_environment(struct lab_connection *connection, void *argument)
{
    static const char sql[] = "UPDATE run SET environment = ?2 WHERE number = ?1 AND status <> 'queued'";
    const struct environment *environment = argument;
    int64_t run = 0;
    if (!lab_run_number(connection, environment->id, &run))
        return lab_run_missing(connection, environment->id);
    lab_change(connection, sql, LAB_WITH(lab_integer(run), lab_text(environment->text)));
    if (sqlite3_changes(connection->db) == 0)
        return lab_result(LAB_STORE_CONFLICT, "the run has not started");
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_set_environment(struct lab_store *store, const char *id, const char *environment)
{
    return lab_store_write(store, set_environment, &(struct environment){id, environment});
}

/* --- tags, note, pinned --------------------------------------------------------------------------------------------- */

struct change {
    const char *id;
    const struct lab_run_patch *patch;
};

static void replace_tags(struct lab_connection *connection, int64_t run, const struct lab_run_patch *patch)
{
    static const char forget[] = "DELETE FROM run_term WHERE run = ?1 AND kind = 'tag' AND term <> 0";
    lab_change(connection, forget, LAB_WITH(lab_integer(run)));
    for (size_t i = 0; i < patch->tag_count; i++)
        lab_facets_give(connection, run, "tag", patch->tag_names[i]);
}

static enum lab_store_result patch_run(struct lab_connection *connection, void *argument)
{
    static const char find[] = "SELECT number, revision FROM run WHERE id = ?1";
    static const char update[] =
        "UPDATE run SET tags = coalesce(?2, tags), note = coalesce(?3, note),"
        " pinned = coalesce(?4, pinned), revision = revision + 1 WHERE number = ?1";
    const struct change *change = argument;
    const struct lab_run_patch *patch = change->patch;

    sqlite3_stmt *statement = lab_query(connection, find, LAB_WITH(lab_text(change->id)));
    if (!lab_row(connection, statement))
        return lab_run_missing(connection, change->id);
    int64_t run = sqlite3_column_int64(statement, 0), revision = sqlite3_column_int64(statement, 1);
    lab_query_end(statement);
    if (patch->revision != 0 && patch->revision != revision)
        return lab_result(LAB_STORE_CONFLICT, "the run is at revision %lld, not %lld", (long long)revision,
                          (long long)patch->revision);
    if (patch->tags == NULL && patch->note == NULL && patch->pinned == NULL)
        return LAB_STORE_OK;

    bool found_by = patch->tags != NULL || patch->note != NULL;
    if (found_by)
        lab_facets_remove(connection, run, LAB_FACETS_ALL);
    lab_change(connection, update,
               LAB_WITH(lab_integer(run), lab_text(patch->tags), lab_text(patch->note),
                        lab_optional(patch->pinned == NULL ? INT64_MIN : *patch->pinned)));
    if (patch->tags != NULL)
        replace_tags(connection, run, patch);
    if (found_by) {
        lab_facets_describe(connection, run);
        lab_facets_add(connection, run, LAB_FACETS_ALL);
    }
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_patch_run(struct lab_store *store, const char *id, const struct lab_run_patch *patch)
{
    return lab_store_write(store, patch_run, &(struct change){id, patch});
}

/* --- removing ------------------------------------------------------------------------------------------------------- */

static enum lab_store_result delete_run(struct lab_connection *connection, void *argument)
{
    static const char live[] = "SELECT status IN ('queued', 'running') FROM run WHERE number = ?1";
    static const char delete[] = "DELETE FROM run WHERE number = ?1"; /* all that refers to it goes with it */
    const char *id = argument;
    int64_t run = 0, is_live = 0;
    if (!lab_run_number(connection, id, &run))
        return lab_run_missing(connection, id);
    lab_lookup(connection, &is_live, live, LAB_WITH(lab_integer(run)));
    if (is_live)
        return lab_result(LAB_STORE_CONFLICT, "a run that is queued or running cannot be removed");
    lab_facets_remove(connection, run, LAB_FACETS_ALL);
    lab_change(connection, delete, LAB_WITH(lab_integer(run)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_delete_run(struct lab_store *store, const char *id)
{
    return lab_store_write(store, delete_run, (void *)id);
}
