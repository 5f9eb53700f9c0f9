/* Samples, by events behind a latch, by events alone, or by the host's clock. */
#include "measure/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    QUEUED_MAX = 256,     /* operations behind a latch: beyond that the driver may block on its own queue */
    CALIBRATIONS_MAX = 8, /* tries at finding how many repetitions make a sample */
    LOAD_SHARE_MAX = 64   /* repetitions of the load for one of the work, at most */
};

static const double sample_seconds_min = 100e-6; /* METHOD.md 1: events resolve 0.5 us */
static const double latch_timeout_s = 5;

struct lab_timer {
    struct lab_device *device;
    struct lab_latch *latch;
    struct lab_stream *control; /* carries the latch */
    struct lab_event *gate;     /* passes when the latch opens */
    struct lab_event *loaded;   /* the load's first repetition is over */
    struct lab_event *start, *stop;
    struct lab_event *unloaded; /* end of the load */
    size_t join_count;
    struct join { /* ends of the lanes behind the first */
        struct lab_device *device;
        struct lab_event *event;
    } * joins;
};

double lab_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct lab_timer *lab_timer_create(struct lab_device *device)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_timer *rig = calloc(1, sizeof *rig);
    if (rig == NULL) {
        lab_error_set(&device->error, "out-of-memory", "", "no memory for timing");
        return NULL;
    }
    rig->device = device;
    bool good =
        (rig->latch = runtime->latch_create(device)) != NULL &&
        (rig->control = runtime->stream_create(device)) != NULL &&
        (rig->gate = runtime->event_create(device)) != NULL && (rig->loaded = runtime->event_create(device)) != NULL &&
        (rig->start = runtime->event_create(device)) != NULL && (rig->stop = runtime->event_create(device)) != NULL &&
        (rig->unloaded = runtime->event_create(device)) != NULL;
    if (good)
        return rig;
    lab_timer_release(rig);
    return NULL;
}

void lab_timer_release(struct lab_timer *rig)
{
    if (rig == NULL)
        return;
    struct lab_device *device = rig->device;
    const struct lab_runtime *runtime = device->runtime;
    runtime->event_release(device, rig->gate);
    runtime->event_release(device, rig->loaded);
    runtime->event_release(device, rig->start);
    runtime->event_release(device, rig->stop);
    runtime->event_release(device, rig->unloaded);
    for (size_t i = 0; i < rig->join_count; i++)
        runtime->event_release(rig->joins[i].device, rig->joins[i].event);
    free(rig->joins);
    runtime->latch_release(device, rig->latch);
    runtime->stream_release(device, rig->control);
    free(rig);
}

struct lab_device *lab_timer_device(const struct lab_timer *rig)
{
    return rig->device;
}

/* An event for the end of each lane behind the first, on the lane's own device. */
static bool make_joins(struct lab_timer *rig, const struct lab_work *work)
{
    const struct lab_runtime *runtime = rig->device->runtime;
    size_t wanted = work->lane_count - 1;
    if (wanted > rig->join_count) {
        struct join *joins = realloc(rig->joins, wanted * sizeof *joins);
        if (joins == NULL)
            return lab_error_set(&rig->device->error, "out-of-memory", "", "no memory for the lanes' events");
        rig->joins = joins;
        while (rig->join_count < wanted)
            joins[rig->join_count++] = (struct join){rig->device, NULL};
    }
    for (size_t i = 0; i < wanted; i++) {
        struct join *join = &rig->joins[i];
        struct lab_device *device = work->lanes[i + 1].device;
        if (join->event != NULL && join->device == device)
            continue;
        runtime->event_release(join->device, join->event);
        *join = (struct join){device, runtime->event_create(device)};
        if (join->event == NULL) {
            rig->device->error = device->error;
            return false;
        }
    }
    return true;
}

/* --- one sample --------------------------------------------------------------------------------------------------- */

