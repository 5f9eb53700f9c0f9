/* The queue of runs and its execution: one run at a time on each node, by a worker process that is kept for the next
 * run. A node is a machine with devices. The store holds the queue; this part adds a thread for each node that executes
 * its runs, and the state of the current ones. All functions but lab_jobs_start and lab_jobs_stop may be called from
 * any thread; of these only lab_jobs_examine and lab_jobs_reserve wait for a run.
 */
#ifndef LAB_JOBS_H
#define LAB_JOBS_H

#include "../events.h"
#include "core/errors.h"
#include "counters.h"
#include "descriptor/experiment.h"
#include "hold.h"
#include "queue.h"
#include "rights.h"
#include "store.h"
#include "workers/worker.h"

struct lab_jobs;

/* The compiler of people's own kernels: takes {source, architecture, name} and returns {status, messages, cubin, …}, a
 * new reference; NULL with *error if nothing was compiled for another reason than the source. Called on the runner's
 * thread. */
struct lab_jobs_compiler {
    json_t *(*call)(void *context, const json_t *request, struct lab_error *error); /* NULL: there is no compiler */
    void *context;
};

/* A node, and how a worker is started there. Strings are not copied. */
struct lab_node_options {
    const char *name;      /* of the machine, recorded with each run */
    const char *transport; /* how it is reached: "local" for this machine, "ssh", "slurm" */
    const char *target;    /* the host or the partition; "" for this machine */
    struct lab_worker_options worker;
};

/* Strings are not copied. */
struct lab_jobs_options {
    const struct lab_node_options *nodes; /* copied; at most one is this machine */
    size_t node_count;                    /* 1 to LAB_QUEUE_NODES_MAX */
    struct lab_worker_options here;       /* of a worker on this machine, whether or not it is a node */
    double worker_idle_s;                 /* an idle worker is kept this long; 0: it is stopped after its run */
    double worker_check_s;                /* interval at which idle and stuck workers are checked; 0: 1 s */
    double describe_timeout_s;            /* a new worker must list its devices within this; 0: 60 s */
    double store_retry_s;                 /* pause before a failed write to the store is tried again; 0: 1 s */
    size_t queue_limit;                   /* at most this many queued runs */
    size_t
        program_limit; /* at most this many queued and current runs of programs and checks of kernels; 0: any number */
    struct lab_jobs_compiler compile;
    bool judges_kernels; /* every run of an own kernel with a reference is judged (judgement.h): for tests */
    const char *hold;    /* no worker and no run is started, for this reason; NULL: they are */
    bool quiet;          /* why runs of a node are held is not printed: whoever starts this lab reports it */
};

/* Marks runs that the store lists as running as interrupted, and starts the threads that execute the queue; they begin
 * by starting a worker each, which lists the devices of its node. While no worker of a node answers, its runs wait. The
 * strings of `options`, the store and the events must outlive it. NULL with *error when the store cannot be read or no
 * thread can be started. */
struct lab_jobs *lab_jobs_start(const struct lab_jobs_options *options, struct lab_store *store,
                                struct lab_events *events, struct lab_error *error);
/* Waits until the first attempt to start a worker has ended on each node, at most `seconds`: whether it has. Afterwards
 * either the devices of a node are known or its runs are held. */
bool lab_jobs_await_worker(struct lab_jobs *jobs, double seconds);
/* Stops the current run, which becomes `interrupted`; queued runs stay queued. The worker is killed if it has not ended
 * within `grace_s`. Returns when the run is recorded, which takes longer where the disk is slow. Afterwards only
 * lab_jobs_free may be called. */
void lab_jobs_stop(struct lab_jobs *jobs, double grace_s);
/* Ends telemetry, which takes as long as a call of the driver, and frees everything. Does not use the store. */
void lab_jobs_free(struct lab_jobs *jobs);

/* The devices as in GET /api/v1/devices: {"devices":[…],"machine":{…} or null}, where `machine` is that of the first
 * node; each device with `node`, `state` (available, busy, unavailable), `state_reason` (text or null) and `telemetry`
 * (null, or NVML's values with `at` and `stale`). Waits at most 0.2 s for new telemetry. A new reference. */
