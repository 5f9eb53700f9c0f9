/* Brings a file to the schema of this binary, step by step. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

/* Says in the file's header whose it is: "glab". */
enum { APPLICATION_ID = 0x676c6162 };

enum lab_store_result lab_schema_version(struct lab_connection *connection, size_t count, size_t *version)
{
    int64_t reached = 0, application = 0, tables = 0;
    lab_connection_clear(connection);
    lab_lookup(connection, &reached, "PRAGMA user_version", LAB_WITH_NOTHING);
    lab_lookup(connection, &application, "PRAGMA application_id", LAB_WITH_NOTHING);
    lab_lookup(connection, &tables, "SELECT count(*) FROM sqlite_schema", LAB_WITH_NOTHING);
    enum lab_store_result result = lab_connection_result(connection);
    if (result != LAB_STORE_OK)
        return result;

    if (application != APPLICATION_ID && (application != 0 || reached != 0 || tables != 0))
        return lab_result(LAB_STORE_FAILED, "this is an SQLite database, but not one of gpulab");
    if (reached < 0 || (uint64_t)reached > count)
        return lab_result(LAB_STORE_FAILED,
                          "the database has schema %lld and this gpulab knows none above %zu: a newer gpulab made it",
                          (long long)reached, count);
    *version = (size_t)reached;
    return LAB_STORE_OK;
}

struct step {
    const char *sql;
    size_t version; /* after it */
};

static enum lab_store_result take_step(struct lab_connection *connection, void *argument)
{
    const struct step *step = argument;
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %zu", (int)APPLICATION_ID,
             step->version);
    lab_execute(connection, step->sql);
    lab_execute(connection, marks);
    return LAB_STORE_OK; /* a failure stays in the connection */
}

static enum lab_store_result use_wal(struct lab_connection *connection)
{
    lab_connection_clear(connection);
    sqlite3_stmt *statement = lab_query(connection, "PRAGMA journal_mode = WAL", LAB_WITH_NOTHING);
    bool wal = lab_row(connection, statement) && strcmp(lab_column_text(statement, 0), "wal") == 0;
    if (statement != NULL)
        lab_query_end(statement);
    enum lab_store_result result = lab_connection_result(connection);
    if (result == LAB_STORE_OK && !wal)
        return lab_result(LAB_STORE_FAILED, "the file system does not allow a write-ahead log");
    return result;
}

enum lab_store_result lab_schema_migrate(struct lab_connection *connection, const struct lab_migration *steps,
                                         size_t version, size_t count)
{
    enum lab_store_result result = use_wal(connection);
    for (; version < count && result == LAB_STORE_OK; version++) {
        struct step step = {steps[version].sql, version + 1};
        result = lab_transaction(connection, take_step, &step);
        if (result != LAB_STORE_OK)
            lab_result(result, "migration %s: %s", steps[version].name, connection->failure_text);
    }
    return result;
}
