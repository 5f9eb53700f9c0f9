/* Starts, keeps, stops and sets aside the worker of a node. */
#include "warm_worker.h"

#include "nodes/transport.h"

#include "core/clock.h"
#include "core/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Initialising the CUDA driver takes seconds on machines with many GPUs. */
static const double describe_timeout_default_s = 60;
/* An idle worker is checked at this interval, because it may have died or printed something. */
static const double check_default_s = 1;

struct lab_stuck_worker {
    struct lab_worker *worker;
    json_t *ids; /* of the devices of its last run */
    struct lab_stuck_worker *next;
};

void lab_warm_init(struct lab_warm_worker *warm, const struct lab_warm_options *options, struct lab_devices *devices,
                   size_t node, struct lab_worker_counters *counters)
{
    *warm = (struct lab_warm_worker){
        .options = *options, .devices = devices, .node = node, .counters = counters, .abort_deadline = INFINITY};
    if (warm->options.check_s <= 0)
        warm->options.check_s = check_default_s;
    if (warm->options.describe_timeout_s <= 0)
        warm->options.describe_timeout_s = describe_timeout_default_s;
    pthread_mutex_init(&warm->lock, NULL);
}

/* Sets warm->worker to NULL, so that other threads can no longer use the worker, and returns the worker. */
static struct lab_worker *take_worker(struct lab_warm_worker *warm)
{
    pthread_mutex_lock(&warm->lock);
    struct lab_worker *worker = warm->worker;
    warm->worker = NULL;
    pthread_mutex_unlock(&warm->lock);
    return worker;
}

void lab_warm_stop(struct lab_warm_worker *warm)
{
    struct lab_worker *worker = take_worker(warm);
    int signal;
    if (worker != NULL && lab_worker_died(worker, &signal))
        lab_worker_counters_add_death(warm->counters, signal);
    lab_worker_stop(worker);
}

void lab_warm_sanitize(struct lab_warm_worker *warm, const char *path)
{
    lab_warm_stop(warm);
    warm->options.worker.sanitizer = path;
}

static void free_stuck(struct lab_stuck_worker *stuck)
{
    lab_worker_stop(stuck->worker);
    json_decref(stuck->ids);
    free(stuck);
}

/* Gives the machine back, where it is another one. */
static void close_transport(struct lab_warm_worker *warm)
{
    if (warm->options.worker.transport != NULL)
        lab_transport_close(warm->options.worker.transport);
}

void lab_warm_shut_down(struct lab_warm_worker *warm)
{
    lab_warm_stop(warm);
    while (warm->stuck != NULL) {
        struct lab_stuck_worker *stuck = warm->stuck;
        warm->stuck = stuck->next;
        free_stuck(stuck);
    }
    close_transport(warm);
}

void lab_warm_release(struct lab_warm_worker *warm)
{
    json_decref(warm->opened);
    pthread_mutex_destroy(&warm->lock);
}

/* Starts a worker on the node; NULL with *error when it cannot be reached or no worker can be started. */
static struct lab_worker *start(struct lab_warm_worker *warm, const json_t *ids, struct lab_error *error)
{
    struct lab_worker_options options = warm->options.worker;
    if (options.transport != NULL && !lab_transport_open(options.transport, &warm->leave, error))
        return NULL;
    options.devices = ids;
    return lab_worker_start(&options, error);
}

/* Makes a new worker the one that other threads can use. */
static void set_worker(struct lab_warm_worker *warm, struct lab_worker *worker)
{
    pthread_mutex_lock(&warm->lock);
    warm->worker = worker;
    if (isfinite(warm->abort_deadline))
        lab_worker_abort_within(worker, fmax(warm->abort_deadline - lab_clock_now(), 0));
    if (warm->cancelled)
        lab_worker_cancel(worker);
    pthread_mutex_unlock(&warm->lock);
}

/* Lets the worker list its devices, and updates the table. */
static bool describe(struct lab_warm_worker *warm, struct lab_error *error)
{
    json_t *description = lab_worker_describe(warm->worker, warm->options.describe_timeout_s, error);
    if (description != NULL && warm->opened != NULL)
        lab_devices_complete(warm->devices, warm->node, description);
    bool described = description != NULL && lab_devices_update(warm->devices, warm->node, description, error);
    json_decref(description);
    warm->idle_since = lab_clock_now();
    return described;
}

/* Starts a worker that opens the devices `ids`; NULL: all. */
static bool begin(struct lab_warm_worker *warm, const json_t *ids, struct lab_error *error)
{
    struct lab_worker *worker = start(warm, ids, error);
    lab_count(worker != NULL ? &warm->counters->starts : &warm->counters->failed_starts);
    if (worker == NULL)
        return false;
    set_worker(warm, worker);
    warm->used = false;
    json_decref(warm->opened);
    warm->opened = json_copy((json_t *)ids);
    if (describe(warm, error))
        return true;
    if (error->code != LAB_ERROR_CANCELLED)
        lab_count(&warm->counters->failed_starts);
    lab_warm_stop(warm);
    close_transport(warm);
    return false;
}

/* Whether the present worker has opened the devices. */
static bool has_opened(const struct lab_warm_worker *warm, const json_t *ids)
{
    size_t index, k;
    json_t *id, *opened;
    bool all = ids != NULL || warm->opened == NULL;
    json_array_foreach(ids, index, id)
    {
        bool found = warm->opened == NULL;
        json_array_foreach(warm->opened, k, opened)
        {
            found = found || json_equal(id, opened);
        }
        all = all && found;
    }
    return all;
}

/* The ids for the next worker: `ids`, which it must open, and those that the present worker has opened. Runs that use
 * different devices in turn then share one worker that has opened them all. A new reference; NULL: all of the node. */
