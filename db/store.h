/* The store: every run, measurement, sample and span, in one SQLite file. All SQL of gpulab is in this folder.
 *
 * Only one connection writes; a thread of the store owns it. The reason is a bug in SQLite's WAL that occurs when two
 * connections checkpoint at the same time (fixed in 3.51.3). Each reader uses a read-only connection from a pool. JSON
 * is stored as text: the caller guarantees that it is valid and passes separately the few values that runs are searched
 * by.
 *
 * Times are microseconds since 1970 in UTC; LAB_NO_TIME means none. Strings passed in are copied; strings in a row are
 * valid until the callback returns. All functions may be called from any thread.
 */
#ifndef LAB_STORE_H
#define LAB_STORE_H

#include "core/clock.h"
#include "core/histogram.h"
#include "core/result_members.h"
#include "run_members.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_store;

enum lab_store_result {
    LAB_STORE_OK,
    LAB_STORE_NOT_FOUND,
    LAB_STORE_CONFLICT, /* the revision, the idempotent body or the run's status differs from what the call requires */
    LAB_STORE_LOST,     /* some results of the run could not be stored; see lab_store_finish_run */
    LAB_STORE_FULL,     /* the disk is full or the file cannot grow */
    LAB_STORE_FAILED    /* any other failure; lab_store_message describes it */
};

/* Opens or creates the file and its folder, applies the missing migrations, all in one transaction, and starts the
 * writer thread. Locks `PATH.lock` (flock; the file contains the owner's process id): a second process fails with that
 * id in `message`. A file with an older schema is copied before it is migrated, and a line on stderr names the copy
 * (README.md); if it cannot be copied, it is refused. A file that is refused, such as one with a newer schema, is not
 * modified. Returns NULL with a sentence in `message` on failure; errno is then EBUSY if another process has the file
 * open, otherwise 0. */
struct lab_store *lab_store_open(const char *path, char *message, size_t message_size);
/* Writes pending records, closes the file and releases the lock. No other call may be in progress. NULL is allowed. */
void lab_store_close(struct lab_store *store);

/* A number that grows with every committed change and every queued record, and at most 1 s after a run is no longer
 * secret, also across restarts. Used for ETags. */
uint64_t lab_store_generation(struct lab_store *store);

/* Returns whether the last write reached the disk. `message` (may be NULL) receives the last failure, "" if there was
 * none. While the store is unhealthy it retries every second, so it recovers without a call once the disk has space. */
bool lab_store_healthy(struct lab_store *store, char *message, size_t message_size);

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Creates an id. Ids sort by time and grow strictly: within this process, and beyond every id of the store that is
 * open, also when the clock is set back. */
void lab_run_id(char id[LAB_RUN_ID_SIZE]);
/* The id of a run that is made of a file: its time, and of a digest of its content 74 bits. The 62 bits behind the time
 * tell the file whenever it is imported. */
void lab_run_id_of_file(int64_t at, const unsigned char *digest, char id[LAB_RUN_ID_SIZE]);
/* Finds the run of the file of which `id` is an id. LAB_STORE_NOT_FOUND if there is none. */
enum lab_store_result lab_store_find_file(struct lab_store *store, const char *id, char existing[LAB_RUN_ID_SIZE]);
/* Reads the time in an id. False when the text is not an id. */
bool lab_run_id_time(const char *id, int64_t *at);

/* The members are declared in run_members.h. Of lists of runs, the members of LAB_RUN_DETAILS are NULL. */
struct lab_run_row {
    LAB_RUN_SUMMARY(LAB_STORED_FIELD, LAB_STORED_FIELD, LAB_NO_ROW, )
    LAB_RUN_DETAILS(LAB_STORED_FIELD, LAB_STORED_FIELD, )
    LAB_RUN_HIDDEN(LAB_STORED_FIELD, LAB_STORED_FIELD, )
};
/* Tables that end with name NULL. The struct has not what is live. */
extern const struct lab_row_member lab_run_summary_members[], lab_run_detail_members[];

/* A time of a run that must follow another one: `at`, or `earliest` where that is later; LAB_NO_TIME stays. */
static inline int64_t lab_raise_time(int64_t at, int64_t earliest)
{
    return at != LAB_NO_TIME && at < earliest ? earliest : at;
}

/* Whether only its person and admins may know of the run at the time `now`. */
static inline bool lab_run_is_secret(const struct lab_run_row *run, int64_t now)
{
    return run->secret_until > now;
}

/* With what a request can be repeated. Keys are kept for 24 hours, at most as long as their run. */
struct lab_request_key {
    const char *key;
    const char *body; /* the request, as canonical text */
};

