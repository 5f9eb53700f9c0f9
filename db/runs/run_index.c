/* What runs are found by, besides the indexes of `run`: ids and names of their devices, their tags, and their text. All
 * of it follows from the row of the run.
 */
#include "store_internal.h"

/* The ids or names of a run's devices. */
#define OF_DEVICES(member)                                                                                             \
    "SELECT iif(type = 'object', json_extract(value, '$." member                                                       \
    "'), NULL) AS device, number, experiment"                                                                          \
    " FROM run, " LAB_EACH_STORED("run.devices") " WHERE run.number = ?1 AND device IS NOT NULL"
#define DEVICES OF_DEVICES("id") " UNION " OF_DEVICES("name")
#define TAGS "SELECT DISTINCT value, number FROM run, " LAB_EACH_STORED("run.tags") " WHERE run.number = ?1"
#define WORDS "-number, searchable(" LAB_RUN_TEXT ") FROM run WHERE number = ?1"

static void apply(struct lab_db *connection, const char *const sql[3], int64_t run)
{
    for (size_t i = 0; i < 3; i++)
        lab_execute_statement(connection, sql[i], LAB_VALUES(lab_integer(run)));
}

void lab_index_remove(struct lab_db *connection, int64_t run)
{
    static const char devices[] = "DELETE FROM run_device WHERE (device, run, experiment) IN (" DEVICES ")";
    static const char tags[] = "DELETE FROM run_tag WHERE (tag, run) IN (" TAGS ")";
    static const char words[] = "INSERT INTO search(search, rowid, words) SELECT 'delete', " WORDS;
    apply(connection, (const char *const[]){devices, tags, words}, run);
    /* FTS5 fails when a program other than gpulab has changed the text of a row. The words that stay find no run. */
    if (connection->failure == SQLITE_CORRUPT_VTAB)
        lab_db_clear(connection);
}

void lab_index_add(struct lab_db *connection, int64_t run)
{
    static const char devices[] = "INSERT INTO run_device(device, run, experiment) " DEVICES;
    static const char tags[] = "INSERT INTO run_tag(tag, run) " TAGS;
    static const char words[] = "INSERT INTO search(rowid, words) SELECT " WORDS;
    apply(connection, (const char *const[]){devices, tags, words}, run);
}
