/* Found out by trying. */
#include "blocking.h"

#include "measure/sampling.h"

static const double held_s = 0.5; /* queueing takes milliseconds */

struct trial {
    const struct lab_work *work;
    struct lab_latch *latch;
    struct lab_stream *control; /* carries the latch */
    struct lab_event *gate;     /* passes when the latch opens */
};

static bool lanes_wait(const struct trial *trial)
{
    const struct lab_lane *lanes = trial->work->lanes;
    for (size_t i = 0; i < trial->work->lane_count; i++)
        if (!lanes[i].device->runtime->stream_wait(lanes[i].device, lanes[i].stream, trial->gate)) {
            lanes[0].device->error = lanes[i].device->error;
            return false;
        }
    return true;
}

static bool enqueue(const struct trial *trial, size_t repetitions)
{
    for (size_t i = 0; i < repetitions; i++)
        if (!trial->work->enqueue(trial->work->context))
            return false;
    return true;
}

static bool try_it(const struct trial *trial, size_t repetitions, bool *block)
{
    struct lab_device *device = trial->work->lanes[0].device;
    const struct lab_runtime *runtime = device->runtime;
    if (!runtime->latch_close(device, trial->latch, trial->control, held_s))
        return false;
    bool queued =
        runtime->event_record(device, trial->gate, trial->control) && lanes_wait(trial) && enqueue(trial, repetitions);
    runtime->latch_open(device, trial->latch);
    return queued && lab_work_synchronize(trial->work) && runtime->stream_synchronize(device, trial->control) &&
           runtime->latch_timed_out(device, trial->latch, block);
}

bool collectives_calls_block(const struct lab_work *work, size_t repetitions, bool *block)
{
    struct lab_device *device = work->lanes[0].device;
    const struct lab_runtime *runtime = device->runtime;
    struct trial trial = {.work = work};
    /* What is loaded and connected at first use may well wait. */
    bool good = enqueue(&trial, 1) && lab_work_synchronize(work) &&
                (trial.latch = runtime->latch_create(device)) != NULL &&
                (trial.control = runtime->stream_create(device)) != NULL &&
                (trial.gate = runtime->event_create(device)) != NULL && try_it(&trial, repetitions, block);
    runtime->event_release(device, trial.gate);
    runtime->stream_release(device, trial.control);
    runtime->latch_release(device, trial.latch);
    return good;
}
