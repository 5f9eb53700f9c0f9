/* Takes samples, timed by events behind a latch, by events without a latch, or by the host's clock. */
#include "measure/sampling.h"

#include <math.h>
#include <stdlib.h>

enum {
    QUEUED_MAX = 256,     /* operations behind a latch; with more of them the driver's queue may be full, and block */
    CALIBRATIONS_MAX = 8, /* attempts at finding the number of repetitions of a sample */
    LOAD_RATIO_MAX = 64   /* maximum of lab_sampling.load_ratio that check_load doubles */
};

static const double sample_s_min = 100e-6; /* METHOD.md 1: events resolve 0.5 us */
static const double latch_timeout_s = 5;
static const double trial_timeout_s = 0.5; /* much longer than enqueueing, which takes milliseconds */

struct lab_timer {
    struct lab_device *device;
    struct lab_latch *latch;
    struct lab_stream *control;     /* the stream on which the latch is enqueued */
    struct lab_event *latch_opened; /* reached when the latch opens */
    struct lab_event *load_started; /* end of the background load's first repetition: the load is running */
    struct lab_event *start, *stop; /* start and end of the timed work, on the first lane */
    struct lab_event *load_ended;   /* end of the background load's last repetition */
    size_t join_count;              /* entries of `joins` */
    struct join {                   /* for each lane after the first: */
        struct lab_device *device;  /* the lane's device */
        struct lab_event *event;    /* the end of the work on the lane */
    } * joins;
};

/* --- creating and releasing --------------------------------------------------------------------------------------- */

struct lab_timer *lab_timer_create(struct lab_device *device)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL) {
        lab_error_set(&device->error, "out-of-memory", "", "out of memory for a timer");
        return NULL;
    }
    timer->device = device;
    bool good = (timer->latch = runtime->latch_create(device)) != NULL &&
                (timer->control = runtime->stream_create(device)) != NULL &&
                (timer->latch_opened = runtime->event_create(device)) != NULL &&
                (timer->load_started = runtime->event_create(device)) != NULL &&
                (timer->start = runtime->event_create(device)) != NULL &&
                (timer->stop = runtime->event_create(device)) != NULL &&
                (timer->load_ended = runtime->event_create(device)) != NULL;
    if (good)
        return timer;
    lab_timer_release(timer);
    return NULL;
}

void lab_timer_release(struct lab_timer *timer)
{
    if (timer == NULL)
        return;
    struct lab_device *device = timer->device;
    const struct lab_runtime *runtime = device->runtime;
    runtime->event_release(device, timer->latch_opened);
    runtime->event_release(device, timer->load_started);
    runtime->event_release(device, timer->start);
    runtime->event_release(device, timer->stop);
    runtime->event_release(device, timer->load_ended);
    for (size_t i = 0; i < timer->join_count; i++)
        runtime->event_release(timer->joins[i].device, timer->joins[i].event);
    free(timer->joins);
    runtime->latch_release(device, timer->latch);
    runtime->stream_release(device, timer->control);
    free(timer);
}

struct lab_device *lab_timer_device(const struct lab_timer *timer)
{
    return timer->device;
}

/* Creates an event for the end of each lane after the first, on the lane's own device. An event from earlier work is used
 * again if it belongs to the same device. */
static bool create_join_events(struct lab_timer *timer, const struct lab_work *work)
{
    const struct lab_runtime *runtime = timer->device->runtime;
    size_t needed = work->lane_count - 1;
    if (needed > timer->join_count) {
        struct join *joins = realloc(timer->joins, needed * sizeof *joins);
        if (joins == NULL)
            return lab_error_set(&timer->device->error, "out-of-memory", "",
                                 "out of memory for the events of the streams");
        timer->joins = joins;
        while (timer->join_count < needed)
            joins[timer->join_count++] = (struct join){timer->device, NULL};
    }
    for (size_t i = 0; i < needed; i++) {
        struct join *join = &timer->joins[i];
        struct lab_device *device = work->lanes[i + 1].device;
        if (join->event != NULL && join->device == device)
            continue;
        runtime->event_release(join->device, join->event);
        *join = (struct join){device, runtime->event_create(device)};
        if (join->event == NULL) {
            timer->device->error = device->error;
            return false;
        }
    }
    return true;
}

/* --- one sample --------------------------------------------------------------------------------------------------- */

/* Returns `good`, the result of a call on `lane`. If it is false, copies the error of the lane's device to the first
 * lane's device. */
static bool copy_lane_error(const struct lab_work *work, const struct lab_lane *lane, bool good)
{
    return lab_device_forward_error(work->lanes[0].device, lane->device, good);
}