/* Passes `good` on; the error of a call on another lane's device becomes that of the first. */
static bool on_lane(const struct lab_work *work, const struct lab_lane *lane, bool good)
{
    if (!good && lane->device != work->lanes[0].device)
        work->lanes[0].device->error = lane->device->error;
    return good;
}

bool lab_work_synchronize(const struct lab_work *work)
{
    const struct lab_runtime *runtime = work->lanes[0].device->runtime;
    for (size_t i = 0; i < work->lane_count; i++) {
        const struct lab_lane *lane = &work->lanes[i];
        if (!on_lane(work, lane, runtime->stream_synchronize(lane->device, lane->stream)))
            return false;
    }
    return work->background == NULL || runtime->stream_synchronize(work->lanes[0].device, work->background);
}

static bool enqueue_times(bool (*enqueue)(void *context), void *context, size_t times)
{
    for (size_t i = 0; i < times; i++)
        if (!enqueue(context))
            return false;
    return true;
}

/* The load starts before the work does and is meant to end after it. */
static bool enqueue_load(const struct lab_sampling *s, bool latched)
{
    const struct lab_work *work = s->work;
    struct lab_device *device = s->rig->device;
    const struct lab_runtime *runtime = device->runtime;
    if (work->background == NULL)
        return true;
    return (!latched || runtime->stream_wait(device, work->background, s->rig->gate)) && work->load(work->context) &&
           runtime->event_record(device, s->rig->loaded, work->background) &&
           runtime->stream_wait(device, work->lanes[0].stream, s->rig->loaded) &&
           enqueue_times(work->load, work->context, s->load_share * s->repetitions + 1) &&
           runtime->event_record(device, s->rig->unloaded, work->background);
}

/* All lanes wait for `event`, from lane `first` on. */
static bool lanes_wait(const struct lab_work *work, size_t first, struct lab_event *event)
{
    const struct lab_runtime *runtime = work->lanes[0].device->runtime;
    for (size_t i = first; i < work->lane_count; i++) {
        const struct lab_lane *lane = &work->lanes[i];
        if (!on_lane(work, lane, runtime->stream_wait(lane->device, lane->stream, event)))
            return false;
    }
    return true;
}

static bool first_lane_joins(const struct lab_work *work, const struct lab_timer *rig)
{
    const struct lab_runtime *runtime = rig->device->runtime;
    for (size_t i = 1; i < work->lane_count; i++) {
        const struct lab_lane *lane = &work->lanes[i];
        struct lab_event *end = rig->joins[i - 1].event;
        if (!on_lane(work, lane, runtime->event_record(lane->device, end, lane->stream)) ||
            !runtime->stream_wait(rig->device, work->lanes[0].stream, end))
            return false;
    }
    return true;
}

/* start event, the repetitions on all lanes, stop event: the first lane's start is waited on by the others, its stop
 * waits for them (METHOD.md 11). */
static bool enqueue_timed(const struct lab_sampling *s, bool latched)
{
    const struct lab_work *work = s->work;
    const struct lab_timer *rig = s->rig;
    const struct lab_runtime *runtime = rig->device->runtime;
    struct lab_stream *first = work->lanes[0].stream;
    return (!latched || lanes_wait(work, 0, rig->gate)) && enqueue_load(s, latched) &&
           runtime->event_record(rig->device, rig->start, first) && lanes_wait(work, 1, rig->start) &&
           enqueue_times(work->enqueue, work->context, s->repetitions) && first_lane_joins(work, rig) &&
           runtime->event_record(rig->device, rig->stop, first);
}

/* A sample whose load ended first says nothing about working under load; the next one gets more of it. */
static enum lab_sample check_load(struct lab_sampling *s)
{
    double outlasted;
    if (s->work->background == NULL)
        return LAB_SAMPLE_GOOD;
    if (!s->rig->device->runtime->event_elapsed(s->rig->device, s->rig->stop, s->rig->unloaded, &outlasted))
        return LAB_SAMPLE_FAILED;
    if (outlasted >= 0)
        return LAB_SAMPLE_GOOD;
    if (s->load_share < LOAD_SHARE_MAX)
        s->load_share *= 2;
    return LAB_SAMPLE_INVALID;
}

