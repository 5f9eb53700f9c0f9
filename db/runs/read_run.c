/* Reads one run by its id. */
#include "store_internal.h"

enum lab_store_result lab_store_get_run(struct lab_store *store, const char *id,
                                        void (*row)(void *context, const struct lab_run_row *run), void *context)
{
    static const char sql[] = "SELECT " LAB_RUN_ALL_COLUMNS " FROM run WHERE id = ?1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(id)));
    if (!lab_query_next(reader, statement))
        return lab_reader_release(store, reader, lab_run_not_found(reader, id));
    struct lab_run_row run;
    lab_run_read_all(statement, &run);
    row(context, &run);
    lab_query_reset(statement);
    return lab_reader_release(store, reader, LAB_STORE_OK);
}
