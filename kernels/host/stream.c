/* Streams: queues of tasks, and the rules by which a stream goes from engine to engine. */
#include "internal.h"

#include <stdlib.h>

enum { SLAB_TASKS = 128 };

struct host_task_slab {
    struct host_task_slab *next;
    struct host_task tasks[SLAB_TASKS];
};

static const struct host_task_kind wait_kind = {.name = "wait"};

/* Lock held. */
static bool grow_spare(struct host_device *device)
{
    struct host_task_slab *slab = calloc(1, sizeof *slab);
    if (slab == NULL)
        return lab_error_set(&device->base.error, "insufficient-memory", "", "no memory to queue more work");
    slab->next = device->slabs;
    device->slabs = slab;
    for (size_t i = 0; i < SLAB_TASKS; i++) {
        slab->tasks[i].next = device->spare;
        device->spare = &slab->tasks[i];
    }
    return true;
}

void lab_host_release_tasks(struct host_device *device)
{
    while (device->slabs != NULL) {
        struct host_task_slab *slab = device->slabs;
        device->slabs = slab->next;
        free(slab);
    }
    device->spare = NULL;
}

struct host_task *lab_host_append(struct lab_stream *stream, const struct host_task *task)
{
    struct host_device *device = stream->device;
    if (device->spare == NULL && !grow_spare(device))
        return NULL;
    struct host_task *queued = device->spare;
    device->spare = queued->next;
    *queued = *task;
    queued->next = NULL;
    queued->stream = stream;
    queued->order = device->machine->order++;
    if (stream->tail != NULL)
        stream->tail->next = queued;
    else
        stream->head = queued;
    stream->tail = queued;
    if (queued->engine != NULL && queued->engine->queued++ == 0)
        lab_host_doorbell_ring(&queued->engine->doorbell, 1); /* its thread wakes up while the rest is queued */
    return queued;
}

void lab_host_set_off(struct lab_stream *stream)
{
    if (stream->state != HOST_STREAM_IDLE || stream->head == NULL)
        return;
    stream->device->busy++;
    lab_host_advance(stream, true);
}

bool lab_host_submit(struct lab_stream *stream, const struct host_task *task)
{
    lab_host_lock(stream->device);
    bool queued = lab_host_append(stream, task) != NULL;
    lab_host_set_off(stream);
    lab_host_unlock(stream->device);
    return queued;
}

void lab_host_pop(struct lab_stream *stream)
{
    struct host_task *task = stream->head;
    stream->head = task->next;
    if (stream->head == NULL)
        stream->tail = NULL;
    task->next = stream->device->spare;
    stream->device->spare = task;
}

void lab_host_pass_records(struct lab_stream *stream, uint64_t stamp_ns)
{
    while (stream->head != NULL && stream->head->kind == &lab_host_record_kind) {
        lab_host_record_pass(stream->head, stamp_ns);
        lab_host_pop(stream);
    }
}

/* The engine of the work that is queued behind the records at the head, NULL when there is none. */
static struct host_engine *engine_behind_records(const struct lab_stream *stream)
{
    const struct host_task *task = stream->head;
    while (task != NULL && task->kind == &lab_host_record_kind)
        task = task->next;
    return task != NULL ? task->engine : NULL;
}

/* Records directly behind work are passed by its engine when it is done (engine.c). Others are left to the engine that
 * will do what is behind them, if that is at leisure: their time is then when it really begins, and not earlier by its
 * thread's wake-up. Where that engine is busy, or nothing is to begin, records pass at once; on a stream that was idle,
 * what is to begin may still be on its way. */
static bool passes_now(const struct lab_stream *stream, const struct host_engine *behind, bool was_idle)
{
    const struct host_engine *engine = behind != NULL ? behind : stream->engine;
    bool busy = engine->working || engine->ready != NULL;
    return busy || (behind == NULL && !was_idle);
}

/* Takes waits that are met and records that pass now off the stream's head. False when a wait is not met. */
static bool pass_marks(struct lab_stream *stream, bool was_idle)
{
    while (stream->head != NULL) {
        if (stream->head->kind == &wait_kind) {
            if (!stream->head->wait.met)
                return false;
            lab_host_pop(stream);
        } else if (stream->head->kind == &lab_host_record_kind &&
                   passes_now(stream, engine_behind_records(stream), was_idle)) {
            lab_host_pass_records(stream, lab_host_now_ns());
        } else {
            break;
        }
    }
    return true;
}

void lab_host_advance(struct lab_stream *stream, bool was_idle)
{
    stream->state = HOST_STREAM_RUNNING; /* meanwhile: a record passed here must not bring another thread to it */
    if (!pass_marks(stream, was_idle)) {
        stream->state = HOST_STREAM_PARKED;
    } else if (stream->head != NULL) {
        struct host_engine *behind = engine_behind_records(stream);
        stream->state = HOST_STREAM_READY;
        lab_host_engine_offer(behind != NULL ? behind : stream->engine, stream);
    } else {
        stream->state = HOST_STREAM_IDLE;
        stream->device->busy--;
        lab_host_doorbell_ring(&stream->device->doorbell, SIZE_MAX);
    }
}

struct lab_stream *lab_host_stream_create(struct lab_device *device)
{
    if (!lab_host_alive(device))
        return NULL;
    struct lab_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        lab_error_set(&device->error, "insufficient-memory", "", "no memory for another stream");
        return NULL;
    }
    stream->device = lab_host_device(device);
    stream->engine = &stream->device->engines[HOST_ENGINE_COMPUTE];
    return stream;
}

void lab_host_drain(struct host_device *device)
{
    lab_host_lock(device);
    while (device->busy > 0)
        lab_host_wait(device);
    lab_host_unlock(device);
}

static void drain_stream(struct lab_stream *stream)
{
    lab_host_lock(stream->device);
    while (stream->state != HOST_STREAM_IDLE)
        lab_host_wait(stream->device);
    lab_host_unlock(stream->device);
}

void lab_host_stream_release(struct lab_device *device, struct lab_stream *stream)
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
        struct host_task *wait = lab_host_append(stream, &(struct host_task){.kind = &wait_kind});
        queued = wait != NULL;
        if (queued) {
            wait->wait.next = record->record.waiters;
            record->record.waiters = wait;
        }
        lab_host_set_off(stream);
    }
    lab_host_unlock(stream->device);
    return queued;
}
