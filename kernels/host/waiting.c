/* Ways to wait for a device, which all let the thread spin for a moment and then sleep. */
#include "device.h"
#include "entries.h"
#include "scheduler.h"

static bool stream_query(struct lab_device *device, struct lab_stream *stream, bool *idle)
{
    if (!lab_host_alive(device))
        return false;
    lab_host_lock(stream->device);
    *idle = stream->state == HOST_STREAM_IDLE;
    lab_host_unlock(stream->device);
    return true;
}

static bool synchronize(struct lab_device *device)
{
    if (!lab_host_alive(device))
        return false;
    lab_host_drain(lab_host_device(device));
    return true;
}

static void run_call(struct host_device *device, struct host_task *task)
{
    (void)device;
    task->call.function(task->call.context);
}

static const struct host_task_kind call_kind = {.name = "call", .run = run_call};

static bool call(struct lab_device *device, struct lab_stream *stream, void (*function)(void *context), void *context)
{
    struct host_device *host = lab_host_device(device);
    if (!lab_host_alive(device))
        return false;
    const struct host_task task = {
        .kind = &call_kind, .engine = &host->engines[HOST_ENGINE_COMPUTE], .call = {function, context}};
    return lab_host_submit(stream, &task);
}

const struct lab_runtime_waiting lab_host_waiting = {
    .stream_query = stream_query, .synchronize = synchronize, .call = call};
