/* Declarations for the store's own files: migrations, the lock file, readers, the writer thread,
 * records, and the index that lists are read from. SQLite itself is wrapped by connection.h.
 */
#ifndef LAB_STORE_INTERNAL_H
#define LAB_STORE_INTERNAL_H

#include "sqlite/connection.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* --- schema (migrate.c, upgrade.c, migrations/) ------------------------------------------------------------------- */

struct lab_migration {
    const char *name, *sql;
};
extern const struct lab_migration lab_migrations[];
extern const size_t lab_migration_count;

/* Reads how many migrations the file has had. Fails for a file that has had more than `count`, and for one that is not
 * a database of gpulab. Changes nothing. */
enum lab_store_result lab_schema_version(struct lab_db *connection, size_t count, size_t *version);
/* Switches the file to WAL mode and applies migrations `version` to `count` - 1, all or none. */
enum lab_store_result lab_schema_migrate(struct lab_db *connection, const struct lab_migration *steps, size_t version,
                                         size_t count);
/* Applies all migrations that the file at `path` has not had. An older database is first copied to PATH.schema-N, and
 * stderr says so; copies of earlier migrations are removed when it is migrated. On failure the database is not
 * changed. */
enum lab_store_result lab_schema_upgrade(struct lab_db *connection, const char *path);
/* Fails for a file that has had `count` migrations but lacks a table, column, index or trigger that they make. */
enum lab_store_result lab_schema_check(struct lab_db *connection, const struct lab_migration *steps, size_t count);

/* --- the database file (file.c) and its lock (lock.c) ------------------------------------------------------------- */

struct lab_file_identity {
    dev_t device;
    ino_t inode;
};

struct lab_file {
    char *path;                             /* absolute, without symbolic links */
    struct lab_file_identity database, log; /* PATH and PATH-wal as they were opened */
};

/* Creates the folder (mode 0700) and sets file->path, which the caller frees. */
enum lab_store_result lab_file_locate(struct lab_file *file, const char *path);
/* Creates the file unless it exists, and remembers which one it is. Refuses a file with several hard links. */
enum lab_store_result lab_file_create(struct lab_file *file);
/* Remembers which file is the write-ahead log. A connection must have read the database. */
enum lab_store_result lab_file_note_log(struct lab_file *file);
/* Flushes the folder of a file, because a new name is on disk only when its folder is. Returns false with errno set
 * when it cannot. */
bool lab_file_sync_folder(const char *path);
/* Whether the file and its write-ahead log are still at their paths. If not, this thread's message is set. */
bool lab_file_present(const struct lab_file *file);
/* Whether the write-ahead log alone is not: open connections still have what is in it. */
bool lab_file_lost_log(const struct lab_file *file);

enum { LAB_RESERVE_BYTES = 256 << 10 };
/* PATH.reserve occupies a little disk space. Releasing it frees space to delete runs, to record how they ended, and to
 * start, when the disk is full. Both return whether they succeeded; making it again has no effect. */
bool lab_reserve_make(const struct lab_file *file);
bool lab_reserve_release(const struct lab_file *file);

/* Locks PATH.lock. Returns the descriptor for lab_lock_release, or a negative number with this thread's message set:
 * LAB_LOCK_IN_USE when another process holds the lock. */
enum { LAB_LOCK_IN_USE = -2 };
int lab_lock_acquire(const char *path);
void lab_lock_release(int lock);

/* --- copies (backup.c) -------------------------------------------------------------------------------------------- */

/* Ends the name of a file until it is a complete copy. */
#define LAB_INCOMPLETE ".incomplete"

/* Copies a database in which `from` is in a read transaction, or which no other connection writes; see
 * lab_store_backup. */
enum lab_store_result lab_copy_database(struct lab_db *from, const char *path, lab_copy_progress *progress,
                                        void *context);

/* --- readers (readers.c) ------------------------------------------------------------------------------------------ */

enum { LAB_READERS_IDLE_MAX = 8 };

/* Read-only connections that are not in use. */
struct lab_readers {
    pthread_mutex_t mutex;
    size_t idle_count;
    struct lab_db *idle[LAB_READERS_IDLE_MAX];
};

