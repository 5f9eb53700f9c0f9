/* Comments on runs, and marks, which are comments without a run. */
#include "store_internal.h"

/* Selects the comments of the run ?1; when ?1 is NULL, the marks, which have no run. */
#define OF_RUN " run IS ?1"

/* The run's number, or NULL as a value of a statement for marks. False when there is no such run. */
static bool find_run(struct lab_db *connection, const char *id, int64_t *run)
{
    *run = INT64_MIN;
    return id == NULL || lab_run_find(connection, id, run);
}

/* --- adding ------------------------------------------------------------------------------------------------------- */

void lab_comment_write(struct lab_db *connection, int64_t run, const struct lab_comment_row *comment)
{
    static const char insert[] =
        "INSERT INTO comment(run, node, at, created_at, author, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    lab_execute_statement(connection, insert,
                          LAB_VALUES(lab_integer_or_null(run), lab_text(comment->node), lab_integer(comment->at),
                                     lab_integer(comment->created_at), lab_text(comment->author),
                                     lab_text(comment->text)));
}

struct addition {
    const struct lab_comment_row *comment;
    int64_t id;
};

static enum lab_store_result add_comment(struct lab_db *connection, void *argument)
{
    static const char count[] = "SELECT count(*) FROM comment WHERE" OF_RUN;
    struct addition *addition = argument;
    const struct lab_comment_row *comment = addition->comment;
    int64_t run, existing = 0;
    if (!find_run(connection, comment->run, &run))
        return lab_run_not_found(connection, comment->run);
    lab_select_integer(connection, &existing, count, LAB_VALUES(lab_integer_or_null(run)));
    if (existing >= LAB_COMMENTS_MAX)
        return lab_result(LAB_STORE_CONFLICT, "there are %d already", LAB_COMMENTS_MAX);
    lab_comment_write(connection, run, comment);
    addition->id = sqlite3_last_insert_rowid(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_add_comment(struct lab_store *store, const struct lab_comment_row *comment, int64_t *id)
{
    struct addition addition = {.comment = comment};
    enum lab_store_result result = lab_store_write(store, add_comment, &addition);
    *id = addition.id;
    return result;
}

static enum lab_store_result import_mark(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT id FROM comment WHERE run IS NULL AND at = ?1 AND node IS ?2 AND text = ?3";
    const struct addition *addition = argument;
    const struct lab_comment_row *mark = addition->comment;
    if (lab_select_integer(connection, &(int64_t){0}, find,
                           LAB_VALUES(lab_integer(mark->at), lab_text(mark->node), lab_text(mark->text))))
        return LAB_STORE_OK;
    return add_comment(connection, argument);
}

enum lab_store_result lab_store_import_mark(struct lab_store *store, const struct lab_comment_row *mark, int64_t *id)
{
    struct addition addition = {.comment = mark};
    enum lab_store_result result = lab_store_write(store, import_mark, &addition);
    *id = addition.id;
    return result;
}

/* --- deleting ----------------------------------------------------------------------------------------------------- */

struct deletion {
    const char *run, *author;
    int64_t id;
};

static enum lab_store_result delete_comment(struct lab_db *connection, void *argument)
{
    static const char find[] = "SELECT ?3 IS NULL OR author IS ?3 FROM comment WHERE id = ?2 AND" OF_RUN;
    static const char delete[] = "DELETE FROM comment WHERE id = ?1";
    const struct deletion *deletion = argument;
    int64_t run, allowed;
    if (!find_run(connection, deletion->run, &run) ||
        !lab_select_integer(
            connection, &allowed, find,
            LAB_VALUES(lab_integer_or_null(run), lab_integer(deletion->id), lab_text(deletion->author))))
        return lab_result(LAB_STORE_NOT_FOUND, "comment %lld not found", (long long)deletion->id);
    if (!allowed)
        return lab_result(LAB_STORE_CONFLICT, "comment %lld is of another person", (long long)deletion->id);
    lab_execute_statement(connection, delete, LAB_VALUES(lab_integer(deletion->id)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_delete_comment(struct lab_store *store, const char *run, int64_t id, const char *author)
{
    return lab_store_write(store, delete_comment, &(struct deletion){run, author, id});
}

/* --- listing ------------------------------------------------------------------------------------------------------ */

enum lab_store_result lab_store_list_comments(struct lab_store *store, const char *run, int64_t since, int64_t until,
                                              void (*row)(void *context, const struct lab_comment_row *comment),
                                              void *context)
{
    static const char sql[] = "SELECT id, node, at, created_at, author, text FROM comment WHERE" OF_RUN
                              " AND (?2 IS NULL OR at >= ?2) AND (?3 IS NULL OR at < ?3) ORDER BY at, id";
    struct lab_db *reader = lab_reader_acquire(store);
    int64_t number;
    if (reader == NULL)
        return LAB_STORE_FAILED;
    if (!find_run(reader, run, &number))
        return lab_reader_release(store, reader, lab_run_not_found(reader, run));
    sqlite3_stmt *statement = lab_query(
        reader, sql, LAB_VALUES(lab_integer_or_null(number), lab_integer_or_null(since), lab_integer_or_null(until)));
    while (lab_query_next(reader, statement)) {
        const struct lab_comment_row comment = {
            .id = sqlite3_column_int64(statement, 0),
            .run = run,
            .node = lab_column_text(statement, 1),
            .at = sqlite3_column_int64(statement, 2),
            .created_at = sqlite3_column_int64(statement, 3),
            .author = lab_column_text(statement, 4),
            .text = lab_column_text(statement, 5),
        };
        row(context, &comment);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
