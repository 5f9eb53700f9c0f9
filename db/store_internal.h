/* Declarations for the store's own files: migrations, the lock file, readers, the writer thread,
 * records, and the index that lists are read from. SQLite itself is wrapped by connection.h.
 */
#ifndef LAB_STORE_INTERNAL_H
#define LAB_STORE_INTERNAL_H

#include "connection.h"

#include <pthread.h>
#include <stdatomic.h>

/* --- schema (migrate.c, migrations/) ------------------------------------------------------------------------------- */

struct lab_migration {
    const char *name, *sql;
};
extern const struct lab_migration lab_migrations[];
extern const size_t lab_migration_count;

/* Reads how many migrations the file has had. Fails for a file that has had more than `count`, and for one that is not a
 * database of gpulab. Changes nothing. */
enum lab_store_result lab_schema_version(struct lab_connection *connection, size_t count, size_t *version);
/* Switches the file to WAL mode and applies migrations `version` to `count` - 1, each in a transaction of its own. */
enum lab_store_result lab_schema_migrate(struct lab_connection *connection, const struct lab_migration *steps,
                                         size_t version, size_t count);

/* --- lock file (lock.c) --------------------------------------------------------------------------------------------- */

/* Creates the folder (mode 0700) and returns the file's absolute path, which the caller frees; NULL with this thread's message
 * set. */
char *lab_store_path(const char *path);
/* Locks PATH.lock. Returns the descriptor for lab_lock_release, or a negative number with this thread's message set:
 * LAB_LOCK_IN_USE when another process holds the lock. */
enum { LAB_LOCK_IN_USE = -2 };
int lab_lock_acquire(const char *path);
void lab_lock_release(int lock);

/* --- readers (readers.c) -------------------------------------------------------------------------------------------- */

enum { LAB_READERS_IDLE_MAX = 8 };

/* Read-only connections that are not in use. */
struct lab_readers {
    pthread_mutex_t mutex;
    size_t idle_count;
    struct lab_connection *idle[LAB_READERS_IDLE_MAX];
};

/* Returns a connection inside a read transaction, so that everything read until it is released is one state of the store. The
 * pool grows on demand, so a row callback may read too. NULL with this thread's message set. */
struct lab_connection *lab_reader_acquire(struct lab_store *store);
/* Ends the transaction. Returns `result`, or the connection's failure. */
enum lab_store_result lab_reader_release(struct lab_store *store, struct lab_connection *reader,
                                         enum lab_store_result result);

/* --- the writer (writer.c) ------------------------------------------------------------------------------------------ */

/* Records are committed together after LAB_GROUP_MS, and failed writes are repeated after LAB_RETRY_MS. */
enum { LAB_GROUP_MS = 100, LAB_RETRY_MS = 1000 };
/* Memory for records that wait for the disk; runs whose lost records are counted at the same time. */
enum { LAB_PENDING_MAX_BYTES = 64 << 20, LAB_LOST_MAX = 16 };

/* A change whose caller waits for it. */
struct lab_command {
    struct lab_command *next;
    lab_write *write; /* NULL: write the pending records only */
    void *argument;
    bool done;
    enum lab_store_result result;
    char message[LAB_MESSAGE_SIZE];
};

struct lab_record; /* a measurement, span, warning or note that is queued (see below) */

/* How many records of a run could not be written; kept until lab_store_finish_run has reported it. */
struct lab_loss {
    char run[LAB_RUN_ID_SIZE];
    uint64_t count;
};

struct lab_writer {
    struct lab_connection
        connection; /* the only one that writes and checkpoints; once `thread` runs, only it uses this */
    pthread_t thread;

    pthread_mutex_t mutex;     /* protects all members below */
    pthread_cond_t work, done; /* there is work for the thread; a command is done */
    bool stop;
    struct lab_command *commands, **commands_end; /* a list, and where the next one is linked */
    struct lab_record *records, **records_end;    /* not yet on disk, oldest first */
    size_t record_bytes;                          /* memory of the records that are not yet on disk */
    int64_t due_ns;                 /* monotonic time of the next write of records or retry; 0: none is due */
    bool healthy;                   /* the last write succeeded */
    char failure[LAB_MESSAGE_SIZE]; /* message of the last failure */
    struct lab_loss losses[LAB_LOST_MAX];
};

enum lab_store_result lab_writer_start(struct lab_store *store);
/* Tries once to write the pending records, then ends the thread. */
void lab_writer_stop(struct lab_store *store);