/* Adds a run as `queued` and returns when it is on disk (fsync), so that the caller may send a 202. Of `run` are read
 * the members that a request decides; the others, and `created_at`, become what is stored: the time is raised to that
 * of the run before, unless the clock was set back by a day or more. tags NULL means "[]", note NULL means "". Runs are
 * searched by the ids and names in `devices` and by `tags`. A submission to a challenge is secret until that ends.
 *
 * With a key (NULL: none) that was used before: same body -> LAB_STORE_OK and the earlier run's id in `existing`;
 * another body -> LAB_STORE_CONFLICT. `existing` is "" when the run was added. LAB_STORE_CONFLICT when a run with this
 * id exists. */
enum lab_store_result lab_store_add_run(struct lab_store *store, struct lab_run_row *run,
                                        const struct lab_request_key *key, char existing[LAB_RUN_ID_SIZE]);

/* Looks up an idempotency key at the time `now`, as lab_store_add_run does: same body -> LAB_STORE_OK and the run's id
 * in `existing`, which is "" when the key is new; another body -> LAB_STORE_CONFLICT. */
enum lab_store_result lab_store_find_key(struct lab_store *store, const struct lab_request_key *key, int64_t now,
                                         char existing[LAB_RUN_ID_SIZE]);

/* The functions below that have a parameter `written` give through it the run as they wrote it: a copy in one block of
 * memory, which the caller frees; NULL after a failure. `written` may be NULL.
 *
 * These change a run's status and return when the change is on disk. Allowed: queued -> running or cancelled; running
 * -> any final status. Any other change is LAB_STORE_CONFLICT. A time that is before the one it must follow is raised
 * to it.
 *
 * lab_store_finish_run first writes the run's pending records. If that fails, it returns the failure without changing
 * the status and can be called again. If results of the run were lost (more than 64 MiB were pending while the disk was
 * full, or SQLite rejected the data), the first call adds a warning to the run, leaves its status and returns
 * LAB_STORE_LOST; a second call sets the status that it is given. */
enum lab_store_result lab_store_start_run(struct lab_store *store, const char *id, int64_t at,
                                          struct lab_run_row **written);
enum lab_store_result lab_store_finish_run(struct lab_store *store, const char *id, enum lab_status status, int64_t at,
                                           bool contended, const char *error, struct lab_run_row **written);
/* Environment and headline are queued like a measurement. `environment` is a JSON object; `key` is equal for two runs
 * if their measurements can be compared without regard to driver, clocks and versions (NULL: unknown). */
void lab_store_set_environment(struct lab_store *store, const char *id, const char *environment, const char *key);
void lab_store_set_headline(struct lab_store *store, const char *id, const char *headline);
/* JSON. */
void lab_store_set_messages(struct lab_store *store, const char *id, const char *messages);
void lab_store_set_findings(struct lab_store *store, const char *id, const char *findings);
/* Appends to what the run has printed. */
void lab_store_add_output(struct lab_store *store, const char *id, const char *text);
/* Append a sentence to the run's warnings or notes. */
void lab_store_add_warning(struct lab_store *store, const char *id, const char *warning);
void lab_store_add_note(struct lab_store *store, const char *id, const char *note);

/* Marks every running run as interrupted, because at start-up their worker no longer exists. *count receives how
 * many. */
enum lab_store_result lab_store_interrupt_running(struct lab_store *store, int64_t at, size_t *count);

/* Changes tags, note, pinned and public; NULL leaves the value unchanged. LAB_STORE_CONFLICT when `allows` refuses. */
struct lab_run_patch {
    const char *tags; /* JSON array */
    const char *note;
    const bool *pinned, *public;
    /* Whether a run that has this revision and status may be changed; nothing changes it meanwhile. Is called on the
     * thread that writes, perhaps several times, and must not use the store. NULL: any may. */
    bool (*allows)(void *context, int64_t revision, enum lab_status status);
    void *context;
};
enum lab_store_result lab_store_patch_run(struct lab_store *store, const char *id, const struct lab_run_patch *patch,
                                          struct lab_run_row **written);

/* Deletes a run with its results. LAB_STORE_CONFLICT while it is queued, running or pinned. */
enum lab_store_result lab_store_delete_run(struct lab_store *store, const char *id);

/* Reads a run with all that was queued for it before: *run receives a copy, like `written` above; NULL when there is
 * none, or after a failure. LAB_STORE_NOT_FOUND when there is none; with `run` NULL it says no more. */
enum lab_store_result lab_store_get_run(struct lab_store *store, const char *id, struct lab_run_row **run);

enum { LAB_LIST_MAX = 500 };

