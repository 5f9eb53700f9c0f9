/* Events: created, recorded in a stream, waited for; the time between two. */
#include "device.h"
#include "entries.h"
#include "scheduler.h"

#include <stdlib.h>

struct lab_event *lab_host_event_create(struct lab_device *device)
{
    if (!lab_host_alive(device))
        return NULL;
    struct lab_event *event = calloc(1, sizeof *event);
    if (event == NULL) {
        lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for an event");
        return NULL;
    }
    event->device = lab_host_device(device);
    return event;
}

void lab_host_event_free(struct lab_device *device, struct lab_event *event)
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
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "an event can only be recorded on a stream of its own device");
    lab_host_lock(stream->device);
    struct host_task *queued =
        lab_host_append_task(stream, &(struct host_task){.kind = &lab_host_record_kind, .record = {.event = event}});
    if (queued != NULL) {
        event->pending = queued;
        event->recorded = true;
        event->queued++;
    }
    lab_host_start_stream(stream);
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
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "the time between events of two different devices is not defined");
    lab_host_lock(start->device);
    bool complete = start->recorded && stop->recorded && start->pending == NULL && stop->pending == NULL;
    uint64_t start_ns = start->stamp_ns;
    uint64_t stop_ns = stop->stamp_ns;
    lab_host_unlock(start->device);
    if (!complete)
        return lab_error_set(&device->error, LAB_ERROR_NOT_READY, "",
                             "both events must have completed before the time between them is read");
    *seconds = ((double)stop_ns - (double)start_ns) / 1e9;
    return true;
}
