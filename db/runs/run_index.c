/* What runs are found by, besides the indexes of `run`: ids and names of their devices, their tags, and their text. All of it
 * follows from the row of the run.
 */
#include "store_internal.h"

#define OF_RUN " FROM run, json_each(run.devices) WHERE run.number = ?1"
#define DEVICES                                                                                                        \
    "SELECT json_extract(value, '$.id') AS device, number, experiment" OF_RUN                                          \
    " UNION SELECT json_extract(value, '$.name'), number, experiment" OF_RUN                                           \
    " AND json_extract(value, '$.name') IS NOT NULL"
#define TAGS "SELECT DISTINCT value, number FROM run, json_each(run.tags) WHERE run.number = ?1"
#define WORDS "-number, searchable(" LAB_RUN_TEXT ") FROM run WHERE number = ?1"

static void apply(struct lab_connection *connection, const char *const sql[3], int64_t run)
{
    for (size_t i = 0; i < 3; i++)
        lab_execute_statement(connection, sql[i], LAB_VALUES(lab_integer(run)));
}

void lab_index_remove(struct lab_connection *connection, int64_t run)
{
    static const char devices[] = "DELETE FROM run_device WHERE (device, run, experiment) IN (" DEVICES ")";
    static const char tags[] = "DELETE FROM run_tag WHERE (tag, run) IN (" TAGS ")";
    static const char words[] = "INSERT INTO search(search, rowid, words) SELECT 'delete', " WORDS;
    apply(connection, (const char *const[]){devices, tags, words}, run);
}

void lab_index_add(struct lab_connection *connection, int64_t run)
{
    static const char devices[] = "INSERT INTO run_device(device, run, experiment) " DEVICES;
    static const char tags[] = "INSERT INTO run_tag(tag, run) " TAGS;
    static const char words[] = "INSERT INTO search(rowid, words) SELECT " WORDS;
    apply(connection, (const char *const[]){devices, tags, words}, run);
}