/* Which runs to list: those that meet every condition given. NULL, LAB_NO_TIME and false mean "any". */
struct lab_run_filter {
    const char *experiment, *tag;
    const char *device; /* an id or a name */
    const char *sweep;  /* an id */
    const char *challenge;
    const char *requested_by;
    const char *viewer; /* a person: without the runs of others that are secret; NULL: with all runs */
    bool by_status;
    enum lab_status status;
    bool by_pinned, pinned;
    int64_t since, until; /* created_at in [since, until) */
    /* Searched without regard to case. Three or more characters match anywhere in experiment, names of devices, tags
     * and note (together their first 4 KiB). One or two match the beginning of a word; in scripts without spaces, such
     * as Chinese, any character. Eight or more also match the beginning of the id, six or more its end. "" means
     * any. */
    const char *text;
    const char *before; /* only runs with a smaller id: where the next page begins, newest first; NULL: any */
    const char *after;  /* only runs with a greater id: where the next page begins, oldest first; NULL: any */
    size_t limit;       /* 1 to LAB_LIST_MAX */
    bool oldest_first;  /* the order of the list; false: newest first */
};

/* Calls `row` for each run of a page, in order. *more receives whether another page follows. The runs that match the
 * narrowest condition are read until the page is full, so only conditions that each match many runs, but few together,
 * cost more than a page. A cursor stays valid when the run that it names is deleted. */
enum lab_store_result lab_store_list_runs(struct lab_store *store, const struct lab_run_filter *filter,
                                          void (*row)(void *context, const struct lab_run_row *run), void *context,
                                          bool *more);

/* A device that runs had, as its newest run names it. */
struct lab_device_row {
    const char *id, *name, *node; /* name and node: NULL where they are unknown */
    const char *run;              /* the id of its newest run */
    int64_t created_at;           /* of that run */
};

/* Calls `row` for each device that a run had, those with the newest runs first. */
enum lab_store_result lab_store_list_devices(struct lab_store *store,
                                             void (*row)(void *context, const struct lab_device_row *device),
                                             void *context);

/* --- sweeps ------------------------------------------------------------------------------------------------------- */

/* The members of a sweep that are columns, as in run_members.h: those of its JSON, and the request as it was submitted.
 * Its id is from lab_run_id. */
#define LAB_SWEEP_SHOWN(ROW, x)                                                                                        \
    ROW(x, TEXT, id, GIVEN)                                                                                            \
    ROW(x, TEXT, experiment, GIVEN)                                                                                    \
    ROW(x, TIME, created_at, GIVEN)                                                                                    \
    ROW(x, TIME, cancelled_at, NULLABLE)                                                                               \
    ROW(x, TEXT, requested_by, NULLABLE, .text = "The person who asked for the sweep.")                                \
    ROW(x, COUNT, total, GIVEN, .minimum = 1, .maximum = 1000, .text = "The number of its runs.")
#define LAB_SWEEP_MEMBERS(ROW, x) LAB_SWEEP_SHOWN(ROW, x) ROW(x, OBJECT, request, GIVEN)

struct lab_sweep_row {
    LAB_SWEEP_MEMBERS(LAB_STORED_FIELD, )
    size_t counts[LAB_STATUS_COUNT]; /* runs with each status; without the ones that were deleted */
};
/* The members of LAB_SWEEP_SHOWN. */
extern const struct lab_row_member lab_sweep_shown_members[];

/* Adds a sweep and its runs, which name it in `sweep`, all or none, and returns when they are on disk. The rest of the
 * rows becomes what is stored, as by lab_store_add_run. */
enum lab_store_result lab_store_add_sweep(struct lab_store *store, struct lab_sweep_row *sweep,
                                          struct lab_run_row *runs, size_t count);
/* Sets all queued runs of the sweep to `cancelled`, and calls `run` with each of them when that is on disk.
 * LAB_STORE_NOT_FOUND when there is no such sweep. `written` is as for runs. */
enum lab_store_result lab_store_cancel_sweep(struct lab_store *store, const char *id, int64_t at,
                                             void (*run)(void *context, const struct lab_run_row *run), void *context,
                                             struct lab_sweep_row **written);

/* Calls `row` with the sweep. LAB_STORE_NOT_FOUND when there is none. */
enum lab_store_result lab_store_get_sweep(struct lab_store *store, const char *id,
                                          void (*row)(void *context, const struct lab_sweep_row *sweep), void *context);

/* --- challenges --------------------------------------------------------------------------------------------------- */

enum { LAB_CHALLENGES_MAX = 256, LAB_CHALLENGE_NAME_MAX = 40 };

/* The members of a challenge that are columns, as in run_members.h; migration 021 says what they are. */
#define LAB_CHALLENGE_MEMBERS(ROW, x)                                                                                  \
    ROW(x, TEXT, name, GIVEN, .text = "By which requests name it.")                                                    \
    LAB_CHALLENGE_REST(ROW, x)
