/* Streams: created, synchronized with, made to wait for an event of another stream. */
#include "device.h"
#include "entries.h"
#include "scheduler.h"

#include <stdlib.h>

struct lab_stream *lab_host_stream_create(struct lab_device *device)
{
    if (!lab_host_alive(device))
        return NULL;
    struct lab_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for a stream");
        return NULL;
    }
    stream->device = lab_host_device(device);
    stream->engine = &stream->device->engines[HOST_ENGINE_COMPUTE];
    return stream;
}

static void drain_stream(struct lab_stream *stream)
{
    lab_host_lock(stream->device);
    while (stream->state != HOST_STREAM_IDLE)
        lab_host_wait(stream->device);
    lab_host_unlock(stream->device);
}

void lab_host_stream_free(struct lab_device *device, struct lab_stream *stream)
{
    (void)device;
    if (stream == NULL)
        return;
    drain_stream(stream);
    free(stream);
}

bool lab_host_stream_synchronize(struct lab_device *device, struct lab_stream *stream)
{
    if (!lab_host_alive(device))
        return false;
    drain_stream(stream);
    return true;
}

bool lab_host_stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event)
{
    if (!lab_host_alive(device))
        return false;
    bool queued = true;
    lab_host_lock(stream->device);
    struct host_task *record = event->pending;
    if (record != NULL) {
        struct host_task *wait = lab_host_append_task(stream, &(struct host_task){.kind = &lab_host_wait_kind});
        queued = wait != NULL;
        if (queued) {
            wait->wait.next = record->record.waiters;
            record->record.waiters = wait;
        }
        lab_host_start_stream(stream);
    }
    lab_host_unlock(stream->device);
    return queued;
}
