/* What the files of the store share, and nobody else sees: connections and their statements, the writer's queue, the pool
 * of readers, and the index that lists are answered from.
 */
#ifndef LAB_STORE_INTERNAL_H
#define LAB_STORE_INTERNAL_H

#include "store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

/* --- what went wrong (connection.c) ------------------------------------------------------------------------------- */

/* Sets this thread's message, for lab_store_message, and returns `result`. */
enum lab_store_result lab_result(enum lab_store_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* This thread's message. */
const char *lab_message(void);

/* --- connections (connection.c) ----------------------------------------------------------------------------------- */

enum { LAB_STATEMENTS_MAX = 64, LAB_MESSAGE_SIZE = 320 };

/* One SQLite connection, used by one thread at a time, with the statements it has prepared so far. The first failure
 * sticks until lab_connection_clear: what is called after it does nothing, so a caller checks once, at the end. */
struct lab_connection {
    sqlite3 *db;
    size_t statement_count;
    struct {
        const char *sql; /* compared by address: each statement's text is one constant */
        sqlite3_stmt *statement;
    } statements[LAB_STATEMENTS_MAX];
    int failure;      /* extended result code, SQLITE_OK for none */
    int system_error; /* errno beneath a failure of the file, 0 for none */
    char failure_text[LAB_MESSAGE_SIZE];
};

/* Opens an existing file and sets what every connection of the store has. LAB_STORE_OK, or the failure, with the
 * connection closed again. */
enum lab_store_result lab_connection_open(struct lab_connection *connection, const char *path, bool writable);
void lab_connection_close(struct lab_connection *connection);

void lab_connection_clear(struct lab_connection *connection);
/* LAB_STORE_OK when nothing failed; else FULL or FAILED, with this thread's message. */
enum lab_store_result lab_connection_result(const struct lab_connection *connection);
/* Whether the failure is about what was written (a constraint), not about the file it was to be written to. */
bool lab_connection_refused(const struct lab_connection *connection);

/* A value bound to a statement. Text and blobs are not copied: they live until the statement is done. */
struct lab_value {
    enum { LAB_VALUE_NULL, LAB_VALUE_INTEGER, LAB_VALUE_REAL, LAB_VALUE_TEXT, LAB_VALUE_BLOB } kind;
    int64_t integer;
    double real;
    const void *bytes;
    size_t size;
};

static inline struct lab_value lab_integer(int64_t integer)
{
    return (struct lab_value){.kind = LAB_VALUE_INTEGER, .integer = integer};
}
/* INT64_MIN (LAB_NO_TIME, unknown) becomes NULL. */
static inline struct lab_value lab_optional(int64_t integer)
{
    return (struct lab_value){.kind = integer == INT64_MIN ? LAB_VALUE_NULL : LAB_VALUE_INTEGER, .integer = integer};
}
/* NaN becomes NULL. */
static inline struct lab_value lab_real(double real)
{
    return (struct lab_value){.kind = LAB_VALUE_REAL, .real = real};
}
static inline struct lab_value lab_text(const char *text)
{
    return (struct lab_value){.kind = text == NULL ? LAB_VALUE_NULL : LAB_VALUE_TEXT, .bytes = text};
}
/* `bytes` NULL becomes NULL. */
static inline struct lab_value lab_blob(const void *bytes, size_t size)
{
    return (struct lab_value){.kind = bytes == NULL ? LAB_VALUE_NULL : LAB_VALUE_BLOB, .bytes = bytes, .size = size};
}

/* The values of ?1, ?2, … as the last two arguments of the functions below. */
#define LAB_WITH(...)                                                                                                  \
    (const struct lab_value[]){__VA_ARGS__}, sizeof((const struct lab_value[]){__VA_ARGS__}) / sizeof(struct lab_value)
#define LAB_WITH_NOTHING NULL, 0

/* A statement ready to be stepped with lab_row, from the cache; NULL after a failure, which lab_row and the lab_column
 * functions of a caller that checks lab_row never see. */
sqlite3_stmt *lab_query(struct lab_connection *connection, const char *sql, const struct lab_value *values,
                        size_t count);
/* Steps to the next row. False after the last one or a failure; then the statement is ready for its next use. */
bool lab_row(struct lab_connection *connection, sqlite3_stmt *statement);
/* For a caller that leaves before the last row. */
void lab_query_end(sqlite3_stmt *statement);

/* Runs a statement that returns no rows. False after a failure. */
bool lab_change(struct lab_connection *connection, const char *sql, const struct lab_value *values, size_t count);
/* Runs a text of several statements once, without keeping them. */
bool lab_execute(struct lab_connection *connection, const char *sql);
/* The first column of the first row. False, with *value untouched, when there is none, or after a failure. */
bool lab_lookup(struct lab_connection *connection, int64_t *value, const char *sql, const struct lab_value *values,
                size_t count);

/* Columns as the public rows have them: NULL is NULL, INT64_MIN or NaN. */
const char *lab_column_text(sqlite3_stmt *statement, int column);
int64_t lab_column_optional(sqlite3_stmt *statement, int column);
double lab_column_real(sqlite3_stmt *statement, int column);

/* BEGIN IMMEDIATE, `write`, COMMIT; any result but LAB_STORE_OK, and any failure, rolls back. Returns what `write` did, or
 * the failure. */
typedef enum lab_store_result lab_write(struct lab_connection *connection, void *argument);
enum lab_store_result lab_transaction(struct lab_connection *connection, lab_write *write, void *argument);

/* --- schema (migrate.c, migrations/) ------------------------------------------------------------------------------- */

struct lab_migration {
    const char *name, *sql;
};
extern const struct lab_migration lab_migrations[];
extern const size_t lab_migration_count;

/* How many steps the file has taken. Only reads; refuses a file with more than `count`, and one that is not the store's. */
enum lab_store_result lab_schema_version(struct lab_connection *connection, size_t count, size_t *version);
/* Puts the file into WAL mode and takes the steps from `version` to `count`, each in a transaction of its own. */
enum lab_store_result lab_schema_migrate(struct lab_connection *connection, const struct lab_migration *steps,
                                         size_t version, size_t count);

/* --- lock file (lock.c) --------------------------------------------------------------------------------------------- */

/* Makes the folder (0700) and gives the absolute path of the file, to be freed; NULL with this thread's message. */
char *lab_store_path(const char *path);
/* Takes PATH.lock; the descriptor, or -1 with this thread's message. */
int lab_lock_take(const char *path);
void lab_lock_release(int lock);

/* --- readers (readers.c) -------------------------------------------------------------------------------------------- */

enum { LAB_READERS_IDLE_MAX = 8 };

/* Read-only connections that nobody uses at the moment. */
struct lab_readers {
    pthread_mutex_t mutex;
    size_t idle_count;
    struct lab_connection *idle[LAB_READERS_IDLE_MAX];
};

/* A connection inside a read transaction: all that is read until it is given back is one state of the store. There are as
 * many as are asked for, so a callback may read too. NULL with this thread's message. */
struct lab_connection *lab_reader_take(struct lab_store *store);
/* Returns `result`, or the connection's failure when there was one. */
enum lab_store_result lab_reader_give_back(struct lab_store *store, struct lab_connection *reader,
                                           enum lab_store_result result);

/* --- the writer (writer.c) ------------------------------------------------------------------------------------------ */

enum { LAB_GROUP_MS = 100, LAB_RETRY_MS = 1000, LAB_LOST_MAX = 16 };
enum { LAB_PENDING_MAX_BYTES = 64 << 20 };

/* A change that somebody waits for. */
struct lab_command {
    struct lab_command *next;
    lab_write *write; /* NULL: only writes what is pending */
    void *argument;
    bool done;
    enum lab_store_result result;
    char message[LAB_MESSAGE_SIZE];
};

struct lab_record; /* a measurement, span or warning on its way (records.c) */

/* Records of a run that could not be written, until lab_store_finish_run has told. */
struct lab_loss {
    char run[LAB_RUN_ID_SIZE];
    uint64_t count;
};

struct lab_writer {
    struct lab_connection connection; /* the only one that writes and checkpoints; the thread's alone once it runs */
    pthread_t thread;

    pthread_mutex_t mutex; /* for all below */
    pthread_cond_t work, done;
    bool stop;
    struct lab_command *commands, **commands_end;
    struct lab_record *records, **records_end; /* not yet on the disk, oldest first */
    size_t record_bytes;
    int64_t due_ns; /* monotonic: when the records are written, or the disk is tried again; 0 for never */
    bool healthy;
    char failure[LAB_MESSAGE_SIZE];
    struct lab_loss losses[LAB_LOST_MAX];
};

enum lab_store_result lab_writer_start(struct lab_store *store);
/* Writes all that is pending, once, and ends the thread. */
void lab_writer_stop(struct lab_store *store);

/* Hands a change to the writer and waits until it is on the disk, or refused. */
enum lab_store_result lab_store_write(struct lab_store *store, lab_write *write, void *argument);
/* Has everything written that is pending now, and waits for it. */
enum lab_store_result lab_store_flush(struct lab_store *store);
/* Queues a record, which it owns from now on; NULL (no memory) counts as one that is lost. */
void lab_writer_add(struct lab_store *store, const char *run, struct lab_record *record);
/* What is noted as lost of a run. False when nothing is. */
bool lab_writer_find_loss(struct lab_store *store, const char *run, struct lab_loss *loss);
void lab_writer_forget_loss(struct lab_store *store, const char *run);

/* --- records (records.c) -------------------------------------------------------------------------------------------- */

struct lab_record {
    struct lab_record *next;
    size_t bytes; /* of memory */
    /* Writes it to the run of this number. */
    void (*write)(struct lab_connection *connection, int64_t run, const struct lab_record *record);
    bool lost; /* set when the store would not have it */
    char run[LAB_RUN_ID_SIZE];
    union {
        struct lab_measurement_row measurement;
        struct lab_span_row span;
        const char *warning;
    } of;
    double content[]; /* samples, then strings */
};

/* Writes a list of records (struct lab_record *) in the transaction under way; those that the store refuses are marked lost. */
enum lab_store_result lab_records_write(struct lab_connection *connection, void *records);
/* Appends a sentence to a run's warnings, in the transaction under way. */
void lab_warning_write(struct lab_connection *connection, int64_t run, const char *warning);

/* --- what lists are answered from (facets.c, words.c) ---------------------------------------------------------------- */

/* Run numbers are below this; the search index has the terms above it. */
#define LAB_RUN_NUMBER_END (INT64_C(1) << 42)

/* A change of status touches few of a run's rows, a change of tags or note all of them. */
enum lab_facets { LAB_FACETS_STATUS, LAB_FACETS_ALL };

/* Around any change of a run's terms or words: take its rows out of `listing` and `search`, change, put them in again. */
void lab_facets_remove(struct lab_connection *connection, int64_t run, enum lab_facets which);
void lab_facets_add(struct lab_connection *connection, int64_t run, enum lab_facets which);
/* Gives a run a term ("experiment", "device", "status" or "tag"); name NULL: the term 0, "any", which it needs of each kind. */
void lab_facets_give(struct lab_connection *connection, int64_t run, const char *kind, const char *name);
/* Replaces the run's status, in its row and its terms. */
void lab_facets_set_status(struct lab_connection *connection, int64_t run, enum lab_status status);
/* Makes run.words anew from the run's experiment, tags and note. */
void lab_facets_describe(struct lab_connection *connection, int64_t run);
/* A term's number, 0 for none. */
int64_t lab_facets_find(struct lab_connection *connection, const char *kind, const char *name);

/* The SQL function searchable(text), for lab_facets_describe. */
bool lab_words_register(sqlite3 *db);
/* The FTS5 expression that finds `text`, to be freed; NULL when out of memory. */
char *lab_words_match(const char *text);

/* --- runs (runs.c) ---------------------------------------------------------------------------------------------------- */

/* The number of a run, in *run. False when there is none, or after a failure. */
bool lab_run_number(struct lab_connection *connection, const char *id, int64_t *run);
/* The result for a run that lab_run_number did not find. */
enum lab_store_result lab_run_missing(const struct lab_connection *connection, const char *id);

/* --- the store (store.c) -------------------------------------------------------------------------------------------- */

struct lab_store {
    char *path;
    int lock;
    struct lab_writer writer;
    struct lab_readers readers;
    _Atomic uint64_t generation;
};

#endif