#define LAB_CHALLENGE_REST(ROW, x)                                                                                     \
    ROW(x, TEXT, title, GIVEN)                                                                                         \
    ROW(x, TEXT, text, GIVEN, .text = "What is to be computed, in Markdown.")                                          \
    ROW(x, OBJECT, kernel, GIVEN,                                                                                      \
        .text =                                                                                                        \
            "The kernel of a request without its source. Before the end without what its outputs are compared "        \
            "with, unless `shows` says so.")                                                                           \
    ROW(x, TEXT, start, GIVEN, .text = "The source with which people begin.")                                          \
    ROW(x, CHOICE, score, GIVEN, LAB_CHALLENGE_SCORE)                                                                  \
    ROW(x, OBJECT, shows, GIVEN, LAB_CHALLENGE_SHOWS)                                                                  \
    ROW(x, TEXT, created_by, NULLABLE)                                                                                 \
    ROW(x, TIME, created_at, GIVEN)                                                                                    \
    ROW(x, TIME, opens_at, NULLABLE, .text = "Before, only admins know of it; null: it was open when it was made.")    \
    ROW(x, TIME, closes_at, GIVEN, .text = "From then on nothing is submitted, and submissions are visible to all.")

struct lab_challenge_row {
    LAB_CHALLENGE_MEMBERS(LAB_STORED_FIELD, )
    int64_t submissions; /* of the person for whom it was read, which may be NULL: unknown */
};
/* Ends with name NULL. */
extern const struct lab_row_member lab_challenge_members[];

/* LAB_STORE_CONFLICT: the name is in use, or there are LAB_CHALLENGES_MAX. */
enum lab_store_result lab_store_add_challenge(struct lab_store *store, const struct lab_challenge_row *challenge);
/* Deletes a challenge; its submissions become runs like others. LAB_STORE_NOT_FOUND: there is none; LAB_STORE_CONFLICT:
 * a submission is queued, running, or secret at `now`. */
enum lab_store_result lab_store_delete_challenge(struct lab_store *store, const char *name, int64_t now);
/* Changes when the challenge ends, and with it until when its submissions, and runs that compare two of them, are
 * secret. *challenge receives a copy, which the caller frees; NULL after a failure. LAB_STORE_NOT_FOUND: there is none;
 * LAB_STORE_CONFLICT: it has ended at `now`, so that its submissions can be read, and would begin again. */
enum lab_store_result lab_store_close_challenge(struct lab_store *store, const char *name, int64_t closes_at,
                                                int64_t now, const char *person, struct lab_challenge_row **challenge);
enum lab_store_result lab_store_get_challenge(struct lab_store *store, const char *name, const char *person,
                                              struct lab_challenge_row **challenge);
/* Calls `row` for each challenge, those that end last first. */
enum lab_store_result lab_store_list_challenges(struct lab_store *store, const char *person,
                                                void (*row)(void *context, const struct lab_challenge_row *challenge),
                                                void *context);

/* What a submission has reached: a measurement of its last point. */
struct lab_standing_row {
    const char *run, *person, *model, *unit; /* person NULL: unknown */
    int64_t created_at, position;
    double median, q1, q3;
};
/* Calls `row` for each submission that has succeeded, all of whose measurements are verified, and that has measured the
 * metric at its last point, oldest first. */
enum lab_store_result lab_store_list_standings(struct lab_store *store, const char *challenge, const char *metric,
                                               void (*row)(void *context, const struct lab_standing_row *standing),
                                               void *context);

/* --- results ------------------------------------------------------------------------------------------------------ */

/* The members are declared in core/result_members.h. */
struct lab_measurement_row {
    int64_t position; /* order within the run, from 0 */
    LAB_MEASUREMENT_MEMBERS(LAB_STORED_FIELD, )
    size_t sample_count;
    const double *samples; /* in `unit`; NULL in rows that are read: see lab_store_read_samples */
};
/* Where the struct has them: a table that ends with name NULL. */
extern const struct lab_row_member lab_measurement_row_members[];

/* Queues a measurement and returns at once; the writer thread commits queued records every 100 ms, and before a run or
 * its results are read: who has seen an event finds what it announces. Positions are assigned in the order of the
 * calls; `position` is ignored. A record that cannot be written is kept and retried; a failed write is reported by
 * lab_store_healthy and lab_store_finish_run. */
void lab_store_add_measurement(struct lab_store *store, const char *run_id,
                               const struct lab_measurement_row *measurement);

/* Calls `row` for up to `limit` measurements of a run by position, from position `from` on. Positions have no gaps.
 * LAB_STORE_NOT_FOUND: no such run. */
enum lab_store_result lab_store_list_measurements(struct lab_store *store, const char *run_id, int64_t from,
                                                  size_t limit,
                                                  void (*row)(void *context, const struct lab_measurement_row *row),
                                                  void *context);

