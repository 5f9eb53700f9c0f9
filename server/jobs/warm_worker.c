/* Keeping one worker warm. */
#include "warm_worker.h"

#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The CUDA driver takes seconds to wake up on machines with many GPUs. */
static const double describe_timeout_s = 60;
/* How often an idle worker is looked after: it may have died, or have printed. */
static const double tend_interval_s = 1;

struct lab_stuck_worker {
    struct lab_worker *worker;
    json_t *ids;
    struct lab_stuck_worker *next;
};

void lab_warm_init(struct lab_warm_worker *warm, const struct lab_worker_options *options, double idle_s,
                   struct lab_devices *devices)
{
    *warm = (struct lab_warm_worker){.options = *options, .idle_s = idle_s, .devices = devices, .hurry_by = INFINITY};
    pthread_mutex_init(&warm->lock, NULL);
}

/* Makes the worker unreachable for other threads and returns it. */
static struct lab_worker *take_worker(struct lab_warm_worker *warm)
{
    pthread_mutex_lock(&warm->lock);
    struct lab_worker *worker = warm->worker;
    warm->worker = NULL;
    pthread_mutex_unlock(&warm->lock);
    return worker;
}

void lab_warm_retire(struct lab_warm_worker *warm)
{
    lab_worker_stop(take_worker(warm));
}

void lab_warm_end(struct lab_warm_worker *warm)
{
    lab_warm_retire(warm);
    while (warm->stuck != NULL) {
        struct lab_stuck_worker *stuck = warm->stuck;
        warm->stuck = stuck->next;
        lab_worker_stop(stuck->worker);
        json_decref(stuck->ids);
        free(stuck);
    }
}

void lab_warm_release(struct lab_warm_worker *warm)
{
    pthread_mutex_destroy(&warm->lock);
}

bool lab_warm_ready(struct lab_warm_worker *warm, struct lab_error *error)
{
    if (warm->worker != NULL && lab_worker_alive(warm->worker))
        return true;
    lab_warm_retire(warm);
    struct lab_worker *worker = lab_worker_start(&warm->options, error);
    if (worker == NULL)
        return false;
    pthread_mutex_lock(&warm->lock);
    warm->worker = worker;
    if (isfinite(warm->hurry_by))
        lab_worker_hurry(worker, fmax(warm->hurry_by - lab_clock_now(), 0));
    pthread_mutex_unlock(&warm->lock);

    json_t *description = lab_worker_describe(worker, describe_timeout_s, error);
    bool understood = description != NULL && lab_devices_update(warm->devices, description);
    if (description != NULL && !understood)
        lab_error_set(error, "worker-protocol", "", "The worker described its devices in a way that cannot be read.");
    json_decref(description);
    warm->idle_since = lab_clock_now();
    if (!understood)
        lab_warm_retire(warm);
    return understood;
}

/* Sets a worker aside that cannot be ended, with the devices it holds. */
static void set_aside(struct lab_warm_worker *warm, json_t *ids, const struct lab_error *error)
{
    struct lab_worker *worker = take_worker(warm);
    struct lab_stuck_worker *stuck = malloc(sizeof *stuck);
    lab_devices_condemn(warm->devices, ids, error->detail);
    fprintf(stderr, "gpulab: %s Its devices are unavailable until it ends.\n", error->detail);
    if (stuck == NULL) {
        lab_worker_stop(worker);
        return;
    }
    *stuck = (struct lab_stuck_worker){worker, json_incref(ids), warm->stuck};
    warm->stuck = stuck;
}

void lab_warm_settle(struct lab_warm_worker *warm, enum lab_worker_end end, json_t *ids, const struct lab_error *error)
{
    warm->idle_since = lab_clock_now();
    if (end == LAB_WORKER_STUCK)
        set_aside(warm, ids, error);
    else if (end != LAB_WORKER_FINISHED)
        lab_warm_retire(warm);
}

/* Frees the devices of workers that ended after all; one that two of them hold stays condemned. */
static void release_ended(struct lab_warm_worker *warm)
{
    for (struct lab_stuck_worker **link = &warm->stuck; *link != NULL;) {
        struct lab_stuck_worker *stuck = *link;
        if (lab_worker_alive(stuck->worker)) {
            link = &stuck->next;
            continue;
        }
        *link = stuck->next;
        lab_devices_condemn(warm->devices, stuck->ids, NULL);
        lab_worker_stop(stuck->worker);
        json_decref(stuck->ids);
        free(stuck);
        for (const struct lab_stuck_worker *other = warm->stuck; other != NULL; other = other->next)
            lab_devices_condemn(warm->devices, other->ids, "Another worker still hangs on it.");
    }
}

double lab_warm_tend(struct lab_warm_worker *warm)
{
    double now = lab_clock_now();
    release_ended(warm);
    if (warm->worker != NULL && (now - warm->idle_since >= warm->idle_s || !lab_worker_alive(warm->worker)))
        lab_warm_retire(warm);
    double next = warm->stuck != NULL || warm->worker != NULL ? now + tend_interval_s : INFINITY;
    return warm->worker != NULL ? fmin(next, warm->idle_since + warm->idle_s) : next;
}

void lab_warm_cancel(struct lab_warm_worker *warm)
{
    pthread_mutex_lock(&warm->lock);
    if (warm->worker != NULL)
        lab_worker_cancel(warm->worker);
    pthread_mutex_unlock(&warm->lock);
}

void lab_warm_hurry(struct lab_warm_worker *warm, double seconds)
{
    pthread_mutex_lock(&warm->lock);
    warm->hurry_by = lab_clock_now() + seconds;
    if (warm->worker != NULL)
        lab_worker_hurry(warm->worker, seconds);
    pthread_mutex_unlock(&warm->lock);
}
