/* Supervises one run of a worker: passes its events on, enforces cancel, time limit and the limit of silence, and
 * reports how it ended. */
#include "worker_state.h"

#include "nodes/transport.h"

#include "core/clock.h"
#include "core/run_status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The run that is being supervised. */
struct supervised_run {
    const struct lab_worker_listener *listener;
    const char *id;
    double limit_s, limit_at; /* limit_at: by lab_clock_now; INFINITY: no limit */
    struct lab_escalation escalation;
    enum lab_error_code reason; /* why the run is being stopped; LAB_ERROR_NONE: the run continues */
    bool finished;              /* `finished` was received */
    bool finished_as_cancelled; /* the status in `finished` was "cancelled" */
};

/* Begins to stop the run for `reason`, unless it is being stopped already. */
static void begin_stop(struct lab_worker *worker, struct supervised_run *run, enum lab_error_code reason)
{
    if (run->reason != LAB_ERROR_NONE)
        return;
    run->reason = reason;
    lab_escalation_enter(worker, &run->escalation, LAB_STOP_REQUESTED);
    json_t *operation = json_pack("{s:s, s:s}", "op", "cancel", "run", run->id);
    lab_worker_send(worker, operation); /* when this fails, the next step is SIGTERM all the same */
    json_decref(operation);
}

/* Passes the received events to the listener, up to `finished`. */
static void deliver_events(struct lab_worker *worker, struct supervised_run *run)
{
    const char *name;
    json_t *event;
    while (!run->finished && (event = lab_worker_next_event(worker, &name)) != NULL) {
        const char *id = json_string_value(json_object_get(event, "run"));
        if (id != NULL && strcmp(id, run->id) != 0) {
            worker->violation = "sent an event about a run that it was not given";
        } else if (strcmp(name, "finished") == 0) {
            const char *status = json_string_value(json_object_get(event, "status"));
            run->finished = true;
            worker->lost = json_is_true(json_object_get(event, "lost"));
            run->finished_as_cancelled = lab_status_is(status, LAB_STATUS_CANCELLED);
        }
        if (worker->violation == NULL)
            run->listener->event(run->listener->context, name, event);
        json_decref(event);
    }
}

/* Begins to stop the run if there is a reason, and begins the next step of stopping when the current one is over. */
static void check_stop(struct lab_worker *worker, struct supervised_run *run)
{
    if (worker->violation != NULL && run->escalation.step < LAB_STOP_SIGKILL) {
        run->reason = LAB_ERROR_WORKER_PROTOCOL;
        lab_escalation_enter(worker, &run->escalation, LAB_STOP_SIGKILL);
    }
    if (atomic_load(&worker->cancelled))
        begin_stop(worker, run, LAB_ERROR_CANCELLED);
    if (lab_clock_now() >= run->limit_at)
        begin_stop(worker, run, LAB_ERROR_TIME_LIMIT);
    if (worker->reader.ended)
        begin_stop(worker, run,
                   LAB_ERROR_WORKER_PROTOCOL); /* it closed its output, so `finished` can no longer arrive */
    else if (lab_worker_silent(worker))
        begin_stop(worker, run, LAB_ERROR_WORKER_SILENT);
    lab_escalation_advance(worker, &run->escalation);
}

/* Fills *error for a run that was stopped because of its time limit or its worker's silence: why, and `how` it ended.
 * False when it was stopped for another reason. */
static bool report_limit(const struct lab_worker *worker, const struct supervised_run *run, const char *how,
                         struct lab_error *error)
{
    bool timed_out = run->reason == LAB_ERROR_TIME_LIMIT;
    bool silent = run->reason == LAB_ERROR_WORKER_SILENT;
    if (timed_out)
        lab_error_set(error, LAB_ERROR_TIME_LIMIT, "", "The run reached its time limit of %g s%s", run->limit_s, how);
    else if (silent && worker->transport != NULL)
        lab_error_set(
            error, LAB_ERROR_WORKER_SILENT, "",
            "The worker on %s sent nothing for %g s, not even a heartbeat. The machine or the network may be down.",
            lab_transport_name(worker->transport), worker->silence_s);
    else if (silent)
        lab_error_set(error, LAB_ERROR_WORKER_SILENT, "",
                      "The worker process sent nothing for %g s, not even a heartbeat%s", worker->silence_s, how);
    return timed_out || silent;
}