/* Reads the samples of a measurement: those from number `first` on, at most `count`. *total receives how many are
 * stored: 0 when there are none, or no longer. LAB_STORE_NOT_FOUND: no such run or measurement. */
enum lab_store_result lab_store_read_samples(struct lab_store *store, const char *run_id, int64_t position,
                                             size_t first, size_t count, double *values, size_t *total);

struct lab_span_row {
    LAB_SPAN_MEMBERS(LAB_STORED_FIELD, )
};
extern const struct lab_row_member lab_span_row_members[];

/* Queues a span, like a measurement. */
void lab_store_add_span(struct lab_store *store, const char *run_id, const struct lab_span_row *span);
/* Calls `row` for up to `limit` spans of a run in the order in which they were added, from span `from` (0: the first)
 * on. LAB_STORE_NOT_FOUND: no such run. */
enum lab_store_result lab_store_list_spans(struct lab_store *store, const char *run_id, int64_t from, size_t limit,
                                           void (*row)(void *context, const struct lab_span_row *row), void *context);

/* Queues a field, like a measurement; `content` is a JSON object. */
void lab_store_add_field(struct lab_store *store, const char *run_id, const char *content);
/* Calls `field` for up to `limit` fields of a run, as for lab_store_list_spans. */
enum lab_store_result lab_store_list_fields(struct lab_store *store, const char *run_id, int64_t from, size_t limit,
                                            void (*field)(void *context, const char *content), void *context);

/* --- the history of points ---------------------------------------------------------------------------------------- */

/* What is measured: every measurement of it, in any run, belongs to the same point. */
struct lab_point_row {
    int64_t id;
    const char *experiment, *metric, *unit;
    const char *axes; /* JSON object */
};

/* Calls `row` with the point that has these axes, a JSON object with its members in any order. LAB_STORE_NOT_FOUND: no
 * run has measured it. */
enum lab_store_result lab_store_find_point(struct lab_store *store, const char *experiment, const char *metric,
                                           const char *axes,
                                           void (*row)(void *context, const struct lab_point_row *point),
                                           void *context);

/* Calls `row` for every point of the experiment. */
enum lab_store_result lab_store_each_point(struct lab_store *store, const char *experiment,
                                           void (*row)(void *context, const struct lab_point_row *point),
                                           void *context);

/* Calls `row` with each device model on which runs of the experiment have measured, their number and the devices of the
 * newest of them (JSON), those with the most runs first. Left out are the runs that series leave out. */
enum lab_store_result
lab_store_list_models(struct lab_store *store, const char *experiment,
                      void (*row)(void *context, const char *model, int64_t runs, const char *devices), void *context);

/* A run of a point on a device model: rows as in core/result_members.h of the run, and of its measurement.
 * `environment_key` is equal for equal environments; INT64_MIN: unknown. */
#define LAB_SERIES_RUN(ROW, x)                                                                                         \
    ROW(x, TEXT, id, GIVEN)                                                                                            \
    ROW(x, TIME, created_at, GIVEN)                                                                                    \
    ROW(x, BOOLEAN, contended, GIVEN)                                                                                  \
    ROW(x, BOOLEAN, pinned, GIVEN)                                                                                     \
    ROW(x, INTEGER, environment_key, NULLABLE)
#define LAB_SERIES_VALUE(ROW, x)                                                                                       \
    ROW(x, COUNT, n, GIVEN)                                                                                            \
    ROW(x, NUMBER, median, GIVEN)                                                                                      \
    ROW(x, NUMBER, q1, NULLABLE)                                                                                       \
    ROW(x, NUMBER, q3, NULLABLE)                                                                                       \
    ROW(x, NUMBER, stdev, NULLABLE)                                                                                    \
    ROW(x, NUMBER, noise, NULLABLE)                                                                                    \
    ROW(x, TEXT, stop_reason, NULLABLE)                                                                                \
    ROW(x, BOOLEAN, verified, NULLABLE)                                                                                \
    ROW(x, OBJECT, conditions, NULLABLE)                                                                               \
    ROW(x, OBJECT, shape, NULLABLE)
struct lab_series_row {
    LAB_SERIES_RUN(LAB_STORED_FIELD, )
    LAB_SERIES_VALUE(LAB_STORED_FIELD, )
};
/* The members of LAB_SERIES_VALUE. */
extern const struct lab_row_member lab_series_value_members[];

/* Which runs of a point to read. Left out are points that were skipped, and those of runs that compare two requests,
 * because both sides share the device. */
