/* Events: points in streams, stamped by the thread of the engine that reaches them. */
#include "internal.h"

#include <stdlib.h>

const struct host_task_kind lab_host_record_kind = {.name = "record"};

void lab_host_record_pass(struct host_task *record, uint64_t stamp_ns)
{
    struct lab_event *event = record->record.event;
    for (struct host_task *wait = record->record.waiters, *next; wait != NULL; wait = next) {
        next = wait->wait.next; /* advancing gives the wait's task back */
        wait->wait.met = true;
        if (wait->stream->state == HOST_STREAM_PARKED && wait->stream->head == wait)
            lab_host_advance(wait->stream, false);
    }
    event->queued--;
    if (event->pending == record) {
        event->pending = NULL;
        event->stamp_ns = stamp_ns;
        lab_host_doorbell_ring(&event->device->doorbell, SIZE_MAX);
    }
    if (event->released && event->queued == 0)
        free(event);
}

struct lab_event *lab_host_event_create(struct lab_device *device)
{
    if (!lab_host_alive(device))
        return NULL;
    struct lab_event *event = calloc(1, sizeof *event);
    if (event == NULL) {
        lab_error_set(&device->error, "insufficient-memory", "", "no memory for another event");
        return NULL;
    }
    event->device = lab_host_device(device);
    return event;
}

void lab_host_event_release(struct lab_device *device, struct lab_event *event)
{
    if (event == NULL)
        return;
    lab_host_lock(lab_host_device(device));
    event->released = true;
    bool unused = event->queued == 0;
    lab_host_unlock(lab_host_device(device));
    if (unused)
        free(event);
}

bool lab_host_event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream)
{
    if (!lab_host_alive(device))
        return false;
    if (event->device != stream->device)
        return lab_error_set(&device->error, "invalid-argument", "",
                             "an event is recorded on streams of its own device");
    lab_host_lock(stream->device);
    struct host_task *queued =
        lab_host_append(stream, &(struct host_task){.kind = &lab_host_record_kind, .record = {.event = event}});
    if (queued != NULL) {
        event->pending = queued;
        event->recorded = true;
        event->queued++;
    }
    lab_host_set_off(stream);
    lab_host_unlock(stream->device);
    return queued != NULL;
}

bool lab_host_event_synchronize(struct lab_device *device, struct lab_event *event)
{
    if (!lab_host_alive(device))
        return false;
    lab_host_lock(event->device);
    while (event->pending != NULL)
        lab_host_wait(event->device);
    lab_host_unlock(event->device);
    return true;
}

bool lab_host_event_query(struct lab_device *device, struct lab_event *event, bool *passed)
{
    if (!lab_host_alive(device))
        return false;
    lab_host_lock(event->device);
    *passed = event->pending == NULL;
    lab_host_unlock(event->device);
    return true;
}

bool lab_host_event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop, double *seconds)
{
    if (!lab_host_alive(device))
        return false;
    if (start->device != stop->device)
        return lab_error_set(&device->error, "invalid-argument", "", "events of two devices cannot be subtracted");
    lab_host_lock(start->device);
    bool passed = start->recorded && stop->recorded && start->pending == NULL && stop->pending == NULL;
    uint64_t start_ns = start->stamp_ns;
    uint64_t stop_ns = stop->stamp_ns;
    lab_host_unlock(start->device);
    if (!passed)
        return lab_error_set(&device->error, "not-ready", "",
                             "both events must have passed before they are subtracted");
    *seconds = ((double)stop_ns - (double)start_ns) / 1e9;
    return true;
}