static enum lab_sample sample_by_events(struct lab_sampling *s, bool latched, double *seconds)
{
    struct lab_timer *rig = s->rig;
    struct lab_device *device = rig->device;
    const struct lab_runtime *runtime = device->runtime;
    bool timed_out = false;

    if (latched && !(runtime->latch_close(device, rig->latch, rig->control, latch_timeout_s) &&
                     runtime->event_record(device, rig->gate, rig->control)))
        return LAB_SAMPLE_FAILED;
    bool queued = enqueue_timed(s, latched);
    if (latched)
        runtime->latch_open(device, rig->latch);
    if (!queued || !lab_work_synchronize(s->work))
        return LAB_SAMPLE_FAILED;
    if (latched && !(runtime->stream_synchronize(device, rig->control) &&
                     runtime->latch_timed_out(device, rig->latch, &timed_out)))
        return LAB_SAMPLE_FAILED;
    if (timed_out)
        return LAB_SAMPLE_INVALID;
    if (!runtime->event_elapsed(device, rig->start, rig->stop, seconds))
        return LAB_SAMPLE_FAILED;
    *seconds /= (double)s->repetitions;
    return check_load(s);
}

/* Each repetition is the work and its synchronisation: what a program that waits for it has. */
static enum lab_sample sample_by_host_clock(const struct lab_sampling *s, double *seconds)
{
    double start = lab_now_s();
    for (size_t i = 0; i < s->repetitions; i++)
        if (!s->work->enqueue(s->work->context) || !lab_work_synchronize(s->work))
            return LAB_SAMPLE_FAILED;
    *seconds = (lab_now_s() - start) / (double)s->repetitions;
    return LAB_SAMPLE_GOOD;
}

enum lab_sample lab_sample_take(struct lab_sampling *s, double *seconds)
{
    switch (s->work->timing) {
    case LAB_TIME_LATCHED:
        return sample_by_events(s, true, seconds);
    case LAB_TIME_EVENTS:
        return sample_by_events(s, false, seconds);
    case LAB_TIME_HOST_CLOCK:
        break;
    }
    return sample_by_host_clock(s, seconds);
}

/* --- before the first --------------------------------------------------------------------------------------------- */

static bool warm_up(const struct lab_work *work)
{
    return work->enqueue(work->context) && (work->background == NULL || work->load(work->context)) &&
           lab_work_synchronize(work);
}

static size_t repetitions_max(const struct lab_sampling *s)
{
    if (s->work->timing != LAB_TIME_LATCHED)
        return 100000;
    size_t each = s->work->operations * (s->work->background != NULL ? 1 + s->load_share : 1);
    size_t most = QUEUED_MAX / (each > 0 ? each : 1);
    return most < 1 ? 1 : most;
}

/* Samples taken here are thrown away. */
static bool calibrate(struct lab_sampling *s)
{
    double sample_s = fmax(sample_seconds_min, s->work->sample_s);
    s->repetitions = 1;
    s->load_share = 3;
    for (int i = 0; i < CALIBRATIONS_MAX; i++) {
        double seconds = 0;
        enum lab_sample result = lab_sample_take(s, &seconds);
        if (result == LAB_SAMPLE_FAILED)
            return false;
        size_t most = repetitions_max(s);
        if (s->repetitions > most)
            s->repetitions = most; /* the load has grown */
        if (result == LAB_SAMPLE_INVALID)
            continue;
        if (seconds * (double)s->repetitions >= sample_s || s->repetitions == most)
            return true;
        double wanted = seconds > 0 ? ceil(1.1 * sample_s / seconds) : (double)most;
        s->repetitions = wanted < (double)most ? (size_t)wanted : most;
    }
    return true;
}

bool lab_sampling_begin(struct lab_sampling *s, struct lab_timer *rig, const struct lab_work *work)
{
    *s = (struct lab_sampling){.work = work, .rig = rig};
    return make_joins(rig, work) && warm_up(work) && calibrate(s);
}