struct lab_series_filter {
    int64_t point;
    const char *model;    /* that of the run */
    const char *device;   /* an id or a name that the run has; NULL: any */
    const char *before;   /* only runs with a smaller id; NULL: any */
    const int64_t *until; /* only runs created before this time; NULL: any */
    bool pinned;          /* only pinned runs */
    size_t device_count;  /* only runs on this number of devices; 0: any */
    bool right;           /* no results that are known to be wrong */
    size_t limit;
};

/* Writes the model of the newest run of a point, on a device with this id or name unless `device` is NULL.
 * LAB_STORE_NOT_FOUND: there is no such run. */
enum lab_store_result lab_store_series_model(struct lab_store *store, int64_t point, const char *device, char *model,
                                             size_t size);
/* Calls `row` for the runs, newest first. */
enum lab_store_result lab_store_series(struct lab_store *store, const struct lab_series_filter *filter,
                                       void (*row)(void *context, const struct lab_series_row *row), void *context);

enum { LAB_POINT_RUNS_MAX = 1000 }; /* runs of a point are counted up to this number */

/* A point with a series, and its newest run on the model. */
struct lab_point_summary {
    struct lab_point_row point;
    const char *model;
    int64_t runs;
    struct lab_series_row last;
};

/* Calls `row` for each point and model that has a series, those that were measured first come first: of an experiment,
 * and of a metric and on a model unless they are NULL. At most `limit`. */
enum lab_store_result lab_store_list_points(struct lab_store *store, const char *experiment, const char *metric,
                                            const char *model, size_t limit,
                                            void (*row)(void *context, const struct lab_point_summary *row),
                                            void *context);

/* Calls `row` for each point that two runs have both, in the order of the head, then for those that only one has:
 * `base` or `head` is then NULL. Of runs that compare two requests, their own side (`head`) counts.
 * LAB_STORE_NOT_FOUND: one of the runs does not exist. */
enum lab_store_result lab_store_match_measurements(struct lab_store *store, const char *base, const char *head,
                                                   void (*row)(void *context, int64_t point,
                                                               const struct lab_measurement_row *base,
                                                               const struct lab_measurement_row *head),
                                                   void *context);

/* Writes the id of the newest pinned run, other than `run`, of its experiment and model that has a point which `run`
 * has too. Of the filter `requested_by` and `viewer` count. LAB_STORE_NOT_FOUND: there is none, or no run `run`. */
enum lab_store_result lab_store_find_pinned(struct lab_store *store, const char *run,
                                            const struct lab_run_filter *filter, char id[LAB_RUN_ID_SIZE]);

/* --- tokens ------------------------------------------------------------------------------------------------------- */

enum { LAB_TOKEN_HASH_SIZE = 32 };

struct lab_token_row {
    int64_t id; /* no id is used twice */
    const char *name, *role;
    const unsigned char *hash; /* LAB_TOKEN_HASH_SIZE bytes, of the secret */
    int64_t created_at, last_used_at;
};

/* Adds a token with the name, role, hash and created_at of `token`. LAB_STORE_CONFLICT: an active token has this
 * name. */
enum lab_store_result lab_store_add_token(struct lab_store *store, const struct lab_token_row *token, int64_t *id);
/* LAB_STORE_NOT_FOUND: no such token, or it was revoked before. */
enum lab_store_result lab_store_revoke_token(struct lab_store *store, int64_t id, int64_t at);
/* Sets last_used_at, unless it is later already. */
enum lab_store_result lab_store_use_token(struct lab_store *store, int64_t id, int64_t at);
/* Calls `row` for each active token, by id. */
enum lab_store_result lab_store_list_tokens(struct lab_store *store,
                                            void (*row)(void *context, const struct lab_token_row *token),
                                            void *context);

/* --- comments ----------------------------------------------------------------------------------------------------- */

enum { LAB_COMMENTS_MAX = 1000 }; /* of a run; as many marks */

/* What a person wrote about a run, or a mark: what happened at a time. */
struct lab_comment_row {
    int64_t id;       /* no id is used twice */
    const char *run;  /* id of the run; NULL: it is a mark */
    const char *node; /* of a mark: the machine that it is about; NULL: all */
    int64_t at;       /* of a mark: when it happened; of a comment: created_at */
    int64_t created_at;
    const char *author; /* NULL: unknown */
    const char *text;
};

/* Adds a comment, or a mark, and writes its id. LAB_STORE_NOT_FOUND: no such run; LAB_STORE_CONFLICT: there are
 * LAB_COMMENTS_MAX. */
enum lab_store_result lab_store_add_comment(struct lab_store *store, const struct lab_comment_row *comment,
                                            int64_t *id);
/* Adds a mark, unless there is one of the same time, machine and text, whoever wrote it: *id is 0 then.
 * LAB_STORE_CONFLICT: there are LAB_COMMENTS_MAX. */