static json_t *with_opened(struct lab_warm_worker *warm, const json_t *ids)
{
    json_t *both = json_copy((json_t *)ids);
    json_array_extend(both, warm->opened);
    json_t *part = ids != NULL ? lab_devices_part(warm->devices, warm->node, both) : NULL;
    json_decref(both);
    return part;
}

bool lab_warm_ensure(struct lab_warm_worker *warm, const json_t *ids, struct lab_error *error)
{
    bool alive = warm->worker != NULL && lab_worker_alive(warm->worker);
    json_t *part = lab_devices_part(warm->devices, warm->node, ids);
    bool ready = alive && has_opened(warm, part);
    if (!ready) {
        json_t *opens = alive ? with_opened(warm, part) : json_incref(part);
        lab_warm_stop(warm);
        ready = begin(warm, opens, error) ||
                (opens != NULL && error->code == LAB_ERROR_WORKER_DIED && begin(warm, NULL, error));
        json_decref(opens);
    }
    json_decref(part);
    return ready;
}

bool lab_warm_ensure_new(struct lab_warm_worker *warm, const json_t *ids, struct lab_error *error)
{
    if (warm->used)
        lab_warm_stop(warm);
    return lab_warm_ensure(warm, ids, error);
}

json_t *lab_warm_examine(struct lab_warm_worker *warm, struct lab_error *error)
{
    struct lab_transport *transport = warm->options.worker.transport;
    lab_warm_stop(warm); /* its context on a device would be found there */
    json_t *document = NULL;
    if (transport == NULL || lab_transport_open(transport, &warm->leave, error))
        document = lab_worker_examine(&warm->options.worker, &warm->leave, error);
    close_transport(warm);
    return document;
}

/* Sets aside a worker that cannot be killed, and marks its devices as unavailable. */
static void set_aside(struct lab_warm_worker *warm, json_t *ids, const struct lab_error *error)
{
    struct lab_worker *worker = take_worker(warm);
    struct lab_stuck_worker *stuck = malloc(sizeof *stuck);
    lab_devices_set_unavailable(warm->devices, ids, error->detail);
    lab_journal(LAB_SEVERITY_ERROR, "%s Its devices are unavailable until it ends.", error->detail);
    if (stuck == NULL) {
        lab_worker_stop(worker);
        return;
    }
    *stuck = (struct lab_stuck_worker){worker, json_incref(ids), warm->stuck};
    warm->stuck = stuck;
}

void lab_warm_run_ended(struct lab_warm_worker *warm, enum lab_worker_end end, json_t *ids,
                        const struct lab_error *error)
{
    warm->idle_since = lab_clock_now();
    warm->used = true;
    if (end == LAB_WORKER_STUCK)
        set_aside(warm, ids, error);
    else if (end != LAB_WORKER_FINISHED)
        lab_warm_stop(warm);
    if (end == LAB_WORKER_KILLED || end == LAB_WORKER_STUCK)
        lab_count(&warm->counters->kills);
}

/* Frees stuck workers that have ended, and makes their devices available again, except those that another stuck worker
 * uses. */
static void free_ended_stuck_workers(struct lab_warm_worker *warm)
{
    for (struct lab_stuck_worker **link = &warm->stuck; *link != NULL;) {
        struct lab_stuck_worker *stuck = *link;
        if (lab_worker_alive(stuck->worker)) {
            link = &stuck->next;
            continue;
        }
        *link = stuck->next;
        lab_devices_set_unavailable(warm->devices, stuck->ids, NULL);
        free_stuck(stuck);
        for (const struct lab_stuck_worker *other = warm->stuck; other != NULL; other = other->next)
            lab_devices_set_unavailable(warm->devices, other->ids,
                                        "Another worker process that cannot be killed still uses it.");
    }
}

double lab_warm_maintain(struct lab_warm_worker *warm)
{
    double now = lab_clock_now();
    free_ended_stuck_workers(warm);
    if (warm->worker != NULL && (now - warm->idle_since >= warm->options.idle_s || !lab_worker_alive(warm->worker))) {
        lab_warm_stop(warm);
        close_transport(warm);
    }
    double next = warm->stuck != NULL || warm->worker != NULL ? now + warm->options.check_s : INFINITY;
    return warm->worker != NULL ? fmin(next, warm->idle_since + warm->options.idle_s) : next;
}

void lab_warm_cancel(struct lab_warm_worker *warm)
{
    pthread_mutex_lock(&warm->lock);
    warm->cancelled = true;
    atomic_store(&warm->leave, true);
    if (warm->worker != NULL)
        lab_worker_cancel(warm->worker);
    pthread_mutex_unlock(&warm->lock);
}

void lab_warm_clear_cancel(struct lab_warm_worker *warm)
{
    pthread_mutex_lock(&warm->lock);
    warm->cancelled = false;
    atomic_store(&warm->leave, isfinite(warm->abort_deadline));
    if (warm->worker != NULL)
        lab_worker_clear_cancel(warm->worker);
    pthread_mutex_unlock(&warm->lock);
}

void lab_warm_post(struct lab_warm_worker *warm, json_t *operation)
{
    pthread_mutex_lock(&warm->lock);
    if (warm->worker != NULL)
        lab_worker_post(warm->worker, operation);
    else
        json_decref(operation);
    pthread_mutex_unlock(&warm->lock);
}

void lab_warm_abort_within(struct lab_warm_worker *warm, double seconds)
{
    pthread_mutex_lock(&warm->lock);
    warm->abort_deadline = lab_clock_now() + seconds;
    atomic_store(&warm->leave, true);
    if (warm->worker != NULL)
        lab_worker_abort_within(warm->worker, seconds);
    pthread_mutex_unlock(&warm->lock);
}
