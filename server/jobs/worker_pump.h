/* What the functions on a worker (worker.c, worker_run.c) share: its state, the pump that moves bytes while they wait,
 * and the steps in which one is stopped. For this room alone.
 */
#ifndef LAB_WORKER_PUMP_H
#define LAB_WORKER_PUMP_H

#include "worker.h"
#include "worker_channel.h"
#include "worker_process.h"

#include <stdatomic.h>

struct lab_worker {
    struct lab_process process;
    struct lab_line_reader reader;
    struct lab_line_writer writer;
    struct lab_log_tail log;
    int wake; /* an eventfd: another thread has something to say */
    double grace_s;
    bool ticking;       /* no pidfd that can be relied on */
    const char *broken; /* how it broke the protocol; NULL as long as it has not */
    bool lost;          /* it said that it cannot go on */
    bool stuck;         /* not even SIGKILL ended it */
    atomic_bool cancelled;
    _Atomic double hurry_at, hurry_by; /* all waits end by hurry_by, asked for at hurry_at; INFINITY: no hurry */
};

/* How often a process is looked at where the kernel does not tell that it ended. */
#define LAB_TICK_S 0.05

/* --- moving bytes ------------------------------------------------------------------------------------------------- */

/* Moves whatever can be moved now. Never blocks. */
void lab_move(struct lab_worker *worker);
/* Waits until something can be moved, someone wakes us, the process ends, or `deadline`; then moves. */
void lab_pump(struct lab_worker *worker, double deadline);
/* Ends a pump's wait. Any thread; also from a signal handler. */
void lab_rouse(const struct lab_worker *worker);

/* Queues an operation (borrowed) and sends what goes at once; false when out of memory. */
bool lab_send_operation(struct lab_worker *worker, json_t *operation);
/* The next event that has come in, a new reference; NULL when there is none, or worker->broken says why there never
 * will be. Log lines are kept on the way. */
json_t *lab_next_event(struct lab_worker *worker, const char **name);

/* Says how a worker that was reaped ended, or how one broke the protocol. */
void lab_explain_end(struct lab_worker *worker, struct lab_error *error);

/* --- stopping in steps -------------------------------------------------------------------------------------------- */

enum lab_step { LAB_STEP_NONE, LAB_STEP_ASKED, LAB_STEP_TERMINATED, LAB_STEP_KILLED, LAB_STEP_GIVEN_UP };

struct lab_escalation {
    enum lab_step step;
    double since;
};

/* Begins a step and sends its signal. */
void lab_enter_step(struct lab_worker *worker, struct lab_escalation *escalation, enum lab_step step);
/* When the present step has had its time; INFINITY while nothing is being stopped. */
double lab_step_deadline(const struct lab_worker *worker, const struct lab_escalation *escalation);
/* Goes on to the next step when the present one has had its time; the last one makes the worker `stuck`. */
void lab_escalate(struct lab_worker *worker, struct lab_escalation *escalation);

#endif
