/* Finds runs by their id. */
#include "store_internal.h"

#include <stdio.h>

bool lab_run_find(struct lab_db *connection, const char *id, int64_t *run)
{
    static const char sql[] = "SELECT number FROM run WHERE id = ?1";
    return lab_select_integer(connection, run, sql, LAB_VALUES(lab_text(id)));
}

bool lab_run_find_file(struct lab_db *connection, const char *id, char existing[LAB_RUN_ID_SIZE])
{
    static const char sql[] =
        "SELECT id FROM run WHERE substr(id, -6) = substr(?1, -6) AND substr(id, 20) = substr(?1, 20)";
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_text(id)));
    bool found = lab_query_next(connection, statement);
    if (found) {
        snprintf(existing, LAB_RUN_ID_SIZE, "%s", lab_column_text(statement, 0));
        lab_query_reset(statement);
    }
    return found;
}

enum lab_store_result lab_store_find_file(struct lab_store *store, const char *id, char existing[LAB_RUN_ID_SIZE])
{
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    bool found = lab_run_find_file(reader, id, existing);
    return lab_reader_release(store, reader, found ? LAB_STORE_OK : lab_run_not_found(reader, id));
}

enum lab_store_result lab_run_not_found(const struct lab_db *connection, const char *id)
{
    enum lab_store_result result = lab_db_result(connection);
    return result == LAB_STORE_OK ? lab_result(LAB_STORE_NOT_FOUND, "run %s not found", id) : result;
}
