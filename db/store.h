/* The store: every run, measurement, sample and span, in one SQLite file, and every SQL statement of the house.
 *
 * One connection writes, owned by one thread inside the store (SQLite's WAL has a bug that two checkpointing connections
 * can hit); readers each take a read-only connection from a pool. JSON comes and goes as text that the caller has made
 * valid: the store looks into none of it, except that it is told the few things it must search by.
 *
 * Times are microseconds since 1970 in UTC; LAB_NO_TIME stands for none. Strings passed in are copied; strings in rows
 * handed out live until the callback returns. All functions may be called from any thread.
 */
#ifndef LAB_STORE_H
#define LAB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAB_NO_TIME INT64_MIN

struct lab_store;

enum lab_store_result {
    LAB_STORE_OK,
    LAB_STORE_NOT_FOUND,
    LAB_STORE_CONFLICT, /* another revision, another idempotent body, or a state that does not allow it */
    LAB_STORE_LOST,     /* results of a run that is to end are gone; see lab_store_finish_run */
    LAB_STORE_FULL,     /* the disk is full or the file cannot grow */
    LAB_STORE_FAILED    /* anything else; lab_store_message says what */
};

/* Opens or creates the file (and its folder), migrates it in one transaction per step, and starts the writer. Takes the
 * lock file `PATH.lock` (flock, holder's pid inside); a second opener fails with the holder's pid in `message`. A file from
 * a newer schema is refused untouched. NULL on failure with a sentence in `message`. */
struct lab_store *lab_store_open(const char *path, char *message, size_t message_size);
/* Writes what is pending, closes, releases the lock. No other call may be under way. */
void lab_store_close(struct lab_store *store);

/* Grows with every committed change, over restarts too: the generation for ETags. */
uint64_t lab_store_generation(struct lab_store *store);

/* True when the last write reached the disk. With `message` (may be NULL) about the last failure, "" for none so far. While it
 * is false the store tries the disk again every second, so it turns true by itself once there is room. */
bool lab_store_healthy(struct lab_store *store, char *message, size_t message_size);

/* --- runs --------------------------------------------------------------------------------------------------------- */

enum lab_status {
    LAB_STATUS_QUEUED,
    LAB_STATUS_RUNNING,
    LAB_STATUS_SUCCEEDED,
    LAB_STATUS_FAILED,
    LAB_STATUS_CANCELLED,
    LAB_STATUS_INTERRUPTED
};

const char *lab_status_name(enum lab_status status);
bool lab_status_parse(const char *name, enum lab_status *status);
static inline bool lab_status_live(enum lab_status status)
{
    return status == LAB_STATUS_QUEUED || status == LAB_STATUS_RUNNING;
}

enum { LAB_RUN_ID_SIZE = 37 }; /* UUIDv7 as text, with its NUL */

/* A new id: time-ordered, and strictly growing within this process even inside one millisecond. */
void lab_run_id(char id[LAB_RUN_ID_SIZE]);

struct lab_run_row {
    const char *id;
    int64_t revision; /* grows with status, tags, note and pinned; measurements do not change it */
    const char *experiment;
    enum lab_status status;
    bool pinned, contended;
    int64_t created_at, started_at, finished_at;
    double time_limit_s;    /* 0: none */
    const char *host;       /* machine name */
    const char *devices;    /* JSON array of device ids */
    const char *parameters; /* JSON object, resolved */
    const char *tags;       /* JSON array of strings */
    const char *note;
    const char *environment;                /* JSON object, NULL before the run started */
    const char *warnings;                   /* JSON array */
    const char *error;                      /* JSON object or NULL */
    int64_t measurement_count, wrong_count; /* measurements so far; those with verified = false */
};

/* What a run is made from. device_ids and tag_names repeat what the JSON says, to search by. tags NULL stands for "[]", note
 * NULL for "". */
struct lab_new_run {
    const char *id, *experiment, *host, *devices, *parameters, *tags, *note;
    const char *const *device_ids;
    size_t device_count;
    const char *const *tag_names;
    size_t tag_count;
    int64_t created_at; /* kept in the order of ids: moved to that of the run before it where it would be earlier */
    double time_limit_s;
    const char *idempotency_key;  /* NULL for none; keys are kept for 24 hours, or as long as their run */
    const char *idempotency_body; /* digest of the request that came with the key */
};

/* Adds a run as `queued`; returns after it is on the disk (fsync), so that a 202 may be sent. With a key seen before:
 * same digest -> LAB_STORE_OK and the earlier run's id in `existing`; another digest -> LAB_STORE_CONFLICT. `existing` is ""
 * for a run that was added. An id that is there already: LAB_STORE_CONFLICT. */
enum lab_store_result lab_store_add_run(struct lab_store *store, const struct lab_new_run *run,
                                        char existing[LAB_RUN_ID_SIZE]);

/* Status changes. Each returns after it is on the disk. Allowed: queued -> running, cancelled; running -> any final
 * status. Else LAB_STORE_CONFLICT. `environment` any time after the start; `error` (JSON or NULL) and `contended` at the end.
 *
 * finish_run first writes what is pending of the run; when that fails it returns the failure, the status stays, and it can be
 * called again. When results of the run were lost (the disk stayed full until 64 MiB waited, or the store refused them), the
 * first call says so with LAB_STORE_LOST, leaves a warning in the run and the status as it is; the next call goes through,
 * with the status that the caller gives the run then. */
