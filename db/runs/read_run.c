/* Reads one run by its id. */
#include "store_internal.h"

enum lab_store_result lab_store_get_run(struct lab_store *store, const char *id, struct lab_run_row **run)
{
    static const char sql[] = "SELECT " LAB_RUN_ALL_COLUMNS " FROM run WHERE id = ?1";
    if (run != NULL)
        lab_store_catch_up(store);
    struct lab_db *reader = lab_reader_acquire(store);
    struct lab_run_row *copy = NULL;
    if (reader == NULL)
        return lab_run_hand_over(LAB_STORE_FAILED, NULL, run);
    enum lab_store_result result = lab_run_query(reader, sql, LAB_VALUES(lab_text(id)), &copy);
    if (result == LAB_STORE_NOT_FOUND)
        lab_run_not_found(reader, id);
    return lab_run_hand_over(lab_reader_release(store, reader, result), copy, run);
}
