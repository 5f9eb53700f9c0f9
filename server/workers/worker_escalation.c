/* Stopping a worker in steps: request, SIGTERM, SIGKILL. Each step lasts one grace, less after
 * lab_worker_abort_within. */
#include "worker_state.h"

#include "core/clock.h"

#include <math.h>
#include <signal.h>

static const struct {
    int signal;         /* sent when the step begins; 0: none */
    double abort_share; /* after lab_worker_abort_within, the step ends when this share of its time has passed */
} steps[] = {
    [LAB_STOP_NONE] = {0, 1.0},          [LAB_STOP_REQUESTED] = {0, 0.5}, [LAB_STOP_SIGTERM] = {SIGTERM, 0.8},
    [LAB_STOP_SIGKILL] = {SIGKILL, 1.0}, [LAB_STOP_FAILED] = {0, 1.0},
};

void lab_escalation_enter(struct lab_worker *worker, struct lab_escalation *escalation, enum lab_stop_step step)
{
    escalation->step = step;
    escalation->since = lab_clock_now();
    if (steps[step].signal == 0)
        return;
    worker->signalled = true;
    lab_process_signal(&worker->process, steps[step].signal);
}

double lab_escalation_deadline(const struct lab_worker *worker, const struct lab_escalation *escalation)
{
    if (escalation->step == LAB_STOP_NONE)
        return INFINITY;
    double deadline = escalation->since + worker->grace_s;
    double abort_deadline = atomic_load(&worker->abort_deadline);
    if (isfinite(abort_deadline)) {
        double requested_at = atomic_load(&worker->abort_requested_at);
        deadline = fmin(deadline, requested_at + steps[escalation->step].abort_share * (abort_deadline - requested_at));
    }
    return deadline;
}

void lab_escalation_advance(struct lab_worker *worker, struct lab_escalation *escalation)
{
    if (escalation->step != LAB_STOP_FAILED && lab_clock_now() >= lab_escalation_deadline(worker, escalation))
        lab_escalation_enter(worker, escalation, escalation->step + 1);
    if (escalation->step == LAB_STOP_FAILED)
        worker->stuck = true;
}
