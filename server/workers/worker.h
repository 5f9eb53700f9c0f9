/* Supervises one gpulab-worker process: starts it, exchanges the protocol's messages with it, watches it and, if it
 * does not react, kills it. All functions of one worker are called from one thread, except where a function allows any
 * thread.
 *
 * No call waits without a deadline. A worker that does not read cannot block the caller, because its input is queued
 * here. A worker that writes without pause is read in bounded amounts, so that deadlines are still checked. A worker
 * that violates the protocol is killed.
 */
#ifndef LAB_WORKER_H
#define LAB_WORKER_H

#include "core/errors.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>

struct lab_worker;
struct lab_transport;

struct lab_worker_options {
    const char *path; /* of gpulab-worker */
    const char
        *sanitizer; /* compute-sanitizer, under which the worker runs; its report is in the log. NULL: it does not */
    const char *runtime;   /* "auto", "cuda", "host"; NULL: "auto" */
    unsigned host_devices; /* number of devices of the host runtime; 0 means 1 */
    const json_t *devices; /* ids of the CUDA devices to open, among those visible to the worker; NULL: all of these */
    const char *lock_dir;  /* folder of the device locks; NULL: LAB_LOCK_DIR_DEFAULT */
    const char *programs;  /* the file of the commands of the machine; NULL: LAB_PROGRAMS_FILE_DEFAULT */
    const char *database;  /* the lab's file, of which an examination of its machine speaks; NULL: of none */
    const char *program_user; /* as whom programs are executed; NULL: the worker's */
    double grace_s;           /* time to react to each step of stopping: cancel request, SIGTERM, SIGKILL; 0: 5 s */
    double silence_s; /* a run is stopped when its worker has sent nothing, heartbeats included, for so long; 0: 30 s */
    /* Starts the worker on another machine (nodes/transport.h); must be open, and outlive the worker. NULL: here. A
     * worker there ends itself when it has heard nothing from here for `silence_s`. */
    struct lab_transport *transport;
};

/* Receives the events of a run on the thread that called lab_worker_run. `event` is valid during the call only. */
struct lab_worker_listener {
    void *context;
    void (*event)(void *context, const char *name, const json_t *event);
};

/* How lab_worker_run ended, and whether the worker can be used again. */
enum lab_worker_end {
    LAB_WORKER_FINISHED,      /* sent `finished` and can execute the next run */
    LAB_WORKER_FINISHED_LOST, /* sent `finished`, but must be stopped: its device context is broken */
    LAB_WORKER_DIED,          /* ended by a signal or with an exit code before `finished`; reaped */
    LAB_WORKER_KILLED,        /* killed here, for an ignored cancel or time limit or a protocol violation; reaped */
    LAB_WORKER_STUCK          /* did not end after SIGKILL: its devices cannot be used */
};

/* Starts a worker, or the program that starts it on another machine. That process gets this process's environment and a
 * process group of its own, so that signals to this process group do not reach it. The kernel kills it when this
 * process ends (PR_SET_PDEATHSIG, see process.c). NULL with *error, code "worker-start" or "out-of-memory", when it
 * cannot be started. */
struct lab_worker *lab_worker_start(const struct lab_worker_options *options, struct lab_error *error);

/* Asks for the description of the devices and waits for it, at most `timeout_s`. To be called first: it also checks the
 * worker's hello. Returns a new reference, or NULL with
 * *error: code "worker-died", "worker-silent", "worker-protocol", "out-of-memory", or "cancelled" after
 * lab_worker_cancel or lab_worker_abort_within. After an error the caller must stop the worker. */
json_t *lab_worker_describe(struct lab_worker *worker, double timeout_s, struct lab_error *error);

/* Examines the machine on which a worker with these options would run, with a process for that alone: {at, version,
 * works, findings} of kernels/doctor/doctor.h, a new reference. The transport must be open. Ends early soon after
 * *cancel became true; NULL: never. NULL with *error, code "worker-start", "worker-died", "worker-silent" or
 * "cancelled", when nothing was examined. */
json_t *lab_worker_examine(const struct lab_worker_options *options, const atomic_bool *cancel,
                           struct lab_error *error);

/* Executes `operation` ({"op":"run",…}, borrowed) and passes every event, `finished` included, to the listener.
 * `time_limit_s` 0 means no limit.
 *
 * *error is all zero (without a code) when the worker sent `finished` within the limit, also after a cancel. Otherwise
 * its code is "worker-died" (the detail names the signal), "worker-protocol", "worker-stuck", "worker-silent" or
 * "time-limit" (both also when the worker stopped on request), or "cancelled" (the worker ignored the cancel and was
 * killed). lab_worker_log has the last lines that it printed. */
enum lab_worker_end lab_worker_run(struct lab_worker *worker, json_t *operation, double time_limit_s,
                                   const struct lab_worker_listener *listener, struct lab_error *error);

/* Asks the current run to stop; a worker that does not react is ended by SIGTERM, then SIGKILL, a grace apart. Without
 * a current run, the next one is cancelled, so that a cancel that arrives just before a run starts is not lost. Any
 * thread; also from a signal handler. */
void lab_worker_cancel(struct lab_worker *worker);
/* Clears a cancel that arrived after its run had ended. Has no effect after lab_worker_abort_within. */
void lab_worker_clear_cancel(struct lab_worker *worker);
/* Cancels, and limits all further waiting for this worker, including a call that is waiting now, to `seconds` in total;
 * the graces are shortened to fit. Any thread. */
void lab_worker_abort_within(struct lab_worker *worker, double seconds);

/* Sends the worker of the current run another operation; takes the reference. One that has not been sent yet is
 * replaced. Any thread. */
void lab_worker_post(struct lab_worker *worker, json_t *operation);

/* Whether the worker can execute another run; for a stuck worker, whether its process still exists. Never blocks. A
 * worker on another machine cannot when it has been silent for too long; to notice that, this must be called every few
 * seconds. */
bool lab_worker_alive(struct lab_worker *worker);

/* Whether its process has ended although it was not asked to. *signal receives what ended it; 0: it exited. Never
 * blocks. */
bool lab_worker_died(struct lab_worker *worker, int *signal);

/* Copies the last lines that it printed on stderr, at most `size` bytes with the NUL, oldest first. Bytes that are not
 * UTF-8 become '?'. */
void lab_worker_log(struct lab_worker *worker, char *text, size_t size);

/* Forgets what it has printed so far. */
void lab_worker_clear_log(struct lab_worker *worker);

/* Closes the worker's input, then sends SIGTERM and SIGKILL, a grace apart, until it ends; frees it. Does not wait for
 * a stuck worker. Closes the transport of a worker that had to be sent a signal, because on the other machine something
 * may be left of it. NULL is allowed and does nothing. */
void lab_worker_stop(struct lab_worker *worker);

#endif
