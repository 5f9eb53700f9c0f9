/* The state of the queue and its execution (struct lab_jobs), shared by the functions for the API (jobs.c, submit.c,
 * cancel.c) and the threads of the nodes, which execute runs (runner.c, run_attempt.c).
 */
#ifndef LAB_JOBS_STATE_H
#define LAB_JOBS_STATE_H

#include "counters.h"
#include "devices.h"
#include "examination.h"
#include "hold.h"
#include "jobs.h"
#include "queue.h"
#include "telemetry.h"
#include "warm_worker.h"

#include <pthread.h>
#include <stdatomic.h>

struct lab_run_group; /* run_group.h */

/* The run that a node is executing. */
struct lab_current_run {
    struct lab_queue_entry run; /* as it was in the queue; id "" for none */
    double began_at;            /* by lab_clock_now */
    bool cancelled;             /* a cancel was requested */
    bool ended;                 /* it has ended and is being recorded; it can no longer be cancelled */
    bool has_progress;          /* this and the rest: see struct lab_live_state */
    size_t done, total;
    char label[128];
};

/* A machine with devices, and the thread that executes its runs. */
struct lab_node {
    struct lab_jobs *jobs;
    size_t index; /* in jobs->nodes, and in the table of devices */
    struct lab_node_options options;
    struct lab_warm_worker warm;
    pthread_t thread; /* the runner */
    bool started;     /* the thread was started */

    /* Locked by jobs->lock: */
    struct lab_current_run current; /* of a follower: only its id and what it takes */
    struct lab_run_group *group;    /* of the current run, if it is on several nodes; NULL: it is on this one */
    struct lab_hold hold;
    struct lab_examination examination;
    bool worker_tried; /* the first attempt to start a worker has ended */
};

struct lab_jobs {
    size_t queue_limit, program_limit;
    bool quiet, judges_kernels;
    double store_retry_s;
    struct lab_store *store;
    struct lab_events *events;
    struct lab_devices *devices;
    struct lab_telemetry *telemetry; /* NULL: no NVML */
    struct lab_jobs_counters *counters;
    struct lab_jobs_compiler compile;
    struct lab_worker_options here; /* of this machine */

    pthread_mutex_t
        lock; /* for all members below and those of nodes; never locked while waiting for the store or a worker */
    pthread_cond_t
        changed; /* one of queue, `reservations` or a bool below, or a node's hold, examination or `current.run` changed; uses
                             * CLOCK_MONOTONIC */
    struct lab_queue queue;
    bool paused, stopping;
    size_t reservations;  /* callers that have, or wait for, lab_jobs_reserve: this machine starts no run */
    atomic_bool refusing; /* no further run is reserved, and no machine examined; changed with the lock held */
    size_t examining;     /* calls of lab_jobs_examine that have not returned */
    size_t here_calls;    /* those for this machine, where it is no node */
    uint64_t generation;

    size_t node_count;
    struct lab_node nodes[];
};

/* To be called after each change of the queue, of `paused` or of a node's `current.id` or `hold`, with the lock held:
 * publishes the event queue.updated and wakes the runners. */
void lab_jobs_queue_changed(struct lab_jobs *jobs);

/* What an event about the run is about; valid as long as the row. */
struct lab_event_subject lab_jobs_subject(const struct lab_run_row *run);

/* Whether another node leads the node's current run (run_group.h). The lock is held. */
bool lab_node_follows(const struct lab_node *node);
/* The node that executes the run, or that leads its execution; NULL when none does. The lock is held. */
struct lab_node *lab_jobs_node_running(struct lab_jobs *jobs, const char *run);
/* Whether the node is this machine. */
bool lab_node_is_local(const struct lab_node *node);
/* Sets the nodes of a queued run from its devices, [{id, name, node}], which are ordered by node. The name of a
 * node that was removed counts as that of the first. */
void lab_jobs_place(const struct lab_jobs *jobs, const json_t *devices, struct lab_queue_entry *run);
/* Asks the worker of the node's current run to stop. The lock is held. */
void lab_node_cancel(struct lab_node *node);

/* runner.c. The main function of the thread that executes a node's runs; `context` is the struct lab_node. Returns NULL
 * after jobs->stopping is set. */
void *lab_runner_main(void *context);

#endif