/* Returns a connection inside a read transaction, so that everything read until it is released is one state of the
 * store. The pool grows on demand, so a row callback may read too. NULL with this thread's message set. */
struct lab_db *lab_reader_acquire(struct lab_store *store);
/* Ends the transaction. Returns `result`, or the connection's failure. */
enum lab_store_result lab_reader_release(struct lab_store *store, struct lab_db *reader, enum lab_store_result result);

/* --- the writer (writer.c) ---------------------------------------------------------------------------------------- */

/* Records are committed together after LAB_GROUP_MS. Every LAB_CHECK_MS the thread checks the file, repeats writes that
 * failed, and makes the reserve where it is missing. */
enum { LAB_GROUP_MS = 100, LAB_CHECK_MS = 1000 };
/* Memory for records that wait for the disk; runs whose lost records are counted at the same time. */
enum { LAB_PENDING_MAX_BYTES = 64 << 20, LAB_LOST_MAX = 16 };

/* A change whose caller waits for it. */
struct lab_db_command {
    struct lab_change
        change;  /* first, so that a list of changes is a list of commands; write NULL: only the pending records */
    bool urgent; /* on a full disk it may use the reserve */
    bool done;
};

struct lab_record; /* a measurement, span, environment, … that is queued (see below) */

/* How many records of a run could not be written; kept until lab_store_finish_run has reported it. */
struct lab_loss {
    char run[LAB_RUN_ID_SIZE];
    uint64_t count;
};

struct lab_writer {
    struct lab_db connection; /* the only one that writes and checkpoints; once `thread` runs, only it uses this */
    pthread_t thread;

    pthread_mutex_t mutex;     /* protects all members below */
    pthread_cond_t work, done; /* there is work for the thread; a command is done */
    bool stop;
    struct lab_change *commands, **commands_end; /* a list, and where the next one is linked */
    struct lab_record *records, **records_end;   /* not yet on disk, oldest first */
    size_t record_count, record_bytes;           /* records that are not yet on disk, and their memory */
    double due_at;        /* when records are written next, by lab_clock_now; INFINITY: none is due */
    double check_at;      /* when the next check is due, by lab_clock_now */
    bool healthy;         /* the last write succeeded, and the file is present */
    int64_t opened_until; /* runs that are secret until then are known to be open; used by the thread, like the next */
    int log_pages;        /* not written back; used by the thread, like the next one */
    bool spent;           /* the reserve was released, or could not be made */
    char failure[LAB_MESSAGE_SIZE]; /* message of the last failure */
    struct lab_loss losses[LAB_LOST_MAX];
    uint64_t lost_records, failed_writes; /* since the start */
    struct lab_stored stored;             /* as of the last commit */

    struct lab_histogram commits; /* how long transactions took; needs no mutex */
};

enum lab_store_result lab_writer_start(struct lab_store *store);
/* Tries to write the pending records, then ends the thread. Records that cannot be written are reported on stderr and,
 * if there is space for that, in their runs. */
void lab_writer_stop(struct lab_store *store);

/* Makes a change on the writer thread, in one transaction with all others that wait, and returns when it is on disk or
 * has failed. */
enum lab_store_result lab_store_write(struct lab_store *store, lab_write *write, void *argument);
/* As lab_store_write, for a change that frees space or must be recorded: on a full disk the change uses the reserve. */
enum lab_store_result lab_store_write_urgent(struct lab_store *store, lab_write *write, void *argument);
/* Writes the records that are pending now and returns when they are on disk, or the failure. */
enum lab_store_result lab_store_flush(struct lab_store *store);
/* Writes the pending records, if there are any, before a read. Records that cannot be written are not read. */
void lab_store_catch_up(struct lab_store *store);
/* Queues a record and takes ownership of it. NULL (out of memory) is counted as a lost record of `run`. */
void lab_writer_add(struct lab_store *store, const char *run, struct lab_record *record);
/* Gets the number of lost records of a run. Returns false when none was lost. */
bool lab_writer_get_loss(struct lab_store *store, const char *run, struct lab_loss *loss);
void lab_writer_clear_loss(struct lab_store *store, const char *run);
/* Frees the records that are still pending when the thread has ended, and reports them (unwritten.c). */
void lab_unwritten_report(struct lab_store *store);
/* Counts a lost record. The caller holds the mutex. */
void lab_loss_note(struct lab_writer *writer, const char *run);

