/* One SQLite connection: opening, cached statements, transactions, failures. */
#include "store_internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[LAB_MESSAGE_SIZE];

enum lab_store_result lab_result(enum lab_store_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return result;
}

enum lab_store_result lab_store_no_memory(void)
{
    return lab_result(LAB_STORE_FAILED, "out of memory");
}

const char *lab_message(void)
{
    return message;
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* Returns the errno of the last failed operation on the WAL or the database file, because sqlite3_system_errno does not
 * report those of a COMMIT. */
static int system_error(sqlite3 *db)
{
    static const int pointers[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        sqlite3_file *file = NULL;
        int error = 0;
        if (sqlite3_file_control(db, "main", pointers[i], &file) == SQLITE_OK && file != NULL &&
            file->pMethods != NULL &&
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error) == SQLITE_OK && error != 0)
            return error;
    }
    return sqlite3_system_errno(db);
}

/* Records the failure unless there is an earlier one; returns false. */
static bool failed(struct lab_db *connection)
{
    if (connection->failure != SQLITE_OK)
        return false;
    int code = sqlite3_extended_errcode(connection->db);
    bool of_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    connection->failure = code == SQLITE_OK ? SQLITE_ERROR : code;
    connection->system_error = of_system ? system_error(connection->db) : 0;
    snprintf(connection->failure_text, sizeof connection->failure_text, "%s", sqlite3_errmsg(connection->db));
    return false;
}

void lab_db_clear(struct lab_db *connection)
{
    connection->failure = SQLITE_OK;
}

/* Checks errno too, because SQLite reports SQLITE_FULL only for ENOSPC, and not for every operation. */
static bool cannot_grow(const struct lab_db *connection)
{
    int error = connection->system_error;
    return (connection->failure & 0xff) == SQLITE_FULL || error == ENOSPC || error == EDQUOT || error == EFBIG;
}

enum lab_store_result lab_db_result(const struct lab_db *connection)
{
    if (connection->failure == SQLITE_OK)
        return LAB_STORE_OK;
    bool full = cannot_grow(connection), system = connection->system_error != 0;
    return lab_result(full ? LAB_STORE_FULL : LAB_STORE_FAILED, "%s: %s%s%s (SQLite %d)",
                      full ? "the database cannot grow" : "the database failed", connection->failure_text,
                      system ? ", " : "", system ? strerrordesc_np(connection->system_error) : "", connection->failure);
}

