/* Starts, describes, cancels and stops a worker. */
#include "worker.h"

#include "clock.h"
#include "worker_state.h"

#include "core/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const double grace_default_s = 5;
/* Several heartbeats (core/protocol.h): a worker that is short of processor time or memory is slow, but not silent. */
static const double silence_default_s = 6 * LAB_HEARTBEAT_S;

struct lab_worker *lab_worker_start(const struct lab_worker_options *options, struct lab_error *error)
{
    struct lab_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        lab_error_set(error, "out-of-memory", "", "No memory for a worker.");
        return NULL;
    }
    worker->grace_s = options->grace_s > 0 ? options->grace_s : grace_default_s;
    worker->silence_s = options->silence_s > 0 ? options->silence_s : silence_default_s;
    atomic_init(&worker->cancelled, false);
    atomic_init(&worker->abort_requested_at, INFINITY);
    atomic_init(&worker->abort_deadline, INFINITY);
    worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->wake < 0) {
        lab_error_set(error, "worker-start", "", "The worker cannot be started: no file descriptor for it (%s).",
                      strerrordesc_np(errno));
        free(worker);
        return NULL;
    }

    char devices[16];
    snprintf(devices, sizeof devices, "%u", options->host_devices > 0 ? options->host_devices : 1);
    const char *runtime = options->runtime != NULL ? options->runtime : "auto";
    const char *lock_dir = options->lock_dir != NULL ? options->lock_dir : LAB_LOCK_DIR_DEFAULT;
    /* The sanitizer would print its report to stdout, which is the protocol's. */
    const char *arguments[] = {options->sanitizer, "--tool",    "memcheck", "--log-file",     "/proc/self/fd/2",
                               options->path,      "--runtime", runtime,    "--host-devices", devices,
                               "--lock-dir",       lock_dir,    NULL};
    enum { SANITIZER_WORDS = 5 };
    const char **first = options->sanitizer != NULL ? arguments : arguments + SANITIZER_WORDS;
    int failed = lab_process_start(&worker->process, *first, (char *const *)first);
    if (failed != 0) {
        lab_error_set(error, "worker-start", "", "The worker %s cannot be started: %s.", options->path,
                      strerrordesc_np(failed));
        close(worker->wake);
        free(worker);
        return NULL;
    }
    worker->polling = worker->process.pidfd < 0;
    return worker;
}

json_t *lab_worker_describe(struct lab_worker *worker, double timeout_s, struct lab_error *error)
{
    double deadline = lab_clock_now() + timeout_s;
    json_t *operation = json_pack("{s:s}", "op", "describe");
    bool sent = lab_worker_send(worker, operation);
    json_decref(operation);
    if (!sent) {
        lab_error_set(error, "out-of-memory", "", "No memory for a request to the worker.");
        return NULL;
    }
    for (bool ended = false;;) {
        const char *name;
        json_t *event;
        while ((event = lab_worker_next_event(worker, &name)) != NULL) {
            if (strcmp(name, "description") == 0)
                return event;
            json_decref(event);
        }
        if (worker->violation != NULL || ended) {
            lab_worker_explain_end(worker, error);
            return NULL;
        }
        if (atomic_load(&worker->cancelled)) {
            lab_error_set(error, "cancelled", "", "The worker was stopped while it was listing its devices.");
            return NULL;
        }
        if (lab_clock_now() >= deadline) {
            lab_error_set(error, "worker-silent", "",
                          "The worker did not list its devices within %g s. Its device driver may hang.", timeout_s);
            return NULL;
        }
        lab_worker_wait(worker,
                        worker->reader.ended ? fmin(deadline, lab_clock_now() + LAB_POLL_INTERVAL_S) : deadline);
        ended = lab_process_ended(&worker->process);
        lab_worker_transfer(worker); /* reads what it sent before it ended */
    }
}

/* --- from other threads ------------------------------------------------------------------------------------------- */

void lab_worker_cancel(struct lab_worker *worker)
{
    atomic_store(&worker->cancelled, true);
    lab_worker_wake(worker);
}

void lab_worker_clear_cancel(struct lab_worker *worker)
{
    if (isinf(atomic_load(&worker->abort_deadline)))
        atomic_store(&worker->cancelled, false);
}

void lab_worker_abort_within(struct lab_worker *worker, double seconds)
{
    double now = lab_clock_now();
    atomic_store(&worker->abort_requested_at, now);
    atomic_store(&worker->abort_deadline, now + seconds);
    lab_worker_cancel(worker);
}

/* --- between runs, and stopping ----------------------------------------------------------------------------------- */

static void discard_events(struct lab_worker *worker)
{
    const char *name;
    for (json_t *event; (event = lab_worker_next_event(worker, &name)) != NULL;)
        json_decref(event);
}

bool lab_worker_alive(struct lab_worker *worker)
{
    lab_worker_transfer(worker);
    discard_events(worker);
    bool ended = lab_process_ended(&worker->process);
    if (worker->stuck)
        return !ended;
    return !ended && !worker->lost && worker->violation == NULL && !worker->reader.ended;
}

bool lab_worker_died(struct lab_worker *worker, int *signal)
{
    if (worker->signalled || worker->lost || !lab_process_ended(&worker->process))
        return false;
    *signal = WIFSIGNALED(worker->process.status) ? WTERMSIG(worker->process.status) : 0;
    return true;
}

void lab_worker_log(struct lab_worker *worker, char *text, size_t size)
{
    lab_worker_transfer(worker);
    lab_log_tail_text(&worker->log, text, size);
}

void lab_worker_clear_log(struct lab_worker *worker)
{
    lab_worker_transfer(worker);
    lab_log_tail_clear(&worker->log);
}

void lab_worker_stop(struct lab_worker *worker)
{
    if (worker == NULL)
        return;
    struct lab_escalation escalation = {LAB_STOP_NONE, 0};
    bool ended = lab_process_ended(&worker->process);
    if (!ended && !worker->stuck) {
        lab_process_close_input(&worker->process);
        lab_escalation_enter(worker, &escalation, worker->violation != NULL ? LAB_STOP_SIGKILL : LAB_STOP_REQUESTED);
    }
    while (!ended && !worker->stuck) {
        lab_worker_wait(worker, lab_escalation_deadline(worker, &escalation));
        discard_events(worker);
        ended = lab_process_ended(&worker->process);
        if (!ended)
            lab_escalation_advance(worker, &escalation);
    }
    lab_process_close(&worker->process);
    lab_line_reader_release(&worker->reader);
    lab_line_writer_release(&worker->writer);
    lab_log_tail_release(&worker->log);
    close(worker->wake);
    free(worker);
}
