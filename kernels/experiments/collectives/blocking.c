/* Tests for blocking calls by queueing work behind a latch. */
#include "blocking.h"

#include "measure/sampling.h"

static const double latch_s = 0.5; /* much longer than queueing, which takes milliseconds */

struct test {
    const struct lab_work *work;
    struct lab_latch *latch;
    struct lab_stream *control; /* the stream of the latch */
    struct lab_event *gate;     /* recorded behind the latch: completes when the latch opens; the lanes wait for it */
};

static bool make_lanes_wait(const struct test *test)
{
    const struct lab_lane *lanes = test->work->lanes;
    for (size_t i = 0; i < test->work->lane_count; i++)
        if (!lab_device_forward_error(
                lanes[0].device, lanes[i].device,
                lanes[i].device->runtime->stream_wait(lanes[i].device, lanes[i].stream, test->gate)))
            return false;
    return true;
}

static bool enqueue(const struct test *test, size_t repetitions)
{
    for (size_t i = 0; i < repetitions; i++)
        if (!test->work->enqueue(test->work->context))
            return false;
    return true;
}

static bool queue_behind_latch(const struct test *test, size_t repetitions, bool *block)
{
    struct lab_device *device = test->work->lanes[0].device;
    const struct lab_runtime *runtime = device->runtime;
    if (!runtime->latch_close(device, test->latch, test->control, latch_s))
        return false;
    bool queued =
        runtime->event_record(device, test->gate, test->control) && make_lanes_wait(test) && enqueue(test, repetitions);
    runtime->latch_open(device, test->latch);
    return queued && lab_work_synchronize(test->work) && runtime->stream_synchronize(device, test->control) &&
           runtime->latch_timed_out(device, test->latch, block);
}

bool collectives_calls_block(const struct lab_work *work, size_t repetitions, bool *block)
{
    struct lab_device *device = work->lanes[0].device;
    const struct lab_runtime *runtime = device->runtime;
    struct test test = {.work = work};
    /* The first call is not part of the test, because it may block while the library loads kernels and connects the
     * devices. */
    bool good = enqueue(&test, 1) && lab_work_synchronize(work) &&
                (test.latch = runtime->latch_create(device)) != NULL &&
                (test.control = runtime->stream_create(device)) != NULL &&
                (test.gate = runtime->event_create(device)) != NULL && queue_behind_latch(&test, repetitions, block);
    runtime->event_release(device, test.gate);
    runtime->stream_release(device, test.control);
    runtime->latch_release(device, test.latch);
    return good;
}
