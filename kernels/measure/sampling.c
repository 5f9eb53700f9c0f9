/* Takes samples, timed by events behind a latch, by events without a latch, by the host's clock, or by the work
 * itself. */
#include "measure/sampling.h"

#include <math.h>

enum {
    QUEUED_MAX = 256,     /* operations behind a latch; with more of them the driver's queue may be full, and block */
    EVENTS_MAX = 100000,  /* repetitions without a latch */
    CALIBRATIONS_MAX = 8, /* attempts at finding the number of repetitions of a sample */
    GROWTH_MAX = 64,      /* an attempt has at most this many times the repetitions of the one before */
    LOAD_RATIO_MAX = 64   /* maximum of lab_sampling.load_ratio that check_load doubles */
};

static const double sample_s_min = 100e-6; /* METHOD.md 1: events resolve 0.5 us */

/* A call that blocks behind a latch waits for this time-out. Once a latch of the work has timed out, others are likely
 * to, so the time-out is shortened; queueing takes milliseconds. */
static const double latch_timeout_s = 5, latch_timeout_again_s = 0.5;

/* Longer repetitions need no leading one: their enqueueing takes less than a thousandth of their time. */
static const double lead_max_s = 0.02;

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

bool lab_work_announce(const struct lab_work *work, size_t times)
{
    return work->announce == NULL || work->announce(work->context, times);
}

