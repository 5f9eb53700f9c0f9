/* Moves queued tasks to engines. */
#include "scheduler.h"

#include "device.h"

#include "core/clock.h"

#include <stdlib.h>

const struct host_task_kind lab_host_record_kind = {.name = "record"};
const struct host_task_kind lab_host_wait_kind = {.name = "wait"};

/* --- memory of tasks ---------------------------------------------------------------------------------------------- */

enum { SLAB_TASKS = 128 };

/* A block of memory for tasks. */
struct host_task_slab {
    struct host_task_slab *next;
    struct host_task tasks[SLAB_TASKS];
};

/* Allocates a block of tasks and adds them to the device's list of spare tasks. The caller holds the lock. */
static bool add_spare_tasks(struct host_device *device)
{
    struct host_task_slab *slab = calloc(1, sizeof *slab);
    if (slab == NULL)
        return lab_error_set(&device->base.error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for queued work");
    slab->next = device->slabs;
    device->slabs = slab;
    for (size_t i = 0; i < SLAB_TASKS; i++) {
        slab->tasks[i].next = device->spare_tasks;
        device->spare_tasks = &slab->tasks[i];
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
    device->spare_tasks = NULL;
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

struct host_task *lab_host_append_task(struct lab_stream *stream, const struct host_task *task)
{
    struct host_device *device = stream->device;
    if (device->spare_tasks == NULL && !add_spare_tasks(device))
        return NULL;
    struct host_task *queued = device->spare_tasks;
    device->spare_tasks = queued->next;
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
        lab_host_condition_signal(&queued->engine->wakeup, 1); /* now, so that it wakes up while more work is queued */
    return queued;
}

void lab_host_pop_task(struct lab_stream *stream)
{
    struct host_task *task = stream->head;
    stream->head = task->next;
    if (stream->head == NULL)
        stream->tail = NULL;
    task->next = stream->device->spare_tasks;
    stream->device->spare_tasks = task;
}

/* --- states ------------------------------------------------------------------------------------------------------- */

/* Inserts the stream into the engine's list of ready streams. The caller holds the lock. */
static void make_ready(struct host_engine *engine, struct lab_stream *stream)
{
    struct lab_stream **place = &engine->ready;
    while (*place != NULL && (*place)->head->order < stream->head->order)
        place = &(*place)->next_ready;
    stream->next_ready = *place;
    *place = stream;
    lab_host_condition_signal(&engine->wakeup, 1);
}

/* Completes the record at a stream's head: sets the time of its event and schedules the streams that wait for it. The
 * caller holds the lock. */
static void complete_record(struct host_task *record, uint64_t stamp_ns)
{
    struct lab_event *event = record->record.event;
    for (struct host_task *wait = record->record.waiters, *next; wait != NULL; wait = next) {
        next = wait->wait.next; /* read now, because scheduling may remove the wait from its stream */
        wait->wait.over = true;
        if (wait->stream->state == HOST_STREAM_BLOCKED && wait->stream->head == wait)
            lab_host_schedule(wait->stream, false);
    }
    event->queued--;
    if (event->pending == record) {
        event->pending = NULL;
        event->stamp_ns = stamp_ns;
        lab_host_condition_signal(&event->device->changed, SIZE_MAX);
    }
    if (event->released && event->queued == 0)
        free(event);
}

void lab_host_complete_records(struct lab_stream *stream, uint64_t stamp_ns)
{
    while (stream->head != NULL && stream->head->kind == &lab_host_record_kind) {
        complete_record(stream->head, stamp_ns);
        lab_host_pop_task(stream);
    }
}

/* The engine of the task after the records at the stream's head; NULL when a wait or nothing follows them. */
static struct host_engine *engine_after_records(const struct lab_stream *stream)
{
    const struct host_task *task = stream->head;
    while (task != NULL && task->kind == &lab_host_record_kind)
        task = task->next;
    return task != NULL ? task->engine : NULL;
}

/* Whether records at the head complete now, or later on the thread of the engine that takes the stream next. Records
 * directly after work are completed by that work's engine (engine.c). Other records are completed by the engine of the
 * work that follows them, `next`, if that engine is idle: their time is then the time at which the work begins, without
 * the time that the engine's thread takes to wake up. They complete now if that engine is busy. If no work follows,
 * they complete now too, unless the stream was idle: then the caller may still be queueing the work that follows. */
static bool complete_now(const struct lab_stream *stream, const struct host_engine *next, bool was_idle)
{
    const struct host_engine *engine = next != NULL ? next : stream->engine;
    bool busy = engine->working || engine->ready != NULL;
    return busy || (next == NULL && !was_idle);
}

/* Removes waits that are over, and records that complete now, from the stream's head. Returns false when the head is a
 * wait that is not over. */
static bool remove_completed_marks(struct lab_stream *stream, bool was_idle)
{
    while (stream->head != NULL) {
        if (stream->head->kind == &lab_host_wait_kind) {
            if (!stream->head->wait.over)
                return false;
            lab_host_pop_task(stream);
        } else if (stream->head->kind == &lab_host_record_kind &&
                   complete_now(stream, engine_after_records(stream), was_idle)) {
            lab_host_complete_records(stream, lab_clock_ns());
        } else {
            break;
        }
    }
    return true;
}

void lab_host_schedule(struct lab_stream *stream, bool was_idle)
{
    stream->state = HOST_STREAM_RUNNING; /* so that completing a record here does not schedule this stream again */
    if (!remove_completed_marks(stream, was_idle)) {
        stream->state = HOST_STREAM_BLOCKED;
    } else if (stream->head != NULL) {
        struct host_engine *next = engine_after_records(stream);
        stream->state = HOST_STREAM_READY;
        make_ready(next != NULL ? next : stream->engine, stream);
    } else {
        stream->state = HOST_STREAM_IDLE;
        stream->device->busy_streams--;
        lab_host_condition_signal(&stream->device->changed, SIZE_MAX);
    }
}

void lab_host_start_stream(struct lab_stream *stream)
{
    if (stream->state != HOST_STREAM_IDLE || stream->head == NULL)
        return;
    stream->device->busy_streams++;
    lab_host_schedule(stream, true);
}

bool lab_host_submit(struct lab_stream *stream, const struct host_task *task)
{
    lab_host_lock(stream->device);
    bool queued = lab_host_append_task(stream, task) != NULL;
    lab_host_start_stream(stream);
    lab_host_unlock(stream->device);
    return queued;
}