bool lab_work_synchronize(const struct lab_work *work)
{
    const struct lab_runtime *runtime = work->lanes[0].device->runtime;
    for (size_t i = 0; i < work->lane_count; i++) {
        const struct lab_lane *lane = &work->lanes[i];
        if (!copy_lane_error(work, lane, runtime->stream_synchronize(lane->device, lane->stream)))
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

/* Enqueues the load so that it starts before the work: the first lane waits for the load's first repetition. The load
 * should end after the work, which check_load verifies. */
static bool enqueue_load(const struct lab_sampling *s, bool latched)
{
    const struct lab_work *work = s->work;
    struct lab_device *device = s->timer->device;
    const struct lab_runtime *runtime = device->runtime;
    if (work->background == NULL)
        return true;
    return (!latched || runtime->stream_wait(device, work->background, s->timer->latch_opened)) &&
           work->load(work->context) && runtime->event_record(device, s->timer->load_started, work->background) &&
           runtime->stream_wait(device, work->lanes[0].stream, s->timer->load_started) &&
           enqueue_times(work->load, work->context, s->load_ratio * s->repetitions + 1) &&
           runtime->event_record(device, s->timer->load_ended, work->background);
}

/* Makes the lanes from `first` on wait for `event`. */
static bool make_lanes_wait(const struct lab_work *work, size_t first, struct lab_event *event)
{
    const struct lab_runtime *runtime = work->lanes[0].device->runtime;
    for (size_t i = first; i < work->lane_count; i++) {
        const struct lab_lane *lane = &work->lanes[i];
        if (!copy_lane_error(work, lane, runtime->stream_wait(lane->device, lane->stream, event)))
            return false;
    }
    return true;
}

/* Makes the first lane wait until all other lanes have reached their ends. */
static bool make_first_lane_wait(const struct lab_work *work, const struct lab_timer *timer)
{
    const struct lab_runtime *runtime = timer->device->runtime;
    for (size_t i = 1; i < work->lane_count; i++) {
        const struct lab_lane *lane = &work->lanes[i];
        struct lab_event *end = timer->joins[i - 1].event;
        if (!copy_lane_error(work, lane, runtime->event_record(lane->device, end, lane->stream)) ||
            !runtime->stream_wait(timer->device, work->lanes[0].stream, end))
            return false;
    }
    return true;
}

/* The other lanes wait for the start event. Collective work has a leading repetition instead. */
static bool enqueue_start(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    const struct lab_timer *timer = s->timer;
    return (!work->collective || work->enqueue(work->context)) &&
           timer->device->runtime->event_record(timer->device, timer->start, work->lanes[0].stream) &&
           (work->collective || make_lanes_wait(work, 1, timer->start));
}

/* The stop event waits for the other lanes, unless the work is collective. */
static bool enqueue_stop(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    const struct lab_timer *timer = s->timer;
    return (work->collective || make_first_lane_wait(work, timer)) &&
           timer->device->runtime->event_record(timer->device, timer->stop, work->lanes[0].stream);
}

/* Enqueues the start event, the repetitions on all lanes, and the stop event. Both events are on the first lane
 * (METHOD.md 11). */
static bool enqueue_timed(const struct lab_sampling *s, bool latched)
{
    const struct lab_work *work = s->work;
    return (!latched || make_lanes_wait(work, 0, s->timer->latch_opened)) && enqueue_load(s, latched) &&
           enqueue_start(s) && enqueue_times(work->enqueue, work->context, s->repetitions) && enqueue_stop(s);
}

/* Rejects a sample whose background load ended before the work, because part of the work did not run under load. The
 * next sample has twice the load. */
static enum lab_sample_status check_load(struct lab_sampling *s)
{
    double outlasted_s;
    if (s->work->background == NULL)
        return LAB_SAMPLE_VALID;
    if (!s->timer->device->runtime->event_elapsed(s->timer->device, s->timer->stop, s->timer->load_ended, &outlasted_s))
        return LAB_SAMPLE_FAILED;
    if (outlasted_s >= 0)
        return LAB_SAMPLE_VALID;
    if (s->load_ratio < LOAD_RATIO_MAX)
        s->load_ratio *= 2;
    return LAB_SAMPLE_INVALID;
}

static enum lab_sample_status sample_by_events(struct lab_sampling *s, bool latched, double *seconds)
{
    struct lab_timer *timer = s->timer;
    struct lab_device *device = timer->device;
    const struct lab_runtime *runtime = device->runtime;
    bool timed_out = false;

    if (latched && !(runtime->latch_close(device, timer->latch, timer->control, s->latch_timeout_s) &&
                     runtime->event_record(device, timer->latch_opened, timer->control)))
        return LAB_SAMPLE_FAILED;
    bool queued = enqueue_timed(s, latched);
    if (latched)
        runtime->latch_open(device, timer->latch);
    if (!queued || !lab_work_synchronize(s->work))
        return LAB_SAMPLE_FAILED;
    if (latched && !(runtime->stream_synchronize(device, timer->control) &&
                     runtime->latch_timed_out(device, timer->latch, &timed_out)))
        return LAB_SAMPLE_FAILED;
    if (timed_out)
        return LAB_SAMPLE_INVALID;
    if (!runtime->event_elapsed(device, timer->start, timer->stop, seconds))
        return LAB_SAMPLE_FAILED;
    *seconds /= (double)s->repetitions;
    return check_load(s);
}

/* Synchronises after every repetition, so the time includes waiting for the work, as in a program that uses its result. */
static enum lab_sample_status sample_by_host_clock(const struct lab_sampling *s, double *seconds)
{
    double start = lab_now_s();
    for (size_t i = 0; i < s->repetitions; i++)
        if (!s->work->enqueue(s->work->context) || !lab_work_synchronize(s->work))
            return LAB_SAMPLE_FAILED;
    *seconds = (lab_now_s() - start) / (double)s->repetitions;
    return LAB_SAMPLE_VALID;
}

/* Whether each sample is prepared, so that it has only one repetition. */
static bool is_prepared(const struct lab_work *work)
{
    return work->before_sample != NULL || work->cold;
}

/* Flushes last, so that the cache has no data of before_sample. */
static bool prepare_sample(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    return !is_prepared(work) || ((work->before_sample == NULL || work->before_sample(work->context)) &&
                                  (!work->cold || lab_flushes_enqueue(s->flushes, work->lanes, work->lane_count)) &&
                                  lab_work_synchronize(work));
}

enum lab_sample_status lab_sample_take(struct lab_sampling *s, double *seconds)
{
    if (!prepare_sample(s))
        return LAB_SAMPLE_FAILED;
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

/* --- warm-up and calibration -------------------------------------------------------------------------------------- */

static bool warm_up(const struct lab_work *work)
{
    return work->enqueue(work->context) && (work->background == NULL || work->load(work->context)) &&
           lab_work_synchronize(work);
}

/* The number of repetitions whose operations may be enqueued behind a latch. */
static size_t repetitions_behind_latch(const struct lab_sampling *s)
{
    size_t operations = s->work->operations * (s->work->background != NULL ? 1 + s->load_ratio : 1);
    size_t max = QUEUED_MAX / (operations > 0 ? operations : 1);
    if (s->work->collective && max > 1)
        max--;
    return max < 1 ? 1 : max;
}

static size_t repetitions_max(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    size_t max = work->timing == LAB_TIME_LATCHED ? repetitions_behind_latch(s) : 100000;
    size_t limit = work->cold                    ? 1
                   : work->repetitions_max > 0   ? work->repetitions_max
                   : work->before_sample != NULL ? 1
                                                 : max;
    return limit < max ? limit : max;
}

/* Finds the number of repetitions of a sample that lasts at least `sample_s`. The samples taken here are discarded. */
static bool calibrate(struct lab_sampling *s, double sample_s)
{
    s->repetitions = 1;
    s->load_ratio = 3;
    for (int i = 0; i < CALIBRATIONS_MAX; i++) {
        double seconds = 0;
        enum lab_sample_status result = lab_sample_take(s, &seconds);
        if (result == LAB_SAMPLE_FAILED)
            return false;
        size_t max = repetitions_max(s);
        if (s->repetitions > max)
            s->repetitions = max; /* the load was increased, so fewer repetitions fit behind the latch */
        if (result == LAB_SAMPLE_INVALID)
            continue;
        if (seconds * (double)s->repetitions >= sample_s || s->repetitions == max)
            return true;
        double needed = seconds > 0 ? ceil(1.1 * sample_s / seconds) : (double)max;
        s->repetitions = needed < (double)max ? (size_t)needed : max;
    }
    return true;
}

bool lab_sampling_begin(struct lab_sampling *s, struct lab_timer *timer, const struct lab_flushes *flushes,
                        const struct lab_work *work, double sample_s)
{
    *s = (struct lab_sampling){.work = work, .timer = timer, .flushes = flushes, .latch_timeout_s = latch_timeout_s};
    return create_join_events(timer, work) && warm_up(work) &&
           calibrate(s, fmax(sample_s_min, fmax(sample_s, work->sample_s)));
}

bool lab_sampling_calls_block(struct lab_timer *timer, const struct lab_work *work, bool *block)
{
    struct lab_sampling s = {.work = work, .timer = timer, .latch_timeout_s = trial_timeout_s};
    double seconds;
    s.repetitions = repetitions_max(&s);
    if (!create_join_events(timer, work) || !warm_up(work))
        return false;
    enum lab_sample_status status = sample_by_events(&s, true, &seconds);
    *block = status == LAB_SAMPLE_INVALID;
    return status != LAB_SAMPLE_FAILED;
}
