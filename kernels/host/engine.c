/* The thread of an engine. */
#include "engine.h"

#include "scheduler.h"
#include "thread.h"
#include "trace.h"

#include "core/clock.h"

/* Removes and returns the ready stream whose head was queued first; NULL when none is ready. The caller holds the
 * lock. */
static struct lab_stream *take_stream(struct host_engine *engine)
{
    struct lab_stream *stream = engine->ready;
    if (stream != NULL)
        engine->ready = stream->next_ready;
    return stream;
}

/* Runs the task at the head of the stream and removes it. The caller holds the lock, which is released while the task
 * runs. */
static void run_head(struct host_engine *engine, struct lab_stream *stream)
{
    struct host_task *task = stream->head;
    stream->state = HOST_STREAM_RUNNING;
    engine->working = true;
    if (engine->permanent)
        stream->engine = engine;
    bool traced =
        stream->device->trace != NULL; /* still valid afterwards, because a trace ends only on an idle device */
    lab_host_unlock(engine->device);
    uint64_t start_ns = traced ? lab_clock_ns() : 0;
    lab_host_fault_trigger(task->fault);
    task->kind->run(stream->device, task);
    uint64_t end_ns = lab_clock_ns();
    lab_host_lock(engine->device);
    if (traced)
        lab_host_trace_add(stream->device->trace, task, start_ns, end_ns);
    engine->working = false;
    engine->queued--;
    lab_host_pop_task(stream);
    lab_host_complete_records(stream, end_ns);
}

static void *run_engine(void *context)
{
    struct host_engine *engine = context;
    struct host_machine *machine = engine->device->machine;
    lab_host_lock(engine->device);
    for (;;) {
        struct lab_stream *stream = take_stream(engine);
        if (stream != NULL) {
            lab_host_complete_records(stream, lab_clock_ns());
            if (stream->head != NULL && stream->head->engine == engine)
                run_head(engine, stream);
            lab_host_schedule(stream, false);
        } else if (engine->stopping) {
            break;
        } else {
            lab_host_condition_wait(&engine->wakeup, &machine->lock,
                                    engine->queued > 0 ? machine->busy_spin_ns : machine->idle_spin_ns);
        }
    }
    lab_host_unlock(engine->device);
    return NULL;
}

bool lab_host_engine_start(struct host_engine *engine, struct host_device *device, const char *name,
                           struct lab_error *error)
{
    *engine = (struct host_engine){.device = device};
    lab_host_condition_init(&engine->wakeup);
    if (lab_host_thread_start(&engine->thread, name, device->cores, run_engine, engine, error))
        return true;
    lab_host_condition_release(&engine->wakeup);
    return false;
}

void lab_host_engine_stop(struct host_engine *engine)
{
    lab_host_lock(engine->device);
    engine->stopping = true;
    lab_host_condition_signal(&engine->wakeup, 1);
    lab_host_unlock(engine->device);
    pthread_join(engine->thread, NULL);
    lab_host_condition_release(&engine->wakeup);
}
