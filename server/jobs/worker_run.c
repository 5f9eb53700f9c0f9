/* One run of a worker: its events handed on, its cancel and its time limit kept, and every way in which it can end
 * told. */
#include "worker_pump.h"

#include "clock.h"

#include <math.h>
#include <string.h>

/* The course of one run. */
struct course {
    const struct lab_worker_listener *listener;
    const char *run; /* its id, for the cancel operation */
    double limit_s, limit_at;
    struct lab_escalation escalation;
    const char *reason; /* why it is being stopped: a code; NULL while it is not */
    bool finished, said_cancelled;
};

/* Begins to stop the run for `reason`, unless that has begun already. */
static void stop_for(struct lab_worker *worker, struct course *course, const char *reason)
{
    if (course->reason != NULL)
        return;
    course->reason = reason;
    lab_enter_step(worker, &course->escalation, LAB_STEP_ASKED);
    json_t *operation = json_pack("{s:s, s:s}", "op", "cancel", "run", course->run);
    lab_send_operation(worker, operation); /* were it not sent, SIGTERM follows */
    json_decref(operation);
}

/* Hands on what has come in, up to `finished`. */
static void take_events(struct lab_worker *worker, struct course *course)
{
    const char *name;
    json_t *event;
    while (!course->finished && (event = lab_next_event(worker, &name)) != NULL) {
        const char *run = json_string_value(json_object_get(event, "run"));
        if (run != NULL && strcmp(run, course->run) != 0) {
            worker->broken = "spoke of a run that it was not given";
        } else if (strcmp(name, "finished") == 0) {
            const char *status = json_string_value(json_object_get(event, "status"));
            course->finished = true;
            worker->lost = json_is_true(json_object_get(event, "lost"));
            course->said_cancelled = status != NULL && strcmp(status, "cancelled") == 0;
        }
        if (worker->broken == NULL)
            course->listener->event(course->listener->context, name, event);
        json_decref(event);
    }
}

/* Looks for a reason to stop, and stops by the next step when the present one had its time. */
static void consider_stopping(struct lab_worker *worker, struct course *course)
{
    if (worker->broken != NULL && course->escalation.step < LAB_STEP_KILLED) {
        course->reason = "worker-protocol";
        lab_enter_step(worker, &course->escalation, LAB_STEP_KILLED);
    }
    if (atomic_load(&worker->cancelled))
        stop_for(worker, course, "cancelled");
    if (lab_clock_now() >= course->limit_at)
        stop_for(worker, course, "time-limit");
    if (worker->reader.ended)
        stop_for(worker, course, "worker-protocol"); /* closed its output: nothing can follow */
    lab_escalate(worker, &course->escalation);
}

/* What became of a run whose worker was stopped by us. */
static enum lab_worker_end explain_stop(struct lab_worker *worker, const struct course *course, struct lab_error *error)
{
    const char *by = course->escalation.step == LAB_STEP_TERMINATED ? "SIGTERM" : "SIGKILL";
    if (worker->stuck) {
        lab_error_set(error, "worker-stuck", "",
                      "The worker (process %ld) does not end, not even by SIGKILL: it hangs in the driver.",
                      (long)worker->process.pid);
        return LAB_WORKER_STUCK;
    }
    if (strcmp(course->reason, "time-limit") == 0)
        lab_error_set(
            error, "time-limit", "",
            "The run was stopped at its time limit of %g s; its worker did not stop when asked and was ended by %s.",
            course->limit_s, by);
    else if (strcmp(course->reason, "cancelled") == 0)
        lab_error_set(error, "cancelled", "", "The worker did not stop when asked and was ended by %s.", by);
    else if (worker->broken != NULL)
        lab_explain_end(worker, error);
    else
        lab_error_set(error, "worker-protocol", "", "The worker closed its output before it finished, and was ended.");
    return LAB_WORKER_KILLED;
}

static enum lab_worker_end conclude(struct lab_worker *worker, const struct course *course, struct lab_error *error)
{
    if (course->finished) {
        if (course->said_cancelled && course->reason != NULL && strcmp(course->reason, "time-limit") == 0)
            lab_error_set(error, "time-limit", "", "The run was stopped at its time limit of %g s.", course->limit_s);
        return worker->lost || worker->broken != NULL ? LAB_WORKER_FINISHED_LOST : LAB_WORKER_FINISHED;
    }
    if (course->escalation.step >= LAB_STEP_TERMINATED)
        return explain_stop(worker, course, error);
    lab_explain_end(worker, error);
    return LAB_WORKER_DIED;
}

enum lab_worker_end lab_worker_run(struct lab_worker *worker, json_t *operation, double time_limit_s,
                                   const struct lab_worker_listener *listener, struct lab_error *error)
{
    *error = (struct lab_error){0};
    const char *run = json_string_value(json_object_get(operation, "run"));
    struct course course = {.listener = listener,
                            .run = run != NULL ? run : "",
                            .limit_s = time_limit_s,
                            .limit_at = time_limit_s > 0 ? lab_clock_now() + time_limit_s : INFINITY};
    if (!lab_send_operation(worker, operation))
        worker->broken = "could not be told what to run: no memory";

    for (bool ended = false;;) {
        take_events(worker, &course);
        if (course.finished || ended)
            break;
        consider_stopping(worker, &course);
        if (worker->stuck)
            break;
        lab_pump(worker, course.reason == NULL ? course.limit_at : lab_step_deadline(worker, &course.escalation));
        ended = lab_process_ended(&worker->process);
        if (ended) { /* what it said before */
            take_events(worker, &course);
            lab_move(worker);
        }
    }
    atomic_store(&worker->cancelled, false);
    return conclude(worker, &course, error);
}
