/* Deletes what old runs have printed. */
#include "store_internal.h"

struct dropping {
    int64_t before;
    size_t limit, dropped;
};

static enum lab_store_result drop(struct lab_db *connection, void *argument)
{
    static const char empty[] =
        "UPDATE run SET output = '' WHERE number IN (SELECT number FROM run WHERE number < ?1 AND created_at < ?2"
        " AND output <> '' AND NOT pinned AND finished_at IS NOT NULL ORDER BY number LIMIT ?3)";
    struct dropping *dropping = argument;
    struct lab_number_range range = {0, LAB_RUN_NUMBER_END};
    lab_range_narrow(connection, LAB_NO_TIME, dropping->before, &range);
    const struct lab_sql_value values[] = {lab_integer(range.high), lab_integer(dropping->before),
                                           lab_integer((int64_t)dropping->limit)};
    lab_execute_statement(connection, empty, values, 3);
    dropping->dropped = (size_t)sqlite3_changes64(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_drop_output(struct lab_store *store, int64_t before, size_t limit, size_t *dropped)
{
    struct dropping dropping = {.before = before, .limit = limit};
    enum lab_store_result result = lab_store_write_urgent(store, drop, &dropping);
    *dropped = result == LAB_STORE_OK ? dropping.dropped : 0;
    return result;
}