/* Whether each sample is prepared, so that it has only one repetition. */
static bool is_prepared(const struct lab_work *work)
{
    return work->before_sample != NULL || work->cold;
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
           enqueue_times(work->load, work->context, s->load_ratio * (s->repetitions + s->lead) + 1) &&
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

/* Enqueues the leading repetition, which is not timed: while it runs, the start event and the first timed repetition
 * are enqueued. */
static bool enqueue_lead(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    return !s->lead || (work->enqueue(work->context) && (work->collective || make_first_lane_wait(work, s->timer)));
}

/* The other lanes wait for the start event, unless the work is collective. */
static bool enqueue_start(const struct lab_sampling *s)
{
    const struct lab_timer *timer = s->timer;
    return timer->device->runtime->event_record(timer->device, timer->start, s->work->lanes[0].stream) &&
           (s->work->collective || make_lanes_wait(s->work, 1, timer->start));
}

/* The stop event waits for the other lanes, unless the work is collective. */
static bool enqueue_stop(const struct lab_sampling *s)
{
    const struct lab_timer *timer = s->timer;
    return (s->work->collective || make_first_lane_wait(s->work, timer)) &&
           timer->device->runtime->event_record(timer->device, timer->stop, s->work->lanes[0].stream);
}

/* Enqueues the start event, the repetitions on all lanes, and the stop event. Both events are on the first lane
 * (METHOD.md 11). */
static bool enqueue_timed(const struct lab_sampling *s, bool latched)
{
    const struct lab_work *work = s->work;
    return (!latched || make_lanes_wait(work, 0, s->timer->latch_opened)) && enqueue_load(s, latched) &&
           enqueue_lead(s) && enqueue_start(s) && enqueue_times(work->enqueue, work->context, s->repetitions) &&
           enqueue_stop(s);
}

/* The largest number of repetitions of a sample. Behind a latch it is limited by the operations of the work and of its
 * load, of which two repetitions are added; 0 if even a single one does not fit. */
static size_t repetitions_max(const struct lab_sampling *s, size_t load_ratio)
{
    const struct lab_work *work = s->work;
    size_t max = EVENTS_MAX;
    if (work->timing == LAB_TIME_LATCHED) {
        max = QUEUED_MAX / (work->operations > 0 ? work->operations : 1);
        if (work->background != NULL)
            max = max < 2 ? 0 : (max - 2) / (1 + load_ratio);
    }
    size_t limit = work->cold                    ? 1
                   : work->repetitions_max > 0   ? work->repetitions_max
                   : work->before_sample != NULL ? 1
                                                 : max;
    return limit < max ? limit : max;
}

/* Doubles the load of the next sample, and lowers its repetitions if they would not fit behind the latch. */
static void increase_load(struct lab_sampling *s)
{
    size_t max = repetitions_max(s, 2 * s->load_ratio);
    if (s->load_ratio >= LOAD_RATIO_MAX || max == 0)
        return;
    s->load_ratio *= 2;
    s->repetitions = s->repetitions < max ? s->repetitions : max;
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
    increase_load(s);
    return LAB_SAMPLE_INVALID;
}

/* Enqueues a sample behind a closed latch, and opens it. */
static bool enqueue_latched(const struct lab_sampling *s)
{
    struct lab_timer *timer = s->timer;
    const struct lab_runtime *runtime = timer->device->runtime;
    if (!runtime->latch_close(timer->device, timer->latch, timer->control, s->latch_timeout_s))
        return false;
    bool good = runtime->event_record(timer->device, timer->latch_opened, timer->control) && enqueue_timed(s, true);
    runtime->latch_open(timer->device, timer->latch);
    return good;
}

static bool latch_timed_out(struct lab_sampling *s, bool *timed_out)
{
    struct lab_timer *timer = s->timer;
    const struct lab_runtime *runtime = timer->device->runtime;
    if (!runtime->stream_synchronize(timer->device, timer->control) ||
        !runtime->latch_timed_out(timer->device, timer->latch, timed_out))
        return false;
    if (*timed_out)
        s->latch_timeout_s = latch_timeout_again_s;
    return true;
}

static enum lab_sample_status sample_by_events(struct lab_sampling *s, bool latched, double *seconds)
{
    struct lab_timer *timer = s->timer;
    bool timed_out = false;
    if (!(latched ? enqueue_latched(s) : enqueue_timed(s, false)) || !lab_work_synchronize(s->work) ||
        (latched && !latch_timed_out(s, &timed_out)))
        return LAB_SAMPLE_FAILED;
    if (timed_out)
        return LAB_SAMPLE_INVALID;
    if (!timer->device->runtime->event_elapsed(timer->device, timer->start, timer->stop, seconds))
        return LAB_SAMPLE_FAILED;
    *seconds /= (double)s->repetitions;
    return check_load(s);
}

/* Synchronises after every repetition, so the time includes waiting for the work, as in a program that uses its
 * result. */
static enum lab_sample_status sample_by_host_clock(const struct lab_sampling *s, double *seconds)
{
    double start = lab_now_s();
    for (size_t i = 0; i < s->repetitions; i++)
        if (!s->work->enqueue(s->work->context) || !lab_work_synchronize(s->work))
            return LAB_SAMPLE_FAILED;
    *seconds = (lab_now_s() - start) / (double)s->repetitions;
    return LAB_SAMPLE_VALID;
}

/* Flushes last, so that the cache has no data of before_sample. */
bool lab_sampling_prepare_sample(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    return !is_prepared(work) || ((work->before_sample == NULL || work->before_sample(work->context)) &&
                                  (!work->cold || lab_flushes_enqueue(s->flushes, work->lanes, work->lane_count)) &&
                                  lab_work_synchronize(work));
}

enum lab_sample_status lab_sample_take(struct lab_sampling *s, double *seconds)
{
    if (!lab_timer_create_joins(s->timer, s->work) || !lab_sampling_prepare_sample(s) ||
        !lab_work_announce(s->work, s->repetitions + s->lead))
        return LAB_SAMPLE_FAILED;
    switch (s->work->timing) {
    case LAB_TIME_LATCHED:
        return sample_by_events(s, true, seconds);
    case LAB_TIME_EVENTS:
        return sample_by_events(s, false, seconds);
    case LAB_TIME_BY_WORK:
        return s->work->sample(s->work->context, s->repetitions, seconds) ? LAB_SAMPLE_VALID : LAB_SAMPLE_FAILED;
    case LAB_TIME_HOST_CLOCK:
        break;
    }
    return sample_by_host_clock(s, seconds);
}

/* --- warm-up and calibration -------------------------------------------------------------------------------------- */

bool lab_sampling_warm_up(struct lab_sampling *s, struct lab_timer *timer, const struct lab_flushes *flushes,
                          const struct lab_work *work)
{
    *s = (struct lab_sampling){.work = work,
                               .timer = timer,
                               .flushes = flushes,
                               .repetitions = 1,
                               .latch_timeout_s = latch_timeout_s,
                               .lead = work->collective};
    return lab_work_announce(work, 1) && work->enqueue(work->context) &&
           (work->background == NULL || work->load(work->context)) && lab_work_synchronize(work);
}

/* Sets the repetitions of a sample that should last `sample_s`. Returns whether they are found. They grow in steps,
 * because one repetition may be faster than each of many, which wait for their enqueueing. */
static bool choose_repetitions(struct lab_sampling *s, double sample_s)
{
    size_t max = repetitions_max(s, s->load_ratio);
    if (s->repetition_s * (double)s->repetitions >= sample_s || s->repetitions >= max)
        return true;
    double needed = s->repetition_s > 0 ? ceil(1.1 * sample_s / s->repetition_s) : (double)max;
    s->repetitions = (size_t)fmin(fmin(needed, (double)max), GROWTH_MAX * (double)s->repetitions);
    return false;
}

enum lab_sample_status lab_sampling_calibrate(struct lab_sampling *s, double sample_s)
{
    enum lab_sample_status status = LAB_SAMPLE_INVALID;
    s->load_ratio = 3;
    for (int i = 0; i < CALIBRATIONS_MAX; i++) {
        double seconds;
        enum lab_sample_status result = lab_sample_take(s, &seconds);
        if (result == LAB_SAMPLE_FAILED)
            return result;
        if (result == LAB_SAMPLE_INVALID)
            continue;
        status = result;
        s->repetition_s = seconds;
        if (choose_repetitions(s, fmax(sample_s_min, fmax(sample_s, s->work->sample_s))))
            break;
    }
    s->lead = s->work->collective ||
              (s->work->timing == LAB_TIME_EVENTS && !is_prepared(s->work) && s->repetition_s <= lead_max_s);
    return status;
}

void lab_sampling_drain(const struct lab_sampling *s)
{
    const struct lab_work *work = s->work;
    if (work == NULL)
        return;
    struct lab_device *device = work->lanes[0].device;
    const struct lab_error error = device->error;
    for (size_t i = 0; i < work->lane_count; i++)
        device->runtime->stream_synchronize(work->lanes[i].device, work->lanes[i].stream);
    if (work->background != NULL)
        device->runtime->stream_synchronize(device, work->background);
    if (s->timer != NULL)
        device->runtime->stream_synchronize(device, s->timer->control);
    device->error = error;
}