json_t *lab_jobs_devices(struct lab_jobs *jobs);
/* As lab_jobs_devices, without waiting: with the telemetry that was read last. Asks for new telemetry. */
json_t *lab_jobs_last_devices(struct lab_jobs *jobs);
/* To be called when the event stream gets a subscriber: telemetry is then read as long as there is one. */
void lab_jobs_watch_devices(struct lab_jobs *jobs);
/* The nodes as in GET /api/v1/nodes: [{name, transport, target, state, state_reason, running, queued, machine,
 * devices}]. A new reference. */
json_t *lab_jobs_nodes(struct lab_jobs *jobs);
/* The commands of the node of that name, as in GET /api/v1/nodes/{name}/commands, a new reference; NULL: there is no
 * such node. */
json_t *lab_jobs_node_commands(struct lab_jobs *jobs, const char *name);
/* Examines the machine of the node of that name, or this machine for NULL, between its runs, as in GET /api/v1/doctor:
 * a new reference. Waits until the examination begins, at most `begin_s`, and then until it ends, at most `end_s`. One
 * examination answers all calls that wait for it to begin; a run that can be started is before the next one. NULL with
 * *error: code "not-found"; "run-in-progress": a run was measured there longer than `begin_s`; "not-examined": it did
 * not begin for another reason, or not end; "too-busy": other calls wait; "stopping" after lab_jobs_end_waits; or as in
 * lab_worker_examine and lab_transport_open. This machine, where it is no node, is examined at once, and `end_s` does
 * not count. */
json_t *lab_jobs_examine(struct lab_jobs *jobs, const char *name, double begin_s, double end_s,
                         struct lab_error *error);
/* Increases with every change of the devices, the queue or the progress of a run. */
uint64_t lab_jobs_generation(struct lab_jobs *jobs);

enum lab_submit_result {
    LAB_SUBMIT_OK,
    LAB_SUBMIT_SAME,       /* the key was used before, with the same request: `id` is that run */
    LAB_SUBMIT_INVALID,    /* *errors lists everything that is wrong with the request */
    LAB_SUBMIT_KEY_REUSED, /* the key was used before, with another request */
    LAB_SUBMIT_FULL,       /* the queue is full */
    LAB_SUBMIT_PROGRAMS,   /* the queue has as many programs as it takes */
    LAB_SUBMIT_PERSON,     /* the person has as many runs that have not ended as the rights allow */
    LAB_SUBMIT_NOT_READY,  /* no worker has listed the devices yet; lab_jobs_queue has the reason */
    LAB_SUBMIT_STORE       /* the store failed, or memory ran out */
};
struct lab_submit_options {
    const char *key;          /* the idempotency key; NULL: none */
    const json_t *key_body;   /* what must be equal when the key is used again; NULL: the request */
    const char *requested_by; /* the person who asks for it; NULL: unknown. People take turns in the queue */
    struct lab_submit_rights rights;
    const char *challenge; /* the name of the challenge to which the run is a submission; NULL: none */
    /* Is called with the run when it is on disk, before it can start; NULL: it is not reported. */
    void (*added)(void *context, const struct lab_run_row *run);
    void *context;
};
/* Checks a request body of POST /api/v1/runs, stores it as a run and queues it. A key is looked up first: a request
 * that is repeated gets its run also when the queue is full or a device is gone. Only LAB_SUBMIT_OK changes the
 * store. */
enum lab_submit_result lab_jobs_submit(struct lab_jobs *jobs, const json_t *request,
                                       const struct lab_submit_options *options, char id[LAB_RUN_ID_SIZE],
                                       struct lab_errors *errors);

/* Checks a request body of POST /api/v1/sweeps (sweep.h), stores all its runs and queues them; `added` is called with
 * the sweep as it was stored. A sweep is accepted when the queue has a place for its first run. Every run is checked
 * before any is stored. The result is not LAB_SUBMIT_SAME or LAB_SUBMIT_KEY_REUSED. */
enum lab_submit_result lab_jobs_submit_sweep(struct lab_jobs *jobs, const json_t *request, const char *requested_by,
                                             void (*added)(void *context, const struct lab_sweep_row *sweep),
                                             void *context, struct lab_errors *errors);
/* Checks a request as lab_jobs_submit_sweep does, counts its runs and estimates what they take together. Stores
 * nothing. */
enum lab_submit_result lab_jobs_plan_sweep(struct lab_jobs *jobs, const json_t *request, size_t *runs,
                                           struct lab_estimate *estimate, struct lab_errors *errors);
