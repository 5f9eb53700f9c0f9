/* Starts, cancels and stops a worker. */
#include "worker.h"

#include "nodes/argv.h"
#include "nodes/transport.h"
#include "worker_state.h"

#include "core/clock.h"
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

static void add_devices(struct lab_argv *words, const json_t *ids)
{
    size_t index;
    json_t *id;
    json_array_foreach(ids, index, id)
    {
        lab_argv_add(words, "--device");
        lab_argv_add(words, "%s", json_string_value(id));
    }
}

/* Puts the command line of a worker together; NULL when out of memory. */
static char **make_command(const struct lab_worker *worker, const struct lab_worker_options *options)
{
    /* The sanitizer would print its report to stdout, which is the protocol's. */
    static const char *const sanitize[] = {"--tool", "memcheck", "--log-file", "/proc/self/fd/2", NULL};
    const char *there = worker->transport != NULL ? lab_transport_worker(worker->transport) : NULL;
    struct lab_argv words = {0};
    if (options->sanitizer != NULL) {
        lab_argv_add(&words, "%s", options->sanitizer);
        lab_argv_add_all(&words, sanitize);
    }
    lab_argv_add(&words, "%s", there != NULL ? there : options->path);
    lab_argv_add(&words, "--runtime");
    lab_argv_add(&words, "%s", options->runtime != NULL ? options->runtime : "auto");
    lab_argv_add(&words, "--host-devices");
    lab_argv_add(&words, "%u", options->host_devices > 0 ? options->host_devices : 1);
    lab_argv_add(&words, "--lock-dir");
    lab_argv_add(&words, "%s", options->lock_dir != NULL ? options->lock_dir : LAB_LOCK_DIR_DEFAULT);
    add_devices(&words, options->devices);
    if (options->programs != NULL) {
        lab_argv_add(&words, "--programs");
        lab_argv_add(&words, "%s", options->programs);
    }
    if (options->program_user != NULL) {
        lab_argv_add(&words, "--program-user");
        lab_argv_add(&words, "%s", options->program_user);
    }
    if (worker->transport != NULL) {
        lab_argv_add(&words, "--silence");
        lab_argv_add(&words, "%.0f", ceil(worker->silence_s));
    }
    char **command = lab_argv_take(&words);
    if (command == NULL || worker->transport == NULL)
        return command;
    char **remote = lab_transport_command(worker->transport, (const char *const *)command);
    lab_argv_free(command);
    return remote;
}

/* Starts the process. Returns 0 or an errno value. */
static int start_process(struct lab_worker *worker, const struct lab_worker_options *options)
{
    char **command = make_command(worker, options);
    int failed = command != NULL ? lab_process_start(&worker->process, command[0], command) : ENOMEM;
    lab_argv_free(command);
    worker->polling = worker->process.pidfd < 0;
    return failed;
}

struct lab_worker *lab_worker_start(const struct lab_worker_options *options, struct lab_error *error)
{
    struct lab_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "No memory for a worker.");
        return NULL;
    }
    bool remote = options->transport != NULL && lab_transport_kind(options->transport) != LAB_TRANSPORT_LOCAL;
    worker->transport = remote ? options->transport : NULL;
    worker->beat_at = remote ? 0 : INFINITY;
    worker->heard_at = lab_clock_now();
    worker->grace_s = options->grace_s > 0 ? options->grace_s : grace_default_s;
    worker->silence_s = options->silence_s > 0 ? options->silence_s : silence_default_s;
    atomic_init(&worker->posted, NULL);
    atomic_init(&worker->cancelled, false);
    atomic_init(&worker->abort_requested_at, INFINITY);
    atomic_init(&worker->abort_deadline, INFINITY);
    worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int failed = worker->wake >= 0 ? start_process(worker, options) : errno;
    if (failed == 0)
        return worker;
    lab_error_set(error, LAB_ERROR_WORKER_START, "", "The worker %s cannot be started%s%s: %s.", options->path,
                  remote ? " by " : "", remote ? lab_transport_kind_name(lab_transport_kind(worker->transport)) : "",
                  strerrordesc_np(failed));
    if (worker->wake >= 0)
        close(worker->wake);
    free(worker);
    return NULL;
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

void lab_worker_post(struct lab_worker *worker, json_t *operation)
{
    json_decref(atomic_exchange(&worker->posted, operation));
    lab_worker_wake(worker);
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
    /* Nothing tells when another machine loses its power. */
    bool silent = worker->transport != NULL && lab_worker_silent(worker);
    return !ended && !silent && !worker->lost && worker->violation == NULL && !worker->reader.ended;
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
    if (worker->transport != NULL && worker->signalled)
        lab_transport_close(worker->transport);
    json_decref(atomic_load(&worker->posted));
    lab_process_close_descriptors(&worker->process);
    lab_line_reader_release(&worker->reader);
    lab_line_writer_release(&worker->writer);
    lab_log_tail_release(&worker->log);
    close(worker->wake);
    free(worker);
}