/* Reads what the file has (counts.c). Members that cannot be read stay unchanged; a failure of the connection is
 * cleared. */
void lab_stored_read(struct lab_db *connection, const char *path, struct lab_stored *stored);

/* --- disk space (disk_space.c, writer thread only) ---------------------------------------------------------------- */

/* Makes the reserve, and counts the pages of the log from now on. */
void lab_space_watch(struct lab_store *store);
/* Writes SQLite's log back into the database if it has LOG_PAGES_MAX pages (disk_space.c), or, when `checking`,
 * LOG_PAGES_CHECK; fewer while disk space is short. Called before each transaction and after each pass of the thread,
 * once a second with `checking`. Returns false, with this thread's message set, when the database cannot grow. */
bool lab_space_write_back(struct lab_store *store, bool checking);
/* Decides whether a transaction may be tried: LAB_STORE_FULL for new data (not urgent) when the reserve was released
 * and cannot be made again, unless deleted rows have left space. */
enum lab_store_result lab_space_check(struct lab_store *store, bool urgent);
/* Releases the reserve. Returns false when there is none. */
bool lab_space_free_reserve(struct lab_store *store);

/* --- records (records.c queues them, write_records.c writes them) ------------------------------------------------- */

/* Inserts a record into the run with this number, in the current transaction. */
typedef void lab_write_record(struct lab_db *connection, int64_t run, const struct lab_record *record);

/* Whether a run measured a person's own code, with which later runs are not compared by themselves: an own kernel, or a
 * program without a name. */
#define LAB_IS_OWN_CODE(run)                                                                                           \
    " (" run ".kernel IS NOT NULL OR (" run ".program IS NOT NULL AND coalesce(json_extract(" run                      \
    ".program, '$.name'),"                                                                                             \
    " json_extract(" run ".program, '$.command')) IS NULL))"

/* A run has one headline, one list of messages and of findings, output that grows, and any number of the others. */
enum lab_text_kind {
    LAB_TEXT_HEADLINE,
    LAB_TEXT_MESSAGES,
    LAB_TEXT_FINDINGS,
    LAB_TEXT_OUTPUT,
    LAB_TEXT_WARNING,
    LAB_TEXT_NOTE,
    LAB_TEXT_FIELD
};

struct lab_record {
    struct lab_record *next;
    size_t bytes; /* of memory, this struct and `content` included */
    lab_write_record *write;
    bool lost; /* SQLite rejected it, or its run does not exist */
    char run[LAB_RUN_ID_SIZE];
    union {
        struct lab_measurement_row measurement;
        struct lab_span_row span;
        struct {
            const char *content, *key;
        } environment;
        struct {
            enum lab_text_kind kind;
            const char *content;
        } text;
    } row;
    double content[]; /* the samples, then the texts that the row points to */
};

/* Writes a list of records (a struct lab_record *) in the current transaction and marks those that SQLite rejects as
 * lost. */
enum lab_store_result lab_records_write(struct lab_db *connection, void *records);
lab_write_record lab_write_measurement, lab_write_span, lab_write_environment, lab_write_text;
/* Sets a text of a run, or appends one, in the current transaction. */
void lab_text_write(struct lab_db *connection, int64_t run, enum lab_text_kind kind, const char *text);

/* --- results as rows (results/rows.c) ----------------------------------------------------------------------------- */

/* Texts of SQL from the rows of core/result_members.h: ", x.name" and ", name" for each column, and ", ?" for its
 * value. */
#define LAB_COLUMN(x, form, name, ...) ", " x "." #name
#define LAB_NAME(x, form, name, ...) ", " #name
#define LAB_PARAMETER(...) ", ?"

/* The columns of a measurement, as lab_measurement_read expects them: of the table called `m` and of its point, called
 * p. */
