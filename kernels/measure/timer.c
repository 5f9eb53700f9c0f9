/* Creates and releases timers. */
#include "measure/timer.h"

#include <stdlib.h>

static void release(struct lab_timer *timer)
{
    struct lab_device *device = timer->device;
    const struct lab_runtime *runtime = device->runtime;
    runtime->event_free(device, timer->latch_opened);
    runtime->event_free(device, timer->load_started);
    runtime->event_free(device, timer->start);
    runtime->event_free(device, timer->stop);
    runtime->event_free(device, timer->load_ended);
    for (size_t i = 0; i < timer->join_count; i++)
        runtime->event_free(timer->joins[i].device, timer->joins[i].event);
    free(timer->joins);
    runtime->latch_free(device, timer->latch);
    runtime->stream_free(device, timer->control);
    free(timer);
}

static struct lab_timer *create(struct lab_device *device)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL) {
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a timer");
        return NULL;
    }
    timer->device = device;
    bool good = (timer->latch = runtime->latch_create(device)) != NULL &&
                (timer->control = runtime->stream_create(device)) != NULL &&
                (timer->latch_opened = runtime->event_create(device)) != NULL &&
                (timer->load_started = runtime->event_create(device)) != NULL &&
                (timer->start = runtime->event_create(device)) != NULL &&
                (timer->stop = runtime->event_create(device)) != NULL &&
                (timer->load_ended = runtime->event_create(device)) != NULL;
    if (good)
        return timer;
    release(timer);
    return NULL;
}

struct lab_timer *lab_timers_get(struct lab_timers *timers, const struct lab_work *work)
{
    struct lab_device *device = work->lanes[0].device;
    for (size_t i = 0; i < timers->count; i++)
        if (timers->items[i]->device == device)
            return timers->items[i];
    struct lab_timer *timer = create(device);
    if (timer != NULL)
        timers->items[timers->count++] = timer;
    return timer;
}

void lab_timers_release(struct lab_timers *timers)
{
    for (size_t i = 0; i < timers->count; i++)
        release(timers->items[i]);
    *timers = (struct lab_timers){0};
}

/* An event from earlier work is used again if it belongs to the same device. */
bool lab_timer_create_joins(struct lab_timer *timer, const struct lab_work *work)
{
    const struct lab_runtime *runtime = timer->device->runtime;
    size_t needed = work->lane_count - 1;
    if (needed > timer->join_count) {
        struct join *joins = realloc(timer->joins, needed * sizeof *joins);
        if (joins == NULL)
            return lab_error_set(&timer->device->error, LAB_ERROR_OUT_OF_MEMORY, "",
                                 "out of memory for the events of the streams");
        timer->joins = joins;
        while (timer->join_count < needed)
            joins[timer->join_count++] = (struct join){timer->device, NULL};
    }
    for (size_t i = 0; i < needed; i++) {
        struct join *join = &timer->joins[i];
        struct lab_device *device = work->lanes[i + 1].device;
        if (join->event != NULL && join->device == device)
            continue;
        runtime->event_free(join->device, join->event);
        *join = (struct join){device, runtime->event_create(device)};
        if (join->event == NULL) {
            timer->device->error = device->error;
            return false;
        }
    }
    return true;
}
