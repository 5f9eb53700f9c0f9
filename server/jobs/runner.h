/* What the queue's functions (jobs.c) and the thread that works it off (runner.c) share.
 */
#ifndef LAB_RUNNER_H
#define LAB_RUNNER_H

#include "devices.h"
#include "jobs.h"
#include "queue.h"
#include "telemetry.h"
#include "warm_worker.h"

#include <pthread.h>

/* The run that is running. */
struct lab_current_run {
    char id[LAB_RUN_ID_SIZE]; /* "" for none */
    bool cancelled;           /* someone asked for its end */
    bool ended;               /* it is only being recorded any more */
    bool has_progress;
    size_t done, total;
    char label[128];
};

struct lab_jobs {
    char *host, *worker_path, *worker_runtime; /* copies of what the options said */
    size_t queue_limit;
    struct lab_store *store;
    struct lab_events *events;
    struct lab_devices *devices;
    struct lab_telemetry *telemetry; /* NULL: none */
    struct lab_warm_worker warm;
    pthread_t thread;

    pthread_mutex_t lock;   /* for all below; never held while the store or a worker is waited for */
    pthread_cond_t changed; /* the queue, `paused` or `stopping` */
    struct lab_queue queue;
    struct lab_current_run current;
    bool paused, stopping;
    uint64_t generation;
};

/* The runner's thread; ends when jobs->stopping is set. `context` is the struct lab_jobs. */
void *lab_runner_main(void *context);

/* Publishes run.updated for a run as the store has it now. */
void lab_jobs_publish_run(struct lab_jobs *jobs, const char *id);

#endif
