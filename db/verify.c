/* Reads all of a copy of a database. */
#include "store_internal.h"

#include <stdio.h>

/* SQLite's two checks: of all pages, indexes and constraints of rows, and of the rows that others refer to. The first
 * has no limit of errors, because SQLite 3.46 takes one for the name of a table. */
static enum lab_store_result check(struct lab_db *connection)
{
    static const char pages[] = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
                      references[] = "SELECT count(*) FROM pragma_foreign_key_check";
    int64_t damaged = 0, missing = 0;
    lab_select_integer(connection, &damaged, pages, LAB_NO_VALUES);
    lab_select_integer(connection, &missing, references, LAB_NO_VALUES);
    enum lab_store_result result = lab_db_result(connection);
    if (result == LAB_STORE_OK && (damaged > 0 || missing > 0))
        result = lab_result(LAB_STORE_FAILED, damaged > 0 ? "the copy is damaged"
                                                          : "the copy has rows that refer to others which it lacks");
    return result;
}

bool lab_copy_verify(const char *path, struct lab_verified *verified, char *message, size_t message_size)
{
    struct lab_db connection;
    *verified = (struct lab_verified){0};
    /* Writable, so that SQLite removes the log that it makes beside the file. */
    enum lab_store_result result = lab_db_open(&connection, path, true);
    if (result == LAB_STORE_OK) {
        result = lab_schema_version(&connection, lab_migration_count, &verified->schema);
        if (result == LAB_STORE_OK)
            result = check(&connection);
        lab_select_integer(&connection, &verified->runs, "SELECT count(*) FROM run", LAB_NO_VALUES);
        lab_select_integer(&connection, &verified->measurements, "SELECT count(*) FROM measurement", LAB_NO_VALUES);
        if (result == LAB_STORE_OK)
            result = lab_db_result(&connection);
        lab_db_close(&connection);
    }
    snprintf(message, message_size, "%s", result != LAB_STORE_OK ? lab_message() : "");
    return result == LAB_STORE_OK;
}
