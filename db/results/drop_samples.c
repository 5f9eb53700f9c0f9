/* Deletes old samples, which are most of the database, in steps that each are one short transaction. */
#include "store_internal.h"

struct dropping {
    int64_t before;
    size_t limit, dropped;
};

#define OLD_SAMPLES(columns)                                                                                           \
    "SELECT " columns                                                                                                  \
    " FROM samples AS s CROSS JOIN run ON run.number = s.run WHERE s.run < ?1"                                         \
    " AND run.created_at < ?2 AND NOT run.pinned ORDER BY s.run, s.position LIMIT ?3"

static enum lab_store_result drop(struct lab_db *connection, void *argument)
{
    static const char mark[] =
        "UPDATE measurement SET sample_count = 0 WHERE (run, position) IN (" OLD_SAMPLES("s.run, s.position") ")";
    static const char delete[] = "DELETE FROM samples WHERE id IN (" OLD_SAMPLES("s.id") ")";
    struct dropping *dropping = argument;
    struct lab_number_range range = {0, LAB_RUN_NUMBER_END};
    lab_range_narrow(connection, LAB_NO_TIME, dropping->before, &range);
    const struct lab_sql_value values[] = {lab_integer(range.high), lab_integer(dropping->before),
                                           lab_integer((int64_t)dropping->limit)};
    lab_execute_statement(connection, mark, values, 3);
    lab_execute_statement(connection, delete, values, 3);
    dropping->dropped = (size_t)sqlite3_changes64(connection->db);
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_drop_samples(struct lab_store *store, int64_t before, size_t limit, size_t *dropped)
{
    struct dropping dropping = {.before = before, .limit = limit};
    enum lab_store_result result = lab_store_write_urgent(store, drop, &dropping);
    *dropped = result == LAB_STORE_OK ? dropping.dropped : 0;
    return result;
}
