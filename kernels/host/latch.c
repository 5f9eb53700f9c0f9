/* Latches. Each latch has its own engine, whose only task is to wait, so that a closed latch delays no other stream.
 * The engine's thread also enforces the time-out, so that the stream continues even if the host never opens the
 * latch. */
#include "engine.h"
#include "entries.h"
#include "scheduler.h"

#include "core/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct lab_latch {
    struct host_engine engine;
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool queued; /* the latch was closed, and its stream has not yet continued */
    bool open;   /* latch_open was called since the latch was closed */
    bool timed_out;
};

static void wait_until_open(struct host_device *device, struct host_task *task)
{
    (void)device;
    struct lab_latch *latch = task->latch.latch;
    uint64_t until_ns = lab_clock_ns() + task->latch.timeout_ns;
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000U), .tv_nsec = (long)(until_ns % 1000000000U)};
    pthread_mutex_lock(&latch->lock);
    while (!latch->open && !latch->timed_out)
        latch->timed_out = pthread_cond_timedwait(&latch->opened, &latch->lock, &until) == ETIMEDOUT && !latch->open;
    latch->queued = false;
    pthread_mutex_unlock(&latch->lock);
}

static const struct host_task_kind latch_kind = {.name = "latch", .run = wait_until_open};

struct lab_latch *lab_host_latch_create(struct lab_device *device)
{
    if (!lab_host_alive(device))
        return NULL;
    struct lab_latch *latch = calloc(1, sizeof *latch);
    if (latch == NULL) {
        lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for a latch");
        return NULL;
    }
    if (!lab_host_engine_start(&latch->engine, lab_host_device(device), "host-latch", &device->error)) {
        free(latch);
        return NULL;
    }
    lab_condition_init(&latch->opened);
    pthread_mutex_init(&latch->lock, NULL);
    return latch;
}

void lab_host_latch_free(struct lab_device *device, struct lab_latch *latch)
{
    if (latch == NULL)
        return;
    lab_host_latch_open(device, latch);
    lab_host_drain(lab_host_device(device)); /* queued tasks refer to the latch */
    lab_host_engine_stop(&latch->engine);
    pthread_cond_destroy(&latch->opened);
    pthread_mutex_destroy(&latch->lock);
    free(latch);
}

bool lab_host_latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                          double timeout_s)
{
    static const double longest_s = 1e6;
    if (!lab_host_alive(device))
        return false;
    if (!(timeout_s > 0 && timeout_s <= longest_s))
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "a latch's time-out must be above 0 and at most %g s", longest_s);
    pthread_mutex_lock(&latch->lock);
    bool was_queued = latch->queued;
    if (!was_queued) {
        latch->queued = true;
        latch->open = false;
        latch->timed_out = false;
    }
    pthread_mutex_unlock(&latch->lock);
    if (was_queued)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "the latch is already closed");
    const struct host_task task = {.kind = &latch_kind,
                                   .engine = &latch->engine,
                                   .latch = {.latch = latch, .timeout_ns = (uint64_t)(timeout_s * 1e9)}};
    bool queued = lab_host_submit(stream, &task);
    if (!queued) {
        pthread_mutex_lock(&latch->lock);
        latch->queued = false;
        pthread_mutex_unlock(&latch->lock);
    }
    return queued;
}

void lab_host_latch_open(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    pthread_mutex_lock(&latch->lock);
    latch->open = true;
    pthread_cond_signal(&latch->opened);
    pthread_mutex_unlock(&latch->lock);
}

bool lab_host_latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out)
{
    if (!lab_host_alive(device))
        return false;
    pthread_mutex_lock(&latch->lock);
    *timed_out = latch->timed_out;
    pthread_mutex_unlock(&latch->lock);
    return true;
}