#define LAB_MEASUREMENT_COLUMNS(m)                                                                                     \
    " " m ".position, " m ".sample_count" LAB_MEASUREMENT_POINT(LAB_COLUMN, "p")                                       \
        LAB_MEASUREMENT_SUMMARY(LAB_COLUMN, m) LAB_MEASUREMENT_FACTS(LAB_COLUMN, m)
/* Reads them from column `first` on and returns the number of the column after them. */
int lab_measurement_read(sqlite3_stmt *statement, int first, struct lab_measurement_row *row);

/* Reads the columns from `first` on into the members of a row. Returns the number of the column after them. */
int lab_row_read(sqlite3_stmt *statement, int first, const struct lab_row_member *members, void *row);
/* Copies samples to the byte order of the file, which is little-endian, or from it. */
void lab_samples_copy(double *to, const double *from, size_t count);
/* The memory that the texts of a row take, and copying them there: the row then points to the copies. Returns the end
 * of them. */
size_t lab_row_text_bytes(const struct lab_row_member *members, const void *row);
char *lab_row_copy_texts(const struct lab_row_member *members, void *row, char *to);
/* Copies a row of `size` bytes and its texts into one block of memory, which the caller frees; NULL when out of memory.
 * `tables` has its members and ends with NULL. */
void *lab_row_copy(const void *row, size_t size, const struct lab_row_member *const *tables);
/* Sets a value for each member. */
void lab_row_values(const struct lab_row_member *members, const void *row, struct lab_sql_value *values);

/* --- functions of SQL (sql_functions.c) --------------------------------------------------------------------------- */

/* Adds run_number, canonical_axes, searchable, has_text, sha256 and short_digest. */
bool lab_functions_register(sqlite3 *db);
/* Returns the members of a JSON object sorted by name, without white space outside strings (canonical_axes.c). The
 * caller frees it; NULL when out of memory. Another text is returned without white space. */
char *lab_canonical_axes(const char *axes);

/* --- comments (comments.c) ---------------------------------------------------------------------------------------- */

/* Inserts a comment on the run with this number, or a mark (INT64_MIN), in the current transaction. */
void lab_comment_write(struct lab_db *connection, int64_t run, const struct lab_comment_row *comment);

/* --- what runs are found by (run_index.c, search_text.c) ---------------------------------------------------------- */

/* Add or remove a run's rows in run_device, run_tag and search, which follow from its row: a change of tags or note is
 * enclosed by removing and adding. */
void lab_index_remove(struct lab_db *connection, int64_t run);
void lab_index_add(struct lab_db *connection, int64_t run);

/* json_each of a list of a run; of none where the text is not JSON that SQLite reads: such a run can be deleted too. */
#define LAB_EACH_STORED(column) "json_each(iif(json_valid(" column "), " column ", '[]'))"

/* The text of a row of `run`. Reading an empty array would take longer than all the rest. */
#define LAB_RUN_TEXT                                                                                                   \
    "run.experiment || char(10) || (SELECT name FROM model WHERE model.id = run.model) || char(10) ||"                 \
    " CASE run.tags WHEN '[]' THEN ''"                                                                                 \
    " ELSE (SELECT group_concat(value, char(10)) FROM " LAB_EACH_STORED("run.tags") ") || char(10) END || run.note"
/* Returns the text to index: the beginning of `text`, and the marked beginnings of its words. */
char *lab_searchable(const char *text);
/* Returns the FTS5 expression that matches `text`. */
char *lab_search_expression(const char *text); /* the caller frees both; NULL when out of memory */
/* Whether a text is found by a search for `query`: 1 or 0; -1 when only SQLite can tell, because its rules for upper
 * and lower case matter. */
int lab_search_matches(const char *text, const char *query);

/* --- runs by id (find_run.c, run_id.c) ---------------------------------------------------------------------------- */

/* Run numbers are below this. */
#define LAB_RUN_NUMBER_END (INT64_C(1) << 60)

/* The number in an id: its 60 bits of time and counter. Returns false when it is not a UUIDv7, or of a time after
 * 9999. */
