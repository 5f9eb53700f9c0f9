/* Persistent settings: named texts. */
#include "store_internal.h"

#include <stdio.h>

struct setting {
    const char *name, *value;
};

static enum lab_store_result write_setting(struct lab_db *connection, void *argument)
{
    static const char sql[] =
        "INSERT INTO setting(name, value) VALUES (?1, ?2)"
        " ON CONFLICT(name) DO UPDATE SET value = excluded.value";
    const struct setting *setting = argument;
    lab_execute_statement(connection, sql, LAB_VALUES(lab_text(setting->name), lab_text(setting->value)));
    return LAB_STORE_OK;
}

enum lab_store_result lab_store_set(struct lab_store *store, const char *name, const char *value)
{
    return lab_store_write(store, write_setting, &(struct setting){name, value});
}

enum lab_store_result lab_store_get(struct lab_store *store, const char *name, char *value, size_t size)
{
    static const char sql[] = "SELECT value FROM setting WHERE name = ?1";
    struct lab_db *reader = lab_reader_acquire(store);
    if (reader == NULL)
        return LAB_STORE_FAILED;
    enum lab_store_result result = LAB_STORE_OK;
    sqlite3_stmt *statement = lab_query(reader, sql, LAB_VALUES(lab_text(name)));
    if (lab_query_next(reader, statement)) {
        snprintf(value, size, "%s", lab_column_text(statement, 0));
        lab_query_reset(statement);
    } else {
        result = lab_result(LAB_STORE_NOT_FOUND, "setting %s not found", name);
    }
    return lab_reader_release(store, reader, result);
}
