/* The state of a supervised worker, and the functions on it that worker.c and worker_run.c share: input and output
 * (worker_io.c), and stopping in steps (worker_escalation.c). Included by worker.c and worker_*.c only.
 */
#ifndef LAB_WORKER_STATE_H
#define LAB_WORKER_STATE_H

#include "core/lines.h"
#include "process.h"
#include "worker.h"
#include "worker_channel.h"

#include <stdatomic.h>

struct lab_worker {
    struct lab_process process;      /* the worker, or the program that connects it */
    struct lab_transport *transport; /* of another machine; NULL: this one */
    struct lab_line_reader reader;   /* events from the worker */
    struct lab_line_writer writer;   /* operations to the worker */
    struct lab_log_tail log;         /* what it prints on stderr, and its log events */
    int wake;                        /* an eventfd that ends lab_worker_wait */
    double grace_s;                  /* length of one step of stopping */
    double silence_s;                /* the longest time without output during a run */
    double heard_at;                 /* when its last output was read, by lab_clock_now */
    double beat_at;                  /* when it is to be sent the next heartbeat; INFINITY: never */
    bool greeted;                    /* its hello was received */
    bool polling;                    /* the pidfd is missing or unusable: check every LAB_POLL_INTERVAL_S for its end */
    const char *violation;           /* how it violated the protocol, as "sent …"; NULL: it did not */
    bool lost;                       /* it reported that its device context is broken */
    bool signalled;                  /* it was sent a signal to end it */
    bool stuck;                      /* it did not end after SIGKILL */
    _Atomic(json_t *) posted;        /* an operation from another thread that is still to be sent; NULL: none */
    atomic_bool cancelled;           /* the current run, or else the next one, is to be cancelled */
    /* When lab_worker_abort_within was called, and when all waiting must have ended (lab_clock_now); INFINITY: not
     * called. */
    _Atomic double abort_requested_at, abort_deadline;
};

/* How often a worker without a usable pidfd is checked for its end. */
#define LAB_POLL_INTERVAL_S 0.05

/* --- input and output (worker_io.c) ------------------------------------------------------------------------------- */

/* Reads and writes what is possible without blocking. */
void lab_worker_transfer(struct lab_worker *worker);
/* Whether it has sent nothing for too long. What waits in its pipe is read first, because the caller itself may have
 * been waiting, for a slow disk or because its process was stopped. */
bool lab_worker_silent(struct lab_worker *worker);
/* Waits until input or output is possible, lab_worker_wake is called, the process ends, or `deadline` (lab_clock_now)
 * passes; then transfers. */
void lab_worker_wait(struct lab_worker *worker, double deadline);
/* Ends lab_worker_wait. Any thread; also from a signal handler. */
void lab_worker_wake(const struct lab_worker *worker);

/* Queues an operation (borrowed) and sends what the worker's pipe takes at once. False when out of memory. */
bool lab_worker_send(struct lab_worker *worker, json_t *operation);
/* Returns the next received event, a new reference, and its name. NULL when none has been received completely, or when
 * worker->violation is set. Adds the text of log events to the log. */
json_t *lab_worker_next_event(struct lab_worker *worker, const char **name);

/* Fills *error for a worker that violated the protocol, or else for one that was reaped. */
void lab_worker_explain_end(struct lab_worker *worker, struct lab_error *error);

/* --- stopping in steps (worker_escalation.c) ---------------------------------------------------------------------- */

enum lab_stop_step { LAB_STOP_NONE, LAB_STOP_REQUESTED, LAB_STOP_SIGTERM, LAB_STOP_SIGKILL, LAB_STOP_FAILED };

/* Which step of stopping a worker has been reached. Starts as `{0}`. */
struct lab_escalation {
    enum lab_stop_step step;
    double since; /* when the step began, by lab_clock_now */
};

/* Begins a step and sends its signal. */
void lab_escalation_enter(struct lab_worker *worker, struct lab_escalation *escalation, enum lab_stop_step step);
/* When the current step has to be over; INFINITY for LAB_STOP_NONE. */
double lab_escalation_deadline(const struct lab_worker *worker, const struct lab_escalation *escalation);
/* Begins the next step if the current one is past its deadline. LAB_STOP_FAILED marks the worker as stuck. */
void lab_escalation_advance(struct lab_worker *worker, struct lab_escalation *escalation);

#endif
