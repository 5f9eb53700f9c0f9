/* The worker that executes a node's runs. It is started when it is needed and kept between runs ("warm"), so that
 * device contexts are created once; stopped after some idle time; replaced when it died; and set aside when it cannot
 * be killed. Its devices are entered in the table of devices.
 *
 * All functions are called from the runner's thread, except lab_warm_cancel, lab_warm_clear_cancel, lab_warm_post and
 * lab_warm_abort_within.
 */
#ifndef LAB_WARM_WORKER_H
#define LAB_WARM_WORKER_H

#include "counters.h"
#include "devices.h"
#include "workers/worker.h"

#include <pthread.h>
#include <stdatomic.h>

struct lab_stuck_worker; /* a worker that did not end after SIGKILL, and its devices */

/* Strings are not copied. */
struct lab_warm_options {
    struct lab_worker_options worker;
    double idle_s;             /* how long an idle worker is kept */
    double check_s;            /* interval at which idle and stuck workers are checked; 0: 1 s */
    double describe_timeout_s; /* a new worker must list its devices within this; 0: 60 s */
};

struct lab_warm_worker {
    struct lab_warm_options options;
    struct lab_devices *devices;
    size_t node; /* the index of its node in the table of devices */
    struct lab_worker_counters *counters;

    pthread_mutex_t lock;      /* held by other threads while they use `worker`, so that it is not freed meanwhile */
    struct lab_worker *worker; /* NULL: none */
    bool used;                 /* it has executed a run; only for the runner's thread */
    json_t *opened;            /* the ids of the devices that it has opened; NULL: all of the node */
    bool cancelled;            /* the current run is cancelled, also in a worker that is started later */
    double abort_deadline;     /* set by lab_warm_abort_within, by lab_clock_now; INFINITY: not called */
    atomic_bool leave;         /* either of both: opening a connection to the node ends early */

    double idle_since;              /* when the last run or description ended, by lab_clock_now */
    struct lab_stuck_worker *stuck; /* a list */
};

void lab_warm_init(struct lab_warm_worker *warm, const struct lab_warm_options *options, struct lab_devices *devices,
                   size_t node, struct lab_worker_counters *counters);
/* Stops all workers. Afterwards only the functions for any thread and lab_warm_release may be called. */
void lab_warm_shut_down(struct lab_warm_worker *warm);
/* Must be called after lab_warm_shut_down, when no other thread uses `warm`. */
void lab_warm_release(struct lab_warm_worker *warm);

/* Makes sure that a worker can execute a run on the devices `ids`, of which some may be of other nodes; NULL: on all of
 * the node. Starts one if there is none, if it is not alive, or if it has not opened them all, after opening the way to
 * the node. A new worker opens no other devices than these and those of the one that it replaces, and all if it cannot
 * find these. It has to list its devices first, which updates the table of devices. False with *error when none can be
 * started. */
bool lab_warm_ensure(struct lab_warm_worker *warm, const json_t *ids, struct lab_error *error);

/* The same for a worker that has executed no run: stops one that has. */
bool lab_warm_ensure_new(struct lab_warm_worker *warm, const json_t *ids, struct lab_error *error);

/* Lets the workers that are started from now on run under compute-sanitizer; NULL: not. Stops the present one. `path`
 * must stay valid. */
void lab_warm_sanitize(struct lab_warm_worker *warm, const char *path);

/* Stops the worker, which frees its memory on the devices. Does nothing when there is none. */
void lab_warm_stop(struct lab_warm_worker *warm);

/* Stops the worker, opens the way to the node and examines its machine (lab_worker_examine). */
json_t *lab_warm_examine(struct lab_warm_worker *warm, struct lab_error *error);

/* To be called after each run: depending on how it ended, keeps the worker, stops it, or sets it aside and marks its
 * devices as unavailable. `ids` is a JSON array of the run's device ids, `error` that of lab_worker_run. */
void lab_warm_run_ended(struct lab_warm_worker *warm, enum lab_worker_end end, json_t *ids,
                        const struct lab_error *error);

/* Stops the worker when it has been idle for `idle_s`, which also gives the machine back (lab_transport_close), and
 * releases it when it has died. When a stuck worker has ended at last, marks its devices as available. Returns the
 * time, by lab_clock_now, at which it must be called next; INFINITY: not before the next run. */
double lab_warm_maintain(struct lab_warm_worker *warm);

/* lab_worker_cancel on the worker, and on each one that is started before lab_warm_clear_cancel, which is to be called
 * when the run has ended. Any thread. */
void lab_warm_cancel(struct lab_warm_worker *warm);
void lab_warm_clear_cancel(struct lab_warm_worker *warm);
/* lab_worker_post on the worker; drops the operation when there is none. Any thread. */
void lab_warm_post(struct lab_warm_worker *warm, json_t *operation);
/* lab_worker_abort_within on the worker, and on each one that is started later, for the time that is left. Any
 * thread. */
void lab_warm_abort_within(struct lab_warm_worker *warm, double seconds);

#endif
