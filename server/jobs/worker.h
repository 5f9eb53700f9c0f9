/* One gpulab-worker process and the pipe to it: started, spoken to, watched and, if need be, killed. Used by the queue
 * and by `gpulab run` where no server runs. All functions of one worker are called from one thread, except
 * lab_worker_cancel and lab_worker_hurry.
 *
 * Every wait has an end: a worker that does not read cannot block us (its input is queued here), and one that writes
 * without pause is read a bounded piece at a time. A worker that sends anything but the protocol's lines is killed.
 */
#ifndef LAB_WORKER_H
#define LAB_WORKER_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>

struct lab_worker;

struct lab_worker_options {
    const char *path;      /* of gpulab-worker */
    const char *runtime;   /* "auto", "cuda", "host"; NULL for "auto" */
    unsigned host_devices; /* 0: the default */
    const char *lock_dir;  /* folder of the device locks; NULL for the default */
    double grace_s;        /* between asking, SIGTERM and SIGKILL; 0 for the default of 5 s */
};

/* Receives the events of a run, on the thread that called lab_worker_run; `event` is borrowed. */
struct lab_worker_listener {
    void *context;
    void (*event)(void *context, const char *name, const json_t *event);
};

enum lab_worker_end {
    LAB_WORKER_FINISHED,      /* it said `finished`; the worker stays warm */
    LAB_WORKER_FINISHED_LOST, /* it said `finished` but must be replaced */
    LAB_WORKER_DIED,          /* by a signal or exit code before it finished; it is reaped */
    LAB_WORKER_KILLED, /* by us: cancel or time limit were not honoured, or it broke the protocol; it is reaped */
    LAB_WORKER_STUCK   /* not even SIGKILL ended it: its devices are unavailable */
};

/* NULL with *error when it cannot be started. Signals to this process group do not reach it; it dies with the calling
 * *process* (PR_SET_PDEATHSIG is bound to a thread of our own that lives as long as the process). Our environment is
 * its environment. */
struct lab_worker *lab_worker_start(const struct lab_worker_options *options, struct lab_error *error);

/* Asks for the description and waits for it, at most `timeout_s`. A new reference, NULL with *error: code
 * "worker-died", "worker-silent", "worker-protocol", or "cancelled" when lab_worker_hurry was called. The worker is to
 * be stopped then. */
json_t *lab_worker_describe(struct lab_worker *worker, double timeout_s, struct lab_error *error);

/* Runs `operation` ({"op":"run",…}, borrowed) to its end and hands every event, `finished` too, to the listener.
 * `time_limit_s` 0 means none.
 *
 * *error is all zero (code NULL) when the worker finished by itself or honoured a cancel. Otherwise it says what
 * happened: "worker-died" (names the signal), "worker-protocol" (it sent garbage), "worker-stuck", or, where the worker
 * had to be stopped for it, "cancelled" and "time-limit". "time-limit" is also set where the worker honoured the limit
 * and finished as cancelled. What it printed last is in lab_worker_log. */
enum lab_worker_end lab_worker_run(struct lab_worker *worker, json_t *operation, double time_limit_s,
                                   const struct lab_worker_listener *listener, struct lab_error *error);

/* Asks the run under way to stop; escalates by itself after the grace. Without a run under way it counts for the next
 * one, so that none is missed. Any thread; also from a signal handler. */
void lab_worker_cancel(struct lab_worker *worker);
/* Forgets a cancel that came after its run had ended. */
void lab_worker_rearm(struct lab_worker *worker);
/* Like lab_worker_cancel, and from now on every wait for this worker, one under way too, ends within `seconds` in all;
 * the escalation is shortened to fit. Any thread. */
void lab_worker_hurry(struct lab_worker *worker, double seconds);

/* Notices a worker that ended while idle, or a stuck one that ended at last. Never blocks. */
bool lab_worker_alive(struct lab_worker *worker);

/* Its process id, for messages. */
long lab_worker_pid(const struct lab_worker *worker);

/* The last lines of its stderr, at most `size` bytes with NUL, newest last; UTF-8 whatever it printed. */
void lab_worker_log(struct lab_worker *worker, char *text, size_t size);

/* Closes its input and waits, then SIGTERM, then SIGKILL; frees. A stuck one is not waited for. NULL is nothing. */
void lab_worker_stop(struct lab_worker *worker);

#endif
