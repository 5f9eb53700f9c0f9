/* Starting, describing, cancelling and stopping a worker. */
#include "worker.h"

#include "clock.h"
#include "worker_pump.h"

#include "core/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const double default_grace_s = 5.0;

struct lab_worker *lab_worker_start(const struct lab_worker_options *options, struct lab_error *error)
{
    struct lab_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        lab_error_set(error, "out-of-memory", "", "No memory for a worker.");
        return NULL;
    }
    worker->grace_s = options->grace_s > 0 ? options->grace_s : default_grace_s;
    atomic_init(&worker->cancelled, false);
    atomic_init(&worker->hurry_at, INFINITY);
    atomic_init(&worker->hurry_by, INFINITY);
    worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->wake < 0) {
        lab_error_set(error, "worker-start", "", "No descriptor for a worker: %s.", strerrordesc_np(errno));
        free(worker);
        return NULL;
    }

    char devices[16];
    snprintf(devices, sizeof devices, "%u", options->host_devices > 0 ? options->host_devices : 1);
    const char *runtime = options->runtime != NULL ? options->runtime : "auto";
    const char *lock_dir = options->lock_dir != NULL ? options->lock_dir : LAB_LOCK_DIR_DEFAULT;
    const char *arguments[] = {options->path, "--runtime",  runtime,  "--host-devices",
                               devices,       "--lock-dir", lock_dir, NULL};
    if (!lab_process_start(&worker->process, options->path, (char *const *)arguments, error)) {
        close(worker->wake);
        free(worker);
        return NULL;
    }
    worker->ticking = worker->process.pidfd < 0;
    return worker;
}

json_t *lab_worker_describe(struct lab_worker *worker, double timeout_s, struct lab_error *error)
{
    double deadline = lab_clock_now() + timeout_s;
    json_t *operation = json_pack("{s:s}", "op", "describe");
    bool sent = lab_send_operation(worker, operation);
    json_decref(operation);
    if (!sent) {
        lab_error_set(error, "out-of-memory", "", "No memory to ask the worker for its devices.");
        return NULL;
    }
    for (bool ended = false;;) {
        const char *name;
        json_t *event;
        while ((event = lab_next_event(worker, &name)) != NULL) {
            if (strcmp(name, "description") == 0)
                return event;
            json_decref(event);
        }
        if (worker->broken != NULL || ended) {
            lab_explain_end(worker, error);
            return NULL;
        }
        if (isfinite(atomic_load(&worker->hurry_by))) {
            lab_error_set(error, "cancelled", "", "The worker was stopped while it looked for devices.");
            return NULL;
        }
        if (lab_clock_now() >= deadline) {
            lab_error_set(error, "worker-silent", "", "The worker did not tell its devices within %g s.", timeout_s);
            return NULL;
        }
        lab_pump(worker, worker->reader.ended ? fmin(deadline, lab_clock_now() + LAB_TICK_S) : deadline);
        ended = lab_process_ended(&worker->process);
        lab_move(worker); /* what it said before it ended */
    }
}

/* --- from other threads ------------------------------------------------------------------------------------------- */

void lab_worker_cancel(struct lab_worker *worker)
{
    atomic_store(&worker->cancelled, true);
    lab_rouse(worker);
}

void lab_worker_rearm(struct lab_worker *worker)
{
    if (isinf(atomic_load(&worker->hurry_by)))
        atomic_store(&worker->cancelled, false);
}

void lab_worker_hurry(struct lab_worker *worker, double seconds)
{
    double now = lab_clock_now();
    atomic_store(&worker->hurry_at, now);
    atomic_store(&worker->hurry_by, now + seconds);
    lab_worker_cancel(worker);
}

/* --- idling and stopping ------------------------------------------------------------------------------------------ */

bool lab_worker_alive(struct lab_worker *worker)
{
    lab_move(worker);
    const char *name;
    json_t *event;
    while ((event = lab_next_event(worker, &name)) != NULL)
        json_decref(event);
    bool ended = lab_process_ended(&worker->process);
    if (worker->stuck)
        return !ended;
    return !ended && !worker->lost && worker->broken == NULL && !worker->reader.ended;
}

long lab_worker_pid(const struct lab_worker *worker)
{
    return (long)worker->process.pid;
}

void lab_worker_log(struct lab_worker *worker, char *text, size_t size)
{
    lab_move(worker);
    lab_log_tail_text(&worker->log, text, size);
}

void lab_worker_stop(struct lab_worker *worker)
{
    if (worker == NULL)
        return;
    struct lab_escalation escalation = {LAB_STEP_NONE, 0};
    bool ended = lab_process_ended(&worker->process);
    if (!ended && !worker->stuck) {
        lab_process_close_input(&worker->process);
        lab_enter_step(worker, &escalation, worker->broken != NULL ? LAB_STEP_KILLED : LAB_STEP_ASKED);
    }
    while (!ended && !worker->stuck) {
        const char *name;
        lab_pump(worker, lab_step_deadline(worker, &escalation));
        for (json_t *event; (event = lab_next_event(worker, &name)) != NULL;)
            json_decref(event);
        ended = lab_process_ended(&worker->process);
        if (!ended)
            lab_escalate(worker, &escalation);
    }
    lab_process_close(&worker->process);
    lab_line_reader_release(&worker->reader);
    lab_line_writer_release(&worker->writer);
    lab_log_tail_release(&worker->log);
    close(worker->wake);
    free(worker);
}