enum lab_store_result lab_store_import_mark(struct lab_store *store, const struct lab_comment_row *mark, int64_t *id);
/* Deletes a comment on the run, or a mark (`run` NULL), whose author is `author` (NULL: anyone). LAB_STORE_NOT_FOUND:
 * there is none; LAB_STORE_CONFLICT: it has another author. */
enum lab_store_result lab_store_delete_comment(struct lab_store *store, const char *run, int64_t id,
                                               const char *author);
/* Calls `row` for the comments on the run, or the marks (`run` NULL), of [since, until), where LAB_NO_TIME is no limit,
 * by their time. LAB_STORE_NOT_FOUND: no such run. */
enum lab_store_result lab_store_list_comments(struct lab_store *store, const char *run, int64_t since, int64_t until,
                                              void (*row)(void *context, const struct lab_comment_row *comment),
                                              void *context);

/* --- notices ------------------------------------------------------------------------------------------------------ */

enum {
    LAB_CHANNELS_MAX = 64,
    LAB_WATCHES_MAX = 256,
    LAB_NOTICES_WAITING_MAX = 1000, /* a further one takes the place of the oldest that waits */
    LAB_NOTICES_ENDED_MAX = 1000,   /* kept of those that were sent or have failed */
};

/* A way by which notices go out. What the texts mean: migration 017. */
struct lab_channel_row {
    int64_t id; /* no id is used twice */
    const char *name, *kind, *address;
    const char *secret, *sender, *recipient; /* NULL: none */
    bool private;                            /* it may lead to private addresses */
    int64_t created_at;
    const char *created_by; /* NULL: unknown */
};

/* Adds a channel and writes its id. LAB_STORE_CONFLICT: the name is in use, or there are LAB_CHANNELS_MAX. */
enum lab_store_result lab_store_add_channel(struct lab_store *store, const struct lab_channel_row *channel,
                                            int64_t *id);
/* Deletes a channel with its watches and notices. LAB_STORE_NOT_FOUND: there is none. */
enum lab_store_result lab_store_delete_channel(struct lab_store *store, int64_t id);
/* Calls `row` for each channel, by name. */
enum lab_store_result lab_store_list_channels(struct lab_store *store,
                                              void (*row)(void *context, const struct lab_channel_row *channel),
                                              void *context);

/* What is watched for a channel. */
struct lab_watch_row {
    int64_t id, channel;
    const char *channel_name;               /* read only */
    const char *kind, *experiment, *metric; /* the last two: NULL for any */
    double low, high;                       /* NAN: no limit */
    int64_t created_at;
    const char *created_by; /* NULL: unknown */
};

/* Adds a watch and writes its id. LAB_STORE_NOT_FOUND: no such channel; LAB_STORE_CONFLICT: there are
 * LAB_WATCHES_MAX. */
enum lab_store_result lab_store_add_watch(struct lab_store *store, const struct lab_watch_row *watch, int64_t *id);
/* LAB_STORE_NOT_FOUND: there is none; LAB_STORE_CONFLICT: `person` (NULL: anyone may) did not add it. */
enum lab_store_result lab_store_delete_watch(struct lab_store *store, int64_t id, const char *person);
/* Calls `row` for each watch, by id. */
enum lab_store_result lab_store_list_watches(struct lab_store *store,
                                             void (*row)(void *context, const struct lab_watch_row *watch),
                                             void *context);

/* A notice, which waits, was sent or has failed. */
struct lab_notice_row {
    int64_t id, channel;
    const char *channel_name; /* read only */
    int64_t created_at;
    const char *delivery; /* its id for the receiver */
    const char *content;  /* JSON */
    const char *state;    /* waiting, sent, failed */
    int64_t attempts;
    int64_t next_at;   /* of the next attempt, or when it ended */
    const char *error; /* of the last attempt; NULL: none */
};

/* Adds a notice that waits from created_at on. Of `notice` are read channel, created_at, delivery and content.
 * LAB_STORE_NOT_FOUND: no such channel. */
enum lab_store_result lab_store_add_notice(struct lab_store *store, const struct lab_notice_row *notice);
/* Calls `row` for each channel with a notice that is due at `now`, with the one that is due for longest. */
enum lab_store_result lab_store_due_notices(struct lab_store *store, int64_t now,
                                            void (*row)(void *context, const struct lab_notice_row *notice,
                                                        const struct lab_channel_row *channel),
                                            void *context);
/* Records an attempt: the new state, and next_at. `error` NULL: there was none. While the state is `waiting`, no other
 * notice of the channel is due before next_at. Does nothing when the notice is gone. */
enum lab_store_result lab_store_end_attempt(struct lab_store *store, int64_t id, const char *state, int64_t next_at,
                                            const char *error);
