/* The queue and who works it off: one run at a time on this machine, in the order in which they came, by a worker that
 * stays warm for a while. The queue itself is in the store; here are only the run that is running and the thread that
 * runs it.
 */
#ifndef LAB_JOBS_H
#define LAB_JOBS_H

#include "../events.h"
#include "core/errors.h"
#include "experiment/experiment.h"
#include "store.h"
#include "worker.h"

struct lab_jobs;

struct lab_jobs_options {
    struct lab_worker_options worker;
    double worker_idle_s; /* 60 by default: how long a worker stays warm */
    size_t queue_limit;   /* 1000 by API.md */
    const char *host;     /* machine name */
};

/* Asks a first worker for its devices, marks runs that were running as interrupted, and starts working off the queue.
 * NULL with *error when no worker could be started at all. */
struct lab_jobs *lab_jobs_start(const struct lab_jobs_options *options, struct lab_store *store,
                                struct lab_events *events, struct lab_error *error);
/* Cancels the run under way, which becomes `interrupted`; queued ones stay queued. Returns within `grace_s`; what a
 * thread that hangs in a driver still uses is then not freed. Nothing else may be calling these functions any more. */
void lab_jobs_stop(struct lab_jobs *jobs, double grace_s);

/* The devices as API.md shows them: {"devices":[…]}, each with `state` (available, busy, unavailable), `state_reason`
 * (text or null) and `telemetry` (null, or NVML's figures with `at` and `stale`). Waits at most 0.2 s for fresh
 * figures. A new reference. */
json_t *lab_jobs_devices(struct lab_jobs *jobs);
/* Facts of one device, false when there is none of that id. */
bool lab_jobs_device(struct lab_jobs *jobs, const char *id, struct lab_device_facts *facts);
/* Grows whenever the devices or the live part of a run change. */
uint64_t lab_jobs_generation(struct lab_jobs *jobs);

/* Checks a request body of POST /runs ({experiment, devices?, parameters?, tags?, note?, time_limit_s?}) as a whole,
 * and stores and queues it. LAB_SUBMIT_INVALID fills errors; nothing is left behind. */
enum lab_submit_result {
    LAB_SUBMIT_OK,
    LAB_SUBMIT_SAME,
    LAB_SUBMIT_INVALID,
    LAB_SUBMIT_KEY_REUSED,
    LAB_SUBMIT_FULL,
    LAB_SUBMIT_STORE
};
enum lab_submit_result lab_jobs_submit(struct lab_jobs *jobs, const json_t *request, const char *idempotency_key,
                                       char id[LAB_RUN_ID_SIZE], struct lab_errors *errors);

/* Returns at once; a run under way becomes `cancelled` when its worker has stopped or was stopped. OK also when someone
 * else is cancelling it. A run that was measured and is only being traced has succeeded: it ends without a timeline. */
enum lab_cancel_result {
    LAB_CANCEL_OK,
    LAB_CANCEL_ALREADY,
    LAB_CANCEL_FINISHED,
    LAB_CANCEL_NOT_FOUND,
    LAB_CANCEL_STORE
};
enum lab_cancel_result lab_jobs_cancel(struct lab_jobs *jobs, const char *id);

/* What only the running lab knows of a run: place in the queue (0: next; -1: not queued) and progress. */
struct lab_live {
    int64_t queue_position;
    bool has_progress;
    size_t done, total;
    char label[128];
};
void lab_jobs_live(struct lab_jobs *jobs, const char *id, struct lab_live *live);

struct lab_queue_state {
    size_t length;                 /* queued runs */
    char running[LAB_RUN_ID_SIZE]; /* "" for none */
    bool paused;
};
void lab_jobs_queue(struct lab_jobs *jobs, struct lab_queue_state *state);
/* Outlives a restart. The run under way goes on. */
bool lab_jobs_pause(struct lab_jobs *jobs, bool paused);

#endif
