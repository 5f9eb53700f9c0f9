/* Applies the migrations that a file has not had yet. */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

/* "glab", in the file's header: identifies databases of gpulab. */
enum { APPLICATION_ID = 0x676c6162 };

enum lab_store_result lab_schema_version(struct lab_db *connection, size_t count, size_t *version)
{
    int64_t reached = 0, application = 0, tables = 0;
    lab_db_clear(connection);
    lab_select_integer(connection, &reached, "PRAGMA user_version", LAB_NO_VALUES);
    lab_select_integer(connection, &application, "PRAGMA application_id", LAB_NO_VALUES);
    lab_select_integer(connection, &tables, "SELECT count(*) FROM sqlite_schema", LAB_NO_VALUES);
    enum lab_store_result result = lab_db_result(connection);
    if (result != LAB_STORE_OK)
        return result;

    if (application != APPLICATION_ID && (application != 0 || reached != 0 || tables != 0))
        return lab_result(LAB_STORE_FAILED, "this SQLite database was not created by gpulab");
    if (reached < 0 || (uint64_t)reached > count)
        return lab_result(
            LAB_STORE_FAILED,
            "the database has schema version %lld, but this gpulab supports at most %zu; use a newer gpulab",
            (long long)reached, count);
    *version = (size_t)reached;
    return LAB_STORE_OK;
}

/* The migrations to apply; `at` is the one that is being applied. */
struct migrating {
    const struct lab_migration *steps;
    size_t at, count;
};

static enum lab_store_result apply_all(struct lab_db *connection, void *argument)
{
    struct migrating *migrating = argument;
    char marks[96];
    for (; migrating->at < migrating->count; migrating->at++)
        if (!lab_execute_script(connection, migrating->steps[migrating->at].sql))
            return LAB_STORE_OK; /* the failure is kept in the connection */
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %zu", (int)APPLICATION_ID,
             migrating->count);
    lab_execute_script(connection, marks);
    return LAB_STORE_OK;
}

static enum lab_store_result use_wal(struct lab_db *connection)
{
    lab_db_clear(connection);
    sqlite3_stmt *statement = lab_query(connection, "PRAGMA journal_mode = WAL", LAB_NO_VALUES);
    bool wal = lab_query_next(connection, statement) && strcmp(lab_column_text(statement, 0), "wal") == 0;
    if (statement != NULL)
        lab_query_reset(statement);
    enum lab_store_result result = lab_db_result(connection);
    if (result == LAB_STORE_OK && !wal)
        return lab_result(LAB_STORE_FAILED, "the file system does not support SQLite's write-ahead log");
    return result;
}

static enum lab_store_result apply_migrations(struct lab_db *connection, const struct lab_migration *steps,
                                              size_t version, size_t count)
{
    struct migrating migrating = {steps, version, count};
    if (version == count)
        return LAB_STORE_OK;
    enum lab_store_result result = lab_transaction(connection, apply_all, &migrating);
    if (result != LAB_STORE_OK && migrating.at < count)
        lab_result(result, "migration %s: %s", steps[migrating.at].name, connection->failure_text);
    return result;
}

enum lab_store_result lab_schema_migrate(struct lab_db *connection, const struct lab_migration *steps, size_t version,
                                         size_t count)
{
    enum lab_store_result result = use_wal(connection);
    return result == LAB_STORE_OK ? apply_migrations(connection, steps, version, count) : result;
}

/* --- completeness ------------------------------------------------------------------------------------------------- */

/* What a database consists of, in order. SQLite's own indexes and statistics may differ. */
static const char parts[] =
    "SELECT type || ' ' || name AS part FROM sqlite_schema WHERE name NOT LIKE 'sqlite#_%' ESCAPE '#'"
    " UNION ALL SELECT 'table ' || t.name || ', column ' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c"
    " WHERE t.type = 'table' ORDER BY part";

/* Finds the first part of `complete` that `connection` lacks. */
static enum lab_store_result compare_parts(struct lab_db *connection, struct lab_db *complete)
{
    sqlite3_stmt *found = lab_query(connection, parts, LAB_NO_VALUES);
    sqlite3_stmt *wanted = lab_query(complete, parts, LAB_NO_VALUES);
    bool lacks = false;
    while (!lacks && lab_query_next(complete, wanted)) {
        const char *part = lab_column_text(wanted, 0);
        int order = -1;
        while (order < 0 && lab_query_next(connection, found))
            order = strcmp(lab_column_text(found, 0), part);
        lacks = order != 0;
        if (lacks && connection->failure == SQLITE_OK)
            lab_result(LAB_STORE_FAILED, "the database is damaged: it lacks the %s; restore a backup", part);
    }
    if (found != NULL)
        lab_query_reset(found);
    if (wanted != NULL)
        lab_query_reset(wanted);
    if (connection->failure != SQLITE_OK)
        return lab_db_result(connection);
    return lacks ? LAB_STORE_FAILED : lab_db_result(complete);
}

enum lab_store_result lab_schema_check(struct lab_db *connection, const struct lab_migration *steps, size_t count)
{
    struct lab_db complete;
    enum lab_store_result result = lab_db_open(&complete, ":memory:", true);
    if (result != LAB_STORE_OK)
        return result;
    result = apply_migrations(&complete, steps, 0, count);
    lab_db_clear(connection);
    if (result == LAB_STORE_OK)
        result = compare_parts(connection, &complete);
    lab_db_close(&complete);
    return result;
}
