/* Finds runs by their id. */
#include "store_internal.h"

bool lab_run_find(struct lab_db *connection, const char *id, int64_t *run)
{
    static const char sql[] = "SELECT number FROM run WHERE id = ?1";
    return lab_select_integer(connection, run, sql, LAB_VALUES(lab_text(id)));
}

enum lab_store_result lab_run_not_found(const struct lab_db *connection, const char *id)
{
    enum lab_store_result result = lab_db_result(connection);
    return result == LAB_STORE_OK ? lab_result(LAB_STORE_NOT_FOUND, "run %s not found", id) : result;
}