/* Fills *error for a run whose worker had to be ended by a signal. */
static enum lab_worker_end report_forced_stop(struct lab_worker *worker, const struct supervised_run *run,
                                              struct lab_error *error)
{
    const char *signal = run->escalation.step == LAB_STOP_SIGTERM ? "SIGTERM" : "SIGKILL";
    char how[112];
    snprintf(how, sizeof how, ". Its worker process did not react to the request to stop and was ended by %s.", signal);
    if (worker->stuck) {
        lab_error_set(
            error, LAB_ERROR_WORKER_STUCK, "",
            "The worker process %ld did not end after SIGKILL. It is blocked in the kernel, probably in the device "
            "driver. If it does not end, restart the machine.",
            (long)worker->process.pid);
        return LAB_WORKER_STUCK;
    }
    if (report_limit(worker, run, how, error))
        return LAB_WORKER_KILLED;
    if (run->reason == LAB_ERROR_CANCELLED)
        lab_error_set(error, LAB_ERROR_CANCELLED, "",
                      "The worker process did not react to the request to stop and was ended by %s.", signal);
    else if (worker->violation != NULL)
        lab_worker_explain_end(worker, error);
    else
        lab_error_set(error, LAB_ERROR_WORKER_PROTOCOL, "",
                      "The worker process closed its output before it finished and was killed.");
    return LAB_WORKER_KILLED;
}

/* Sends what lab_worker_post has left here. */
static void send_posted(struct lab_worker *worker)
{
    json_t *operation = atomic_exchange(&worker->posted, NULL);
    if (operation != NULL && !lab_worker_send(worker, operation))
        worker->violation = "could not be sent an operation, because memory ran out,";
    json_decref(operation);
}

/* Decides how the run ended and fills *error. */
static enum lab_worker_end report_end(struct lab_worker *worker, const struct supervised_run *run,
                                      struct lab_error *error)
{
    if (run->finished) {
        if (run->finished_as_cancelled)
            report_limit(worker, run, " and was stopped.", error);
        return worker->lost || worker->violation != NULL ? LAB_WORKER_FINISHED_LOST : LAB_WORKER_FINISHED;
    }
    if (run->escalation.step >= LAB_STOP_SIGTERM)
        return report_forced_stop(worker, run, error);
    lab_worker_explain_end(worker, error);
    return LAB_WORKER_DIED;
}

enum lab_worker_end lab_worker_run(struct lab_worker *worker, json_t *operation, double time_limit_s,
                                   const struct lab_worker_listener *listener, struct lab_error *error)
{
    *error = (struct lab_error){0};
    const char *id = json_string_value(json_object_get(operation, "run"));
    struct supervised_run run = {.listener = listener,
                                 .id = id != NULL ? id : "",
                                 .limit_s = time_limit_s,
                                 .limit_at = time_limit_s > 0 ? lab_clock_now() + time_limit_s : INFINITY};
    worker->heard_at = lab_clock_now();
    if (!lab_worker_send(worker, operation))
        worker->violation = "could not be sent the run, because memory ran out,";

    for (bool ended = false;;) {
        deliver_events(worker, &run);
        if (run.finished || ended)
            break;
        send_posted(worker);
        check_stop(worker, &run);
        if (worker->stuck)
            break;
        lab_worker_wait(worker, run.reason == LAB_ERROR_NONE ? fmin(run.limit_at, worker->heard_at + worker->silence_s)
                                                             : lab_escalation_deadline(worker, &run.escalation));
        ended = lab_process_ended(&worker->process);
        if (ended) { /* reads what it sent before it ended */
            deliver_events(worker, &run);
            lab_worker_transfer(worker);
        }
    }
    atomic_store(&worker->cancelled, false);
    json_decref(atomic_exchange(&worker->posted, NULL));
    return report_end(worker, &run, error);
}
