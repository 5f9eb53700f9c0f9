/* The state of the queue and its execution (struct lab_jobs), shared by the functions for the API (jobs.c, submit.c,
 * cancel.c) and the thread that executes runs (runner.c, run_attempt.c).
 */
#ifndef LAB_JOBS_STATE_H
#define LAB_JOBS_STATE_H

#include "counters.h"
#include "devices.h"
#include "hold.h"
#include "jobs.h"
#include "queue.h"
#include "telemetry.h"
#include "warm_worker.h"

#include <pthread.h>

/* The run that the runner is executing. */
struct lab_current_run {
    struct lab_queue_entry run; /* as it was in the queue; id "" for none */
    double began_at;            /* by lab_clock_now */
    bool cancelled;             /* a cancel was requested */
    bool ended;                 /* it has ended and is being recorded; it can no longer be cancelled */
    bool has_progress;          /* this and the rest: see struct lab_live_state */
    size_t done, total;
    char label[128];
};

struct lab_jobs {
    const char *host; /* machine name */
    size_t queue_limit;
    double store_retry_s;
    struct lab_store *store;
    struct lab_events *events;
    struct lab_devices *devices;
    struct lab_telemetry *telemetry; /* NULL: no NVML */
    struct lab_jobs_counters *counters;
    struct lab_warm_worker warm;
    struct lab_jobs_compiler compile;
    pthread_t thread; /* the runner */

    pthread_mutex_t lock; /* for all members below; never locked while waiting for the store or a worker */
    pthread_cond_t
        changed; /* one of queue, hold, `current.run`, `reservations` or a bool below changed; uses CLOCK_MONOTONIC */
    struct lab_queue queue;
    struct lab_current_run current;
    struct lab_hold hold;
    bool paused, stopping;
    size_t reservations; /* callers that have, or wait for, lab_jobs_reserve: no run is started */
    bool refusing;       /* nothing is reserved any more */
    bool worker_tried;   /* the first attempt to start a worker has ended */
    uint64_t generation;
};

/* To be called after each change of the queue, of `current.id`, `paused` or `hold`, with the lock held: publishes the event
 * queue.updated and wakes the runner. */
void lab_jobs_queue_changed(struct lab_jobs *jobs);

/* runner.c. The main function of the thread that executes runs; `context` is the struct lab_jobs. Returns NULL after
 * jobs->stopping is set. */
void *lab_runner_main(void *context);

#endif
