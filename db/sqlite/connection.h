/* One SQLite connection: prepared statements, bound values, rows, transactions, and how failures become results.
 */
#ifndef LAB_STORE_CONNECTION_H
#define LAB_STORE_CONNECTION_H

#include "store.h"

#include <sqlite3.h>

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Sets this thread's message (lab_store_message) and returns `result`. */
enum lab_store_result lab_result(enum lab_store_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* This thread's message. */
const char *lab_message(void);

/* --- connections -------------------------------------------------------------------------------------------------- */

/* LAB_STATEMENTS_MAX is more than there are statements in all of db. */
enum { LAB_STATEMENTS_MAX = 160, LAB_MESSAGE_SIZE = 320 };

/* A connection and its prepared statements, used by one thread at a time. The first failure is kept until
 * lab_db_clear, and every call after it does nothing; so a caller checks once, at the end. */
struct lab_db {
    sqlite3 *db;
    size_t statement_count;
    struct {
        const char *sql; /* compared by address: each statement's text is one constant */
        sqlite3_stmt *statement;
    } statements[LAB_STATEMENTS_MAX];
    int failure;      /* SQLite's extended result code of the first failure, SQLITE_OK for none */
    int system_error; /* errno of that failure if it was a file operation, else 0 */
    char failure_text[LAB_MESSAGE_SIZE];
};

/* Opens an existing file and applies the settings that all connections share. On failure the connection is closed. */
enum lab_store_result lab_db_open(struct lab_db *connection, const char *path, bool writable);
void lab_db_close(struct lab_db *connection);

void lab_db_clear(struct lab_db *connection);
/* LAB_STORE_OK, or for a failure LAB_STORE_FULL or LAB_STORE_FAILED with this thread's message set. */
enum lab_store_result lab_db_result(const struct lab_db *connection);
/* Whether SQLite rejected the data (a constraint, a type, a size); false when the file could not be written. */
bool lab_db_rejected_data(const struct lab_db *connection);

/* A value bound to a statement. Text and blobs are not copied: they must stay valid until the statement is reset. */
struct lab_sql_value {
    enum { LAB_VALUE_NULL, LAB_VALUE_INTEGER, LAB_VALUE_REAL, LAB_VALUE_TEXT, LAB_VALUE_BLOB } kind;
    int64_t integer;
    double real;
    const void *bytes;
    size_t size;
};

static inline struct lab_sql_value lab_integer(int64_t integer)
{
    return (struct lab_sql_value){.kind = LAB_VALUE_INTEGER, .integer = integer};
}
/* INT64_MIN (LAB_NO_TIME, unknown) becomes NULL. */
static inline struct lab_sql_value lab_integer_or_null(int64_t integer)
{
    return (struct lab_sql_value){.kind = integer == INT64_MIN ? LAB_VALUE_NULL : LAB_VALUE_INTEGER,
                                  .integer = integer};
}
/* NaN becomes NULL. */
static inline struct lab_sql_value lab_real(double real)
{
    return (struct lab_sql_value){.kind = LAB_VALUE_REAL, .real = real};
}
static inline struct lab_sql_value lab_text(const char *text)
{
    return (struct lab_sql_value){.kind = text == NULL ? LAB_VALUE_NULL : LAB_VALUE_TEXT, .bytes = text};
}
/* `bytes` NULL becomes NULL. */
static inline struct lab_sql_value lab_blob(const void *bytes, size_t size)
{
    return (struct lab_sql_value){
        .kind = bytes == NULL ? LAB_VALUE_NULL : LAB_VALUE_BLOB, .bytes = bytes, .size = size};
}

/* The values of ?1, ?2, … of a statement: expands to the last two arguments (array, count) of the functions below. */
#define LAB_VALUES(...)                                                                                                \
    (const struct lab_sql_value[]){__VA_ARGS__},                                                                       \
        sizeof((const struct lab_sql_value[]){__VA_ARGS__}) / sizeof(struct lab_sql_value)
#define LAB_NO_VALUES NULL, 0

/* Prepares (or takes from the cache) a statement and binds its values; read its rows with lab_query_next. Returns NULL
 * after a failure; lab_query_next accepts NULL. */
sqlite3_stmt *lab_query(struct lab_db *connection, const char *sql, const struct lab_sql_value *values, size_t count);
/* Steps to the next row. Returns false after the last row or a failure, with the statement reset. */
bool lab_query_next(struct lab_db *connection, sqlite3_stmt *statement);
/* Resets a statement before its last row has been read. */
void lab_query_reset(sqlite3_stmt *statement);

/* Runs a statement to its end, ignoring rows. Returns false after a failure. */
bool lab_execute_statement(struct lab_db *connection, const char *sql, const struct lab_sql_value *values,
                           size_t count);
/* Runs a text of several statements, without caching them. Returns false after a failure. */
bool lab_execute_script(struct lab_db *connection, const char *sql);
/* Reads the first column of the first row. Returns false and leaves *value when there is no row, or after a failure. */
bool lab_select_integer(struct lab_db *connection, int64_t *value, const char *sql, const struct lab_sql_value *values,
                        size_t count);

/* Read a column of the current row; SQL NULL is returned as NULL, INT64_MIN or NaN. */
const char *lab_column_text(sqlite3_stmt *statement, int column);
int64_t lab_column_optional(sqlite3_stmt *statement, int column);
double lab_column_real(sqlite3_stmt *statement, int column);

/* A change of the database: makes it, within a transaction. It may be called again when the transaction failed. A
 * result other than LAB_STORE_OK, and a failure of the connection, undo it. */
typedef enum lab_store_result lab_write(struct lab_db *connection, void *argument);

struct lab_change {
    struct lab_change *next;
    lab_write *write;
    void *argument;
    enum lab_store_result result; /* of `write`, or of the transaction when that failed */
    char message[LAB_MESSAGE_SIZE];
};

/* Makes a list of changes in one transaction; one that is undone does not affect the others. Returns false when the
 * transaction failed: then nothing is changed, and each has the failure as its result. */
bool lab_transaction_all(struct lab_db *connection, struct lab_change *changes);
/* Makes one change in a transaction. Returns its result. */
enum lab_store_result lab_transaction(struct lab_db *connection, lab_write *write, void *argument);

#endif