/* Calls `row` for the newest notices, at most `limit`, newest first. */
enum lab_store_result lab_store_list_notices(struct lab_store *store, size_t limit,
                                             void (*row)(void *context, const struct lab_notice_row *notice),
                                             void *context);

/* --- maintenance -------------------------------------------------------------------------------------------------- */

/* A finished run of another lab, or of this one at an earlier time. */
struct lab_imported_run {
    struct lab_run_row run;      /* `sweep`, `challenge` and `model` are ignored; `warnings` and `notes` may be NULL */
    bool of_file;                /* its id is from lab_run_id_of_file: a run of the same content is the same run */
    const char *environment_key; /* as for lab_store_set_environment */
    const struct lab_measurement_row *measurements;
    size_t measurement_count;
    const struct lab_span_row *spans;
    size_t span_count;
    const char *const *fields; /* JSON objects */
    size_t field_count;
    const struct lab_comment_row *comments; /* of which created_at, author and text are read */
    size_t comment_count;
};
/* Adds the run with its results and returns when it is on disk. *added receives false when a run with its id, or of its
 * file, exists: it is not changed. LAB_STORE_CONFLICT when the run is queued or running, or violates the schema. */
enum lab_store_result lab_store_import_run(struct lab_store *store, const struct lab_imported_run *run, bool *added);

/* Adds samples to measurements of a run that have none, all or nothing, and returns when they are on disk: `position`,
 * `sample_count` (more than 0) and `samples` of each row. LAB_STORE_CONFLICT when the run is gone or not at this
 * revision, or a measurement has samples or was skipped. */
enum lab_store_result lab_store_add_samples(struct lab_store *store, const char *id, int64_t revision,
                                            const struct lab_measurement_row *rows, size_t count);

/* Deletes the samples of up to `limit` measurements of runs that were created before `before` and are not pinned; their
 * summaries remain. *dropped receives how many; 0 when there are no more. */
enum lab_store_result lab_store_drop_samples(struct lab_store *store, int64_t before, size_t limit, size_t *dropped);

/* Replaces the output of up to `limit` runs that have ended, were created before `before` and are not pinned by "".
 * *dropped receives how many; 0 when there are no more. */
enum lab_store_result lab_store_drop_output(struct lab_store *store, int64_t before, size_t limit, size_t *dropped);

/* Is called now and then with the pages that are copied and their total; when it returns false, the copy is given
 * up. */
typedef bool lab_copy_progress(void *context, int64_t copied, int64_t total);

/* Copies the database, as it is at the beginning of the call, to a file of its own (mode 0600) while others read and
 * write. The file gets its name when it is complete and on disk; a file that has the name is replaced. `progress` may
 * be NULL. A copy that is given up: LAB_STORE_CONFLICT. */
enum lab_store_result lab_store_backup(struct lab_store *store, const char *path, lab_copy_progress *progress,
                                       void *context);

/* What a copy has. */
struct lab_verified {
    size_t schema;
    int64_t runs, measurements;
};
/* Reads all of a copy of a database that nobody uses, of this schema or an older one: its pages, indexes, constraints,
 * and the rows that others refer to. False with a sentence in `message` where the copy is damaged or no database of
 * gpulab. */
bool lab_copy_verify(const char *path, struct lab_verified *verified, char *message, size_t message_size);

/* --- persistent settings ------------------------------------------------------------------------------------------ */

/* Named texts such as "queue.paused". lab_store_get: LAB_STORE_NOT_FOUND when never set; the value is truncated to
 * `size`. */
enum lab_store_result lab_store_set(struct lab_store *store, const char *name, const char *value);
enum lab_store_result lab_store_get(struct lab_store *store, const char *name, char *value, size_t size);

/* --- counts ------------------------------------------------------------------------------------------------------- */

/* What the file has. */
struct lab_stored {
    int64_t runs[LAB_STATUS_COUNT]; /* by status */
    int64_t measurements, samples;
    int64_t database_bytes, wal_bytes;
};

struct lab_store_counts {
    struct lab_stored stored;
    size_t pending_records, pending_bytes; /* measurements, spans, … that are not yet on disk, and their memory */
    uint64_t lost_records;                 /* since the start: they could not be stored */
    uint64_t failed_writes;                /* since the start: transactions that failed */
    const struct lab_histogram *commits;   /* how long transactions took, with the wait for the disk */
};
/* Reads no file. *counts->commits is valid as long as the store. */
void lab_store_counts(struct lab_store *store, struct lab_store_counts *counts);

/* A sentence about this thread's last result other than LAB_STORE_OK; valid until its next call of the store. */
const char *lab_store_message(struct lab_store *store);
/* Returns LAB_STORE_FAILED with a message, for a caller whose part of the work fails. */
enum lab_store_result lab_store_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, for want of memory. */
enum lab_store_result lab_store_no_memory(void);

#endif
