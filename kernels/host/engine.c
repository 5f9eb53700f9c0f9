/* Engines: threads that take up streams, pass what marks they find at the head and run one piece of work of theirs. */
#include "internal.h"

/* Lock held. The stream whose head was queued first, or NULL. */
static struct lab_stream *take(struct host_engine *engine)
{
    struct lab_stream *stream = engine->ready;
    if (stream != NULL)
        engine->ready = stream->next_ready;
    return stream;
}

/* Lock held, given up while working. */
static void run_head(struct host_engine *engine, struct lab_stream *stream)
{
    struct host_task *task = stream->head;
    stream->state = HOST_STREAM_RUNNING;
    engine->working = true;
    if (engine->lasting)
        stream->engine = engine;
    bool traced = stream->device->trace != NULL; /* it does not end before the device is idle */
    lab_host_unlock(engine->device);
    uint64_t start_ns = traced ? lab_host_now_ns() : 0;
    lab_host_fault_strike(task->fault);
    task->kind->run(stream->device, task);
    uint64_t end_ns = lab_host_now_ns();
    lab_host_lock(engine->device);
    if (traced)
        lab_host_trace_add(stream->device->trace, task, start_ns, end_ns);
    engine->working = false;
    engine->queued--;
    lab_host_pop(stream);
    lab_host_pass_records(stream, end_ns);
}

static void *serve(void *context)
{
    struct host_engine *engine = context;
    struct host_machine *machine = engine->device->machine;
    lab_host_lock(engine->device);
    for (;;) {
        struct lab_stream *stream = take(engine);
        if (stream != NULL) {
            lab_host_pass_records(stream, lab_host_now_ns());
            if (stream->head != NULL && stream->head->engine == engine)
                run_head(engine, stream);
            lab_host_advance(stream, false);
        } else if (engine->stopping) {
            break;
        } else {
            lab_host_doorbell_wait(&engine->doorbell, &machine->lock,
                                   engine->queued > 0 ? machine->expectant_ns : machine->awake_ns);
        }
    }
    lab_host_unlock(engine->device);
    return NULL;
}

bool lab_host_engine_start(struct host_engine *engine, struct host_device *device, const char *name,
                           struct lab_error *error)
{
    *engine = (struct host_engine){.device = device};
    lab_host_doorbell_init(&engine->doorbell);
    if (lab_host_thread_start(&engine->thread, name, device->cores, serve, engine, error))
        return true;
    lab_host_doorbell_destroy(&engine->doorbell);
    return false;
}

void lab_host_engine_stop(struct host_engine *engine)
{
    lab_host_lock(engine->device);
    engine->stopping = true;
    lab_host_doorbell_ring(&engine->doorbell, 1);
    lab_host_unlock(engine->device);
    pthread_join(engine->thread, NULL);
    lab_host_doorbell_destroy(&engine->doorbell);
}

void lab_host_engine_offer(struct host_engine *engine, struct lab_stream *stream)
{
    struct lab_stream **place = &engine->ready;
    while (*place != NULL && (*place)->head->order < stream->head->order)
        place = &(*place)->next_ready;
    stream->next_ready = *place;
    *place = stream;
    lab_host_doorbell_ring(&engine->doorbell, 1);
}
