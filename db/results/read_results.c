/* Reads the measurements, spans and fields of a run. */
#include "store_internal.h"

/* --- measurements ------------------------------------------------------------------------------------------------- */

/* LIMIT for a count of rows; SQLite takes a negative one as no limit. */
static struct lab_sql_value limit_value(size_t limit)
{
    return lab_integer(limit > INT64_MAX ? -1 : (int64_t)limit);
}

/* Queries what a run has from position `from` on: `sql` takes the run's number, `from` and the limit. Returns the
 * reader that has the statement, to be released; NULL with *result when there is no such run or no reader. */
static struct lab_db *query_run(struct lab_store *store, const char *id, const char *sql, int64_t from, size_t limit,
                                sqlite3_stmt **statement, enum lab_store_result *result)
{
    int64_t run = 0;
    lab_store_catch_up(store);
    struct lab_db *reader = lab_reader_acquire(store);
    *result = LAB_STORE_FAILED;
    if (reader == NULL)
        return NULL;
    if (!lab_run_find(reader, id, &run)) {
        *result = lab_reader_release(store, reader, lab_run_not_found(reader, id));
        return NULL;
    }
    *statement = lab_query(reader, sql, LAB_VALUES(lab_integer(run), lab_integer(from), limit_value(limit)));
    return reader;
}

enum lab_store_result lab_store_list_measurements(struct lab_store *store, const char *run_id, int64_t from,
                                                  size_t limit,
                                                  void (*row)(void *context, const struct lab_measurement_row *row),
                                                  void *context)
{
    static const char sql[] =
        "SELECT" LAB_MEASUREMENT_COLUMNS("m") " FROM measurement AS m CROSS JOIN point AS p ON p.id = m.point"
        " WHERE m.run = ?1 AND m.position >= ?2 ORDER BY m.position LIMIT ?3";
    sqlite3_stmt *statement;
    enum lab_store_result result;
    struct lab_db *reader = query_run(store, run_id, sql, from, limit, &statement, &result);
    if (reader == NULL)
        return result;
    while (lab_query_next(reader, statement)) {
        struct lab_measurement_row measurement;
        lab_measurement_read(statement, 0, &measurement);
        row(context, &measurement);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* Reads a part of the samples in row `id`, without reading the others. */
static enum lab_store_result read_part(struct lab_db *reader, int64_t id, size_t first, size_t count, double *values,
                                       size_t *total)
{
    sqlite3_blob *blob = NULL;
    int result = sqlite3_blob_open(reader->db, "main", "samples", "content", id, 0, &blob);
    if (result == SQLITE_OK) {
        *total = (size_t)sqlite3_blob_bytes(blob) / sizeof *values;
        size_t rest = first < *total ? *total - first : 0, part = count < rest ? count : rest;
        if (part > 0)
            result = sqlite3_blob_read(blob, values, (int)(part * sizeof *values), (int)(first * sizeof *values));
        if (result == SQLITE_OK)
            lab_samples_copy(values, values, part);
    }
    sqlite3_blob_close(blob);
    return result == SQLITE_OK ? LAB_STORE_OK
                               : lab_result(LAB_STORE_FAILED, "the samples cannot be read: %s", sqlite3_errstr(result));
}

enum lab_store_result lab_store_read_samples(struct lab_store *store, const char *run_id, int64_t position,
                                             size_t first, size_t count, double *values, size_t *total)
{
    static const char sql[] =
        "SELECT coalesce(samples.id, 0) FROM run JOIN measurement AS m ON m.run = run.number AND m.position = ?2"
        " LEFT JOIN samples ON samples.run = m.run AND samples.position = m.position WHERE run.id = ?1";
    *total = 0;
    lab_store_catch_up(store);
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    int64_t id = 0;
    enum lab_store_result result = LAB_STORE_OK;
    if (!lab_select_integer(reader, &id, sql, LAB_VALUES(lab_text(run_id), lab_integer(position))))
        result = lab_result(LAB_STORE_NOT_FOUND, "run %s has no measurement %lld", run_id, (long long)position);
    else if (id != 0)
        result = read_part(reader, id, first, count, values, total);
    return lab_reader_release(store, reader, result);
}

/* --- spans and fields --------------------------------------------------------------------------------------------- */

enum lab_store_result lab_store_list_spans(struct lab_store *store, const char *run_id, int64_t from, size_t limit,
                                           void (*row)(void *context, const struct lab_span_row *row), void *context)
{
    static const char sql[] = "SELECT position" LAB_SPAN_MEMBERS(
        LAB_NAME, ) " FROM span WHERE run = ?1 AND position >= ?2 ORDER BY position LIMIT ?3";
    sqlite3_stmt *statement;
    enum lab_store_result result;
    struct lab_db *reader = query_run(store, run_id, sql, from, limit, &statement, &result);
    if (reader == NULL)
        return result;
    while (lab_query_next(reader, statement)) {
        struct lab_span_row span;
        lab_row_read(statement, 1, lab_span_row_members, &span);
        row(context, &span);
    }
    return lab_reader_release(store, reader, LAB_STORE_OK);
}

enum lab_store_result lab_store_list_fields(struct lab_store *store, const char *run_id, int64_t from, size_t limit,
                                            void (*field)(void *context, const char *content), void *context)
{
    static const char sql[] = "SELECT content FROM field WHERE run = ?1 AND position >= ?2 ORDER BY position LIMIT ?3";
    sqlite3_stmt *statement;
    enum lab_store_result result;
    struct lab_db *reader = query_run(store, run_id, sql, from, limit, &statement, &result);
    if (reader == NULL)
        return result;
    while (lab_query_next(reader, statement))
        field(context, lab_column_text(statement, 0));
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