/* Cancels all queued runs of a sweep, and asks the worker to stop if the current run is one of them. *written receives
 * the sweep, as from lab_store_cancel_sweep. LAB_STORE_NOT_FOUND when there is no such sweep; after another failure the
 * queued runs are unchanged. */
enum lab_store_result lab_jobs_cancel_sweep(struct lab_jobs *jobs, const char *id, struct lab_sweep_row **written);

/* What a run would take, and its parameters with defaults, new references: those of the head, and of the base if it has
 * one. */
struct lab_planned_run {
    struct lab_estimate estimate;
    json_t *parameters, *base_parameters; /* NULL: not valid, or no base */
};

/* Checks a request as lab_jobs_submit does and plans the run. Stores nothing. Without an error, false means that a
 * value has a wrong type. The caller releases *plan in either case. */
bool lab_jobs_plan(struct lab_jobs *jobs, const json_t *request, const struct lab_submit_rights *rights,
                   struct lab_planned_run *plan, struct lab_errors *errors);
void lab_planned_run_release(struct lab_planned_run *plan);

enum lab_cancel_result {
    LAB_CANCEL_OK,
    LAB_CANCEL_ALREADY,  /* it was cancelled before */
    LAB_CANCEL_FINISHED, /* it ended in another way */
    LAB_CANCEL_NOT_FOUND,
    LAB_CANCEL_STORE /* the store failed; the run is unchanged */
};
/* Cancels a run and returns at once. A running run becomes `cancelled` later, when its worker has stopped. The result
 * is also LAB_CANCEL_OK while another call is cancelling the run. A run whose timeline is being traced has been
 * measured already: it becomes `succeeded`, without a timeline. *written receives a run that was queued, as from
 * lab_store_finish_run; NULL where this call has written nothing. */
enum lab_cancel_result lab_jobs_cancel(struct lab_jobs *jobs, const char *id, struct lab_run_row **written);

/* Deletes a run with its results and publishes run.deleted. The result is that of lab_store_delete_run. */
enum lab_store_result lab_jobs_delete(struct lab_jobs *jobs, const char *id);

#define LAB_EVENT_RUN_UPDATED "run.updated"
/* Publishes this event with a run as it was written; to be called after each change of a run. */
void lab_jobs_publish_run(struct lab_jobs *jobs, const struct lab_run_row *run);

/* The part of a run's state that is not in the store. */
struct lab_live_state {
    int64_t queue_position; /* 0: next; -1: not queued */
    double wait_s;          /* expected time until it starts; NAN: it is not queued, or the queue is paused or held */
    bool has_progress;      /* the run is running and has reported progress: the members below are set */
    size_t done, total;     /* steps done, of `total` */
    char label[128];        /* what is done at present */
};
/* Any id is allowed; for an unknown run the state is "not queued, no progress". */
void lab_jobs_live_state(struct lab_jobs *jobs, const char *id, struct lab_live_state *live);

struct lab_queue_state {
    size_t length;                                   /* queued runs */
    size_t running;                                  /* runs in progress, on one node each */
    char runs[LAB_QUEUE_NODES_MAX][LAB_RUN_ID_SIZE]; /* their ids, in the order of the nodes */
    bool paused;
    char held
        [LAB_HOLD_REASON_MAX]; /* why no node starts a run although the queue is not paused; "": one can start runs */
};
void lab_jobs_queue(struct lab_jobs *jobs, struct lab_queue_state *state);
/* How long it is expected to take from now on until the current and queued runs of all nodes have ended, in seconds. */
double lab_jobs_expected_s(struct lab_jobs *jobs);
/* Pauses or resumes the queue; the store keeps the setting over a restart. The current run is not affected. False when
 * the store failed. */
bool lab_jobs_pause(struct lab_jobs *jobs, bool paused);

/* For work that would disturb a measurement on this machine: waits until no run is in progress here, at most `seconds`,
 * and then keeps the next one from starting until lab_jobs_release. Runs of other nodes go on. False, and nothing is
 * kept, when the run did not end in time. */
bool lab_jobs_reserve(struct lab_jobs *jobs, double seconds);
void lab_jobs_release(struct lab_jobs *jobs);
/* From now on lab_jobs_reserve and lab_jobs_examine fail at once; to be called before lab_jobs_stop. */
void lab_jobs_end_waits(struct lab_jobs *jobs);

/* Valid as long as the jobs. */
const struct lab_jobs_counters *lab_jobs_counters(const struct lab_jobs *jobs);

#endif