bool lab_db_rejected_data(const struct lab_db *connection)
{
    switch (connection->failure & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        return true;
    default:
        return false;
    }
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

/* mmap is off, because with it an I/O error would be a signal. journal_size_limit truncates the WAL after a long reader
 * has let it grow. With synchronous = FULL a commit is on disk when it returns. 4 MiB of cache hold the upper pages of
 * the indexes of a million runs. */
static const char settings[] =
    "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0;"
    "PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096";

enum lab_store_result lab_db_open(struct lab_db *connection, const char *path, bool writable)
{
    *connection = (struct lab_db){0};
    int flags = (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (sqlite3_open_v2(path, &connection->db, flags, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(connection->db, 5000) != SQLITE_OK)
        failed(connection);
    lab_execute_script(connection, settings);
    if (connection->failure == SQLITE_OK && !lab_functions_register(connection->db))
        failed(connection);

    enum lab_store_result result = lab_db_result(connection);
    if (result != LAB_STORE_OK)
        lab_db_close(connection);
    return result;
}

void lab_db_close(struct lab_db *connection)
{
    for (size_t i = 0; i < connection->statement_count; i++)
        sqlite3_finalize(connection->statements[i].statement);
    connection->statement_count = 0;
    sqlite3_close(connection->db);
    connection->db = NULL;
}

/* --- statements --------------------------------------------------------------------------------------------------- */

/* Returns the cached statement for `sql`, compared by address: faster than hashing for this few statements. */
static sqlite3_stmt *prepared(struct lab_db *connection, const char *sql)
{
    for (size_t i = 0; i < connection->statement_count; i++)
        if (connection->statements[i].sql == sql)
            return connection->statements[i].statement;

    sqlite3_stmt *statement = NULL;
    if (connection->statement_count == LAB_STATEMENTS_MAX ||
        sqlite3_prepare_v3(connection->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) {
        failed(connection);
        return NULL;
    }
    size_t place = connection->statement_count++;
    connection->statements[place].sql = sql;
    connection->statements[place].statement = statement;
    return statement;
}

static int bind(sqlite3_stmt *statement, int index, const struct lab_sql_value *value)
{
    switch (value->kind) {
    case LAB_VALUE_INTEGER:
        return sqlite3_bind_int64(statement, index, value->integer);
    case LAB_VALUE_REAL:
        return sqlite3_bind_double(statement, index, value->real);
    case LAB_VALUE_TEXT:
        return sqlite3_bind_text(statement, index, value->bytes, -1, SQLITE_STATIC);
    case LAB_VALUE_BLOB:
        return sqlite3_bind_blob64(statement, index, value->bytes, value->size, SQLITE_STATIC);
    case LAB_VALUE_NULL:
        break;
    }
    return sqlite3_bind_null(statement, index);
}

sqlite3_stmt *lab_query(struct lab_db *connection, const char *sql, const struct lab_sql_value *values, size_t count)
{
    if (connection->failure != SQLITE_OK)
        return NULL;
    sqlite3_stmt *statement = prepared(connection, sql);
    for (size_t i = 0; statement != NULL && i < count; i++) {
        if (bind(statement, (int)i + 1, &values[i]) != SQLITE_OK) {
            failed(connection);
            statement = NULL;
        }
    }
    return statement;
}

bool lab_query_next(struct lab_db *connection, sqlite3_stmt *statement)
{
    if (statement == NULL || connection->failure != SQLITE_OK)
        return false;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        failed(connection);
    lab_query_reset(statement);
    return false;
}

void lab_query_reset(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

bool lab_execute_statement(struct lab_db *connection, const char *sql, const struct lab_sql_value *values, size_t count)
{
    sqlite3_stmt *statement = lab_query(connection, sql, values, count);
    while (lab_query_next(connection, statement))
        ;
    return connection->failure == SQLITE_OK;
}

bool lab_execute_script(struct lab_db *connection, const char *sql)
{
    if (connection->failure == SQLITE_OK && sqlite3_exec(connection->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        failed(connection);
    return connection->failure == SQLITE_OK;
}

bool lab_select_integer(struct lab_db *connection, int64_t *value, const char *sql, const struct lab_sql_value *values,
                        size_t count)
{
    sqlite3_stmt *statement = lab_query(connection, sql, values, count);
    if (!lab_query_next(connection, statement))
        return false;
    *value = sqlite3_column_int64(statement, 0);
    lab_query_reset(statement);
    return true;
}

const char *lab_column_text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

int64_t lab_column_optional(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? INT64_MIN : sqlite3_column_int64(statement, column);
}

double lab_column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? (double)NAN
                                                                 : sqlite3_column_double(statement, column);
}

/* --- transactions ------------------------------------------------------------------------------------------------- */

/* Makes one change in a savepoint. Returns false after a failure that concerns the whole transaction, such as a full
 * disk. */
static bool run_change(struct lab_db *connection, struct lab_change *change)
{
    static const char begin[] = "SAVEPOINT change", undo[] = "ROLLBACK TO change", end[] = "RELEASE change";
    if (!lab_execute_statement(connection, begin, LAB_NO_VALUES))
        return false;
    change->result = change->write(connection, change->argument);
    if (connection->failure != SQLITE_OK) {
        if (!lab_db_rejected_data(connection))
            return false;
        change->result = lab_db_result(connection);
        lab_db_clear(connection);
    }
    if (change->result != LAB_STORE_OK) {
        snprintf(change->message, sizeof change->message, "%s", message);
        lab_execute_statement(connection, undo, LAB_NO_VALUES);
    }
    return lab_execute_statement(connection, end, LAB_NO_VALUES);
}

bool lab_transaction_all(struct lab_db *connection, struct lab_change *changes)
{
    static const char begin[] = "BEGIN IMMEDIATE", commit[] = "COMMIT";

    lab_db_clear(connection);
    bool good = lab_execute_statement(connection, begin, LAB_NO_VALUES);
    for (struct lab_change *change = changes; good && change != NULL; change = change->next)
        good = run_change(connection, change);
    if (good && lab_execute_statement(connection, commit, LAB_NO_VALUES))
        return true;

    enum lab_store_result result = lab_db_result(connection);
    for (struct lab_change *change = changes; change != NULL; change = change->next) {
        change->result = result;
        snprintf(change->message, sizeof change->message, "%s", message);
    }
    /* After some failures SQLite has already rolled back. */
    if (!sqlite3_get_autocommit(connection->db))
        sqlite3_exec(connection->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

enum lab_store_result lab_transaction(struct lab_db *connection, lab_write *write, void *argument)
{
    struct lab_change change = {.write = write, .argument = argument};
    lab_transaction_all(connection, &change);
    return change.result == LAB_STORE_OK ? LAB_STORE_OK : lab_result(change.result, "%s", change.message);
}