bool lab_run_id_number(const char *id, int64_t *number);
/* Makes the row that of a run which is queued: the members that no request decides. */
void lab_run_begin(struct lab_run_row *run);
/* Inserts a run with the values of the row, in the current transaction (add_run.c), and sets *number. Its times become
 * what is stored: none is before the one it must follow. Its measurements, environment, warnings and notes are not
 * inserted. */
enum lab_store_result lab_run_insert(struct lab_db *connection, struct lab_run_row *run, int64_t *number);
/* Sets clock_set_back of the run with this number, or else the one after it, and of the next one. */
void lab_run_mark_clock(struct lab_db *connection, int64_t number);
/* Makes all ids from now on greater than those with this number. */
void lab_run_id_after(int64_t number);

/* Finds the number of a run. Returns false when there is no such run, or after a failure. */
bool lab_run_find(struct lab_db *connection, const char *id, int64_t *run);
/* Finds a run that was imported from the same file as `id` (lab_run_id_of_file): the ends of the two ids are equal, the
 * times before them may differ. */
bool lab_run_find_file(struct lab_db *connection, const char *id, char existing[LAB_RUN_ID_SIZE]);
/* The result to return when a run was not found: LAB_STORE_NOT_FOUND, or the connection's failure. */
enum lab_store_result lab_run_not_found(const struct lab_db *connection, const char *id);

/* --- rows of runs (run_row.c) ------------------------------------------------------------------------------------- */

#define LAB_FOUND(x, form, name, presence, sql, ...) ", " sql

/* Columns of a query on `run`, read by lab_run_read: those of lists. */
#define LAB_RUN_COLUMNS                                                                                                \
    "run.number" LAB_RUN_SUMMARY(LAB_COLUMN, LAB_FOUND, LAB_NO_ROW, "run") LAB_RUN_HIDDEN(LAB_COLUMN, LAB_FOUND, "run")
/* Returns the number of the column after them. */
int lab_run_read(sqlite3_stmt *statement, struct lab_run_row *row);
/* A copy in one block of memory, which the caller frees; NULL when out of memory. */
struct lab_run_row *lab_run_copy(const struct lab_run_row *run);
/* The columns of one run, with LAB_RUN_DETAILS. */
#define LAB_RUN_ALL_COLUMNS LAB_RUN_COLUMNS LAB_RUN_DETAILS(LAB_COLUMN, LAB_FOUND, "run")
/* The end of a statement that changes one run. */
#define LAB_RETURNING_RUN " RETURNING " LAB_RUN_ALL_COLUMNS
/* Executes a statement that returns LAB_RUN_ALL_COLUMNS of one run. A copy of it replaces *copy, which was NULL or a
 * copy: a change may be made again. LAB_STORE_NOT_FOUND when the statement returns none, or failed. */
enum lab_store_result lab_run_query(struct lab_db *connection, const char *sql, const struct lab_sql_value *values,
                                    size_t count, struct lab_run_row **copy);
/* Gives a copy to the caller of the store, or frees it where the call failed or `run` is NULL. Returns `result`. */
enum lab_store_result lab_run_hand_over(enum lab_store_result result, struct lab_run_row *copy,
                                        struct lab_run_row **run);
/* Inserts the columns of a run. */
void lab_run_write(struct lab_db *connection, int64_t number, int64_t model, const struct lab_run_row *run);

/* Makes a run that names a challenge secret until that ends. LAB_STORE_FAILED when there is no such challenge
 * (challenges.c). */
enum lab_store_result lab_challenge_join(struct lab_db *connection, struct lab_run_row *run);

/* --- runs by time (run_times.c) ----------------------------------------------------------------------------------- */

/* Run numbers in [low, high). */
struct lab_number_range {
    int64_t low, high;
};

/* Narrows the range to the runs created in [since, until), LAB_NO_TIME meaning no bound. Where the clock was set back,
 * runs of other times remain. */
void lab_range_narrow(struct lab_db *connection, int64_t since, int64_t until, struct lab_number_range *range);

/* --- the store (store.c) ------------------------------------------------------------------------------------------ */

struct lab_store {
    struct lab_file file;
    int lock; /* descriptor of the locked lock file */
    struct lab_writer writer;
    struct lab_readers readers;
    _Atomic uint64_t generation; /* see lab_store_generation */
};

#endif