/* Runs `write` in a transaction on the writer thread and returns when it is on disk or has failed. */
enum lab_store_result lab_store_write(struct lab_store *store, lab_write *write, void *argument);
/* Writes the records that are pending now and returns when they are on disk, or the failure. */
enum lab_store_result lab_store_flush(struct lab_store *store);
/* Queues a record and takes ownership of it. NULL (out of memory) is counted as a lost record of `run`. */
void lab_writer_add(struct lab_store *store, const char *run, struct lab_record *record);
/* Gets the number of lost records of a run. Returns false when none was lost. */
bool lab_writer_get_loss(struct lab_store *store, const char *run, struct lab_loss *loss);
void lab_writer_clear_loss(struct lab_store *store, const char *run);

/* --- records (records.c queues them, write_records.c writes them) ---------------------------------------------------- */

struct lab_record {
    struct lab_record *next;
    size_t bytes; /* of memory, this struct and `content` included */
    /* Inserts the record into the run with this number. */
    void (*write)(struct lab_connection *connection, int64_t run, const struct lab_record *record);
    bool lost; /* SQLite rejected it, or its run does not exist */
    char run[LAB_RUN_ID_SIZE];
    union {
        struct lab_measurement_row measurement;
        struct lab_span_row span;
        const char *text; /* a warning or note */
    } row;
    double content[]; /* the samples, then the strings that the row points to */
};

/* Writes a list of records (a struct lab_record *) in the current transaction and marks those that SQLite rejects as lost. */
enum lab_store_result lab_records_write(struct lab_connection *connection, void *records);
/* Insert one record, in the current transaction (struct lab_record.write). */
void lab_write_measurement(struct lab_connection *connection, int64_t run, const struct lab_record *record);
void lab_write_span(struct lab_connection *connection, int64_t run, const struct lab_record *record);
void lab_write_warning(struct lab_connection *connection, int64_t run, const struct lab_record *record);
void lab_write_note(struct lab_connection *connection, int64_t run, const struct lab_record *record);
/* Appends a sentence to a run's warnings, in the current transaction. */
void lab_warning_write(struct lab_connection *connection, int64_t run, const char *warning);

/* --- the index that lists are read from (run_index.c, search_text.c) ------------------------------------------------- */

/* Run numbers are below this. A rowid of `search` holds the run in its lower 42 bits and the term in the bits above. */
#define LAB_RUN_NUMBER_END (INT64_C(1) << 42)

/* Which of a run's index rows a change affects: those that contain its status, or all of them. */
enum lab_index_scope { LAB_INDEX_STATUS, LAB_INDEX_ALL };

/* A change of a run's terms or search text is enclosed by these two: remove its rows from `listing` and `search`, change, add
 * them again. */
void lab_index_remove(struct lab_connection *connection, int64_t run, enum lab_index_scope which);
void lab_index_add(struct lab_connection *connection, int64_t run, enum lab_index_scope which);
/* Adds a term of a kind ("experiment", "device", "status" or "tag") to a run. name NULL adds the term 0, "any", which every run
 * has once of each kind. */
void lab_index_add_term(struct lab_connection *connection, int64_t run, const char *kind, const char *name);
/* Changes the run's status in its row, its terms and the index. */
void lab_index_set_status(struct lab_connection *connection, int64_t run, enum lab_status status);
/* Recomputes run.words, the text in `search`, from the run's experiment, tags and note. */
void lab_index_update_text(struct lab_connection *connection, int64_t run);
/* Returns a term's number, 0 when no run has had it. */
int64_t lab_index_find_term(struct lab_connection *connection, const char *kind, const char *name);

/* Registers the SQL function searchable(text), which lab_index_update_text uses. */
bool lab_search_register(sqlite3 *db);
/* Returns the FTS5 expression that matches `text`; the caller frees it. NULL when out of memory. */
char *lab_search_expression(const char *text);

/* --- runs by id (find_run.c) ---------------------------------------------------------------------------------------- */

/* Finds the number of a run. Returns false when there is no such run, or after a failure. */
bool lab_run_find(struct lab_connection *connection, const char *id, int64_t *run);
/* The result to return when a run was not found: LAB_STORE_NOT_FOUND, or the connection's failure. */
enum lab_store_result lab_run_not_found(const struct lab_connection *connection, const char *id);

/* --- the store (store.c) -------------------------------------------------------------------------------------------- */

struct lab_store {
    char *path; /* of the database, absolute */
    int lock;   /* descriptor of the locked lock file */
    struct lab_writer writer;
    struct lab_readers readers;
    _Atomic uint64_t generation; /* see lab_store_generation */
};

#endif
