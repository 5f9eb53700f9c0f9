/* Reads runs: the columns of a row, and one run by its id. */
#include "store_internal.h"

void lab_run_read(sqlite3_stmt *statement, struct lab_run_row *row)
{
    *row = (struct lab_run_row){
        .id = lab_column_text(statement, 0),
        .revision = sqlite3_column_int64(statement, 1),
        .experiment = lab_column_text(statement, 2),
        .pinned = sqlite3_column_int(statement, 5) != 0,
        .contended = sqlite3_column_int(statement, 6) != 0,
        .created_at = sqlite3_column_int64(statement, 7),
        .started_at = lab_column_optional(statement, 8),
        .finished_at = lab_column_optional(statement, 9),
        .time_limit_s = sqlite3_column_double(statement, 10),
        .estimate_s = sqlite3_column_double(statement, 11),
        .sweep = lab_column_text(statement, 12),
        .requested_by = lab_column_text(statement, 13),
        .host = lab_column_text(statement, 14),
        .devices = lab_column_text(statement, 15),
        .model = lab_column_text(statement, 16),
        .parameters = lab_column_text(statement, 17),
        .compare_with = lab_column_text(statement, 18),
        .tags = lab_column_text(statement, 19),
        .note = lab_column_text(statement, 20),
        .headline = lab_column_text(statement, 21),
        .warnings = lab_column_text(statement, 22),
        .notes = lab_column_text(statement, 23),
        .error = lab_column_text(statement, 24),
        .measurement_count = sqlite3_column_int64(statement, 25),
        .wrong_count = sqlite3_column_int64(statement, 26),
        .kernel = lab_column_text(statement, 27),
    };
    lab_status_parse(lab_column_text(statement, 3), &row->status);
    lab_priority_parse(lab_column_text(statement, 4), &row->priority);
}

enum lab_store_result lab_store_get_run(struct lab_store *store, const char *id,
                                        void (*row)(void *context, const struct lab_run_row *run), void *context)
{
    static const char sql[] = "SELECT " LAB_RUN_COLUMNS
                              ", (SELECT content FROM environment WHERE environment.run = run.number), output"
                              " FROM run WHERE id = ?1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(id)));
    if (!lab_query_next(reader, statement))
        return lab_reader_release(store, reader, lab_run_not_found(reader, id));
    struct lab_run_row run;
    lab_run_read(statement, &run);
    run.environment = lab_column_text(statement, LAB_RUN_COLUMN_COUNT);
    run.output = lab_column_text(statement, LAB_RUN_COLUMN_COUNT + 1);
    row(context, &run);
    lab_query_reset(statement);
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