enum lab_store_result lab_store_start_run(struct lab_store *store, const char *id, int64_t at);
enum lab_store_result lab_store_set_environment(struct lab_store *store, const char *id, const char *environment);
enum lab_store_result lab_store_finish_run(struct lab_store *store, const char *id, enum lab_status status, int64_t at,
                                           bool contended, const char *error);
/* Appends a sentence to the run's warnings; like a measurement it is written with the next group. */
void lab_store_add_warning(struct lab_store *store, const char *id, const char *warning);

/* Marks every running run as interrupted (at start-up: their worker is gone). *count tells how many. */
enum lab_store_result lab_store_interrupt_running(struct lab_store *store, int64_t at, size_t *count);

/* tags, note, pinned: NULL leaves as it is. `revision` 0 matches any, else LAB_STORE_CONFLICT when it differs. */
struct lab_run_patch {
    const char *tags; /* JSON array, with tag_names beside it */
    const char *const *tag_names;
    size_t tag_count;
    const char *note;
    const bool *pinned;
    int64_t revision;
};
enum lab_store_result lab_store_patch_run(struct lab_store *store, const char *id, const struct lab_run_patch *patch);

/* Removes a run with all it measured. A live run: LAB_STORE_CONFLICT. */
enum lab_store_result lab_store_delete_run(struct lab_store *store, const char *id);

enum lab_store_result lab_store_get_run(struct lab_store *store, const char *id,
                                        void (*row)(void *context, const struct lab_run_row *run), void *context);

enum { LAB_LIST_MAX = 500 };

/* Which runs to list. NULL, LAB_NO_TIME and false mean "any". All given must hold. */
struct lab_run_filter {
    const char *experiment, *device, *tag;
    bool by_status;
    enum lab_status status;
    int64_t since, until; /* created_at in [since, until) */
    /* Case does not matter. Three characters or more: anywhere in experiment, tags and note (of which the first 4 KiB are
     * searched by). One or two: where a word begins, or any character that is not part of a word, as in Chinese. Eight or more
     * may also be the beginning of the id. "" means any. */
    const char *text;
    const char *before; /* only runs with a smaller id (the cursor); NULL from the newest */
    const char *after;  /* only runs with a greater id (the cursor when oldest come first) */
    size_t limit;       /* 1 to LAB_LIST_MAX */
    bool oldest_first;  /* the queue reads itself back this way */
};

/* Newest first. *more tells whether another page follows. A page is one range of an index, also when nothing matches, for
 * every combination of filters without text, and for text with any one of the others and with times; text with two or more of
 * experiment, device, status and tag looks through the runs that have the text and one of them. Cursors hold when the run they
 * name is removed. */
enum lab_store_result lab_store_list_runs(struct lab_store *store, const struct lab_run_filter *filter,
                                          void (*row)(void *context, const struct lab_run_row *run), void *context,
                                          bool *more);

/* --- what runs found ---------------------------------------------------------------------------------------------- */

struct lab_measurement_row {
    int64_t position; /* order within the run, from 0 */
    const char *axes; /* JSON object */
    const char *metric, *unit;
    int64_t n;
    double median, q1, q3, min, max, mean, stdev, noise; /* NAN: none */
    const char *stop_reason;                             /* NULL: none, as for the strings below */
    int verified;                                        /* 1, 0, or -1 for not checked */
    int64_t wrong;
    const char *cache;
    int64_t numa_node;      /* INT64_MIN: unknown */
    const char *peak;       /* JSON {value, what} */
    const char *conditions; /* JSON */
    const char *skipped;
    size_t sample_count;
    const double *samples; /* NULL unless asked for; in `unit` */
};

/* Queues a measurement for writing and returns at once; groups reach the disk every 100 ms. Positions are given out in
 * the order of the calls; `position` is not read. What could not be written is kept and tried again; a write that fails
 * shows in lab_store_healthy and in lab_store_finish_run's result. */
void lab_store_add_measurement(struct lab_store *store, const char *run_id,
                               const struct lab_measurement_row *measurement);

/* In order. With `samples` each row carries them. LAB_STORE_NOT_FOUND when there is no such run. */
enum lab_store_result lab_store_list_measurements(struct lab_store *store, const char *run_id, bool samples,
                                                  void (*row)(void *context, const struct lab_measurement_row *row),
                                                  void *context);

struct lab_span_row {
    const char *lane, *kind, *label, *axes; /* axes: JSON */
    int64_t start_ns, end_ns;
};

void lab_store_add_span(struct lab_store *store, const char *run_id, const struct lab_span_row *span);
enum lab_store_result lab_store_list_spans(struct lab_store *store, const char *run_id,
                                           void (*row)(void *context, const struct lab_span_row *row), void *context);

/* --- settings that outlive a restart ------------------------------------------------------------------------------ */

/* Small named texts ("queue.paused"). get: LAB_STORE_NOT_FOUND when never set; the value is cut to `size`. */
enum lab_store_result lab_store_set(struct lab_store *store, const char *name, const char *value);
enum lab_store_result lab_store_get(struct lab_store *store, const char *name, char *value, size_t size);

/* PRAGMA integrity_check; true when it says ok. */
bool lab_store_check(struct lab_store *store, char *message, size_t message_size);

/* The sentence that belongs to this thread's last result other than OK. */
const char *lab_store_message(struct lab_store *store);

#endif
