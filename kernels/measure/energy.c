/* Measures the energy of a repetition with the device's energy counter, while the work runs without a gap (METHOD.md
 * 6). */
#include "measure/measuring.h"

#include <math.h>

/* Limits of what is enqueued at a time: batches, and operations, of which CUDA takes about 1000 without making the host
 * wait. */
enum { QUEUED_MOST = 40, OPERATIONS_MOST = 1000 };

static const double repetition_s_min = 100e-6; /* of shorter ones the device would wait for the host */
static const double batch_s = 2e-3;
static const double queued_s = 40e-3; /* work that is enqueued while the counter is read, which takes 3 to 16 ms */
static const double settling_s = 0.1; /* at the start, after samples of a baseline */
static const double interval_s_min = 0.5;
static const double step_s = 0.12;        /* longest time between two steps of the counter */
static const double awaited_s = 0.48;     /* several steps, because some are refused */
static const double window_s_max = 12e-3; /* in which a step is known to have been; it is refused if this is longer */
static const double pause_s = 1e-3;       /* between two readings */
static const double samples_least = 0.4;  /* time that is left for samples, as a share of that for the energy */

/* Repetitions that run one after the other, in batches. */
struct stretch {
    const struct lab_measuring *p;
    size_t repetitions; /* of a batch */
    double batch_s;
    size_t depth;          /* batches that are kept enqueued */
    size_t enqueued, done; /* batches */
    double busy_s;         /* device time of those that are done, without the first */
    bool starved;          /* the device had no work at times */
    struct lab_event *ends[QUEUED_MOST + 1];
};

/* A step of the counter: its value after it, and when it was. The batches that had run by then, and their device
 * time. */
struct step {
    double joules, s, busy_s;
    size_t batches; /* 0: there was no step */
};

static struct lab_device *device_of(const struct lab_measuring *p)
{
    return p->work->lanes[0].device;
}

static bool read_counter(const struct lab_measuring *p, double *joules)
{
    const struct lab_monitor *monitor = &p->m->run->monitor;
    return monitor->energy != NULL && monitor->energy(monitor->context, device_of(p), joules);
}

/* Work of one lane that can be repeated without a gap, and lasts long enough. */
static bool is_continuous(const struct lab_measuring *p)
{
    const struct lab_work *work = p->work;
    return work->compute && work->lane_count == 1 && work->background == NULL && work->before_sample == NULL &&
           work->announce == NULL && !work->cold && !(lab_measuring_rest_s(p) > 0) &&
           (work->timing == LAB_TIME_LATCHED || work->timing == LAB_TIME_EVENTS) &&
           p->sampling.repetition_s >= repetition_s_min;
}

static struct lab_event *end_of(const struct stretch *s, size_t batch)
{
    return s->ends[batch % (s->depth + 1)];
}

static bool enqueue_batch(struct stretch *s)
{
    const struct lab_work *work = s->p->work;
    struct lab_device *device = device_of(s->p);
    for (size_t i = 0; i < s->repetitions; i++)
        if (!work->enqueue(work->context))
            return false;
    return device->runtime->event_record(device, end_of(s, s->enqueued++), work->lanes[0].stream);
}

/* Counts the batches that have run since the last call. */
static bool count_done(struct stretch *s)
{
    struct lab_device *device = device_of(s->p);
    const struct lab_runtime *runtime = device->runtime;
    for (bool passed = true; s->done < s->enqueued; s->done++) {
        double seconds = 0;
        if (!runtime->event_query(device, end_of(s, s->done), &passed))
            return false;
        if (!passed)
            return true;
        if (s->done > 0 && !runtime->event_elapsed(device, end_of(s, s->done - 1), end_of(s, s->done), &seconds))
            return false;
        s->busy_s += seconds;
    }
    s->starved = s->starved || s->enqueued > 0; /* all have run */
    return true;
}

static bool keep_busy(struct stretch *s)
{
    if (!count_done(s))
        return false;
    while (s->enqueued - s->done < s->depth)
        if (!enqueue_batch(s))
            return false;
    return true;
}

/* Keeps the device busy until the counter steps, at `from_s` or later. It stepped between the start of a reading and
 * the end of the next one: if these are too far apart, the step is refused and the next one awaited. There is no step
 * if none was taken by `end_s`, if the device has run out of work, and after a cancel. */
static bool await_step(struct stretch *s, double from_s, double end_s, struct step *step)
{
    double before = NAN, before_s = 0; /* the last reading, and its start */
    *step = (struct step){0};
    while (lab_now_s() < end_s && !lab_run_cancelled(s->p->m->run)) {
        double joules;
        if (!keep_busy(s))
            return false;
        double start_s = lab_now_s();
        if (s->starved || !read_counter(s->p, &joules))
            return true;
        double now_s = lab_now_s();
        if (joules > before && before_s >= from_s && now_s - before_s <= window_s_max) {
            *step = (struct step){joules, (before_s + now_s) / 2, s->busy_s, s->done};
            return true;
        }
        before = joules;
        before_s = start_s;
        lab_sleep_s(pause_s);
    }
    return true;
}

static double settling_time_s(const struct stretch *s)
{
    return fmax(settling_s, 2 * s->batch_s);
}

/* Measures from one step of the counter to another one, `interval` seconds later or more: the power between them, and
 * the device time of a repetition. */
static bool measure(struct stretch *s, double interval)
{
    struct step first, last;
    double from_s = lab_now_s() + settling_time_s(s);
    if (!await_step(s, from_s, from_s + awaited_s, &first))
        return false;
    if (first.batches == 0)
        return true;
    from_s = first.s + interval;
    if (!await_step(s, from_s, from_s + awaited_s, &last))
        return false;
    if (last.batches > first.batches)
        s->p->outcome->energy_j = (last.joules - first.joules) / (last.s - first.s) * (last.busy_s - first.busy_s) /
                                  (double)((last.batches - first.batches) * s->repetitions);
    return true;
}

static bool create_events(struct stretch *s)
{
    struct lab_device *device = device_of(s->p);
    for (size_t i = 0; i <= QUEUED_MOST; i++)
        if ((s->ends[i] = device->runtime->event_create(device)) == NULL)
            return false;
    return true;
}

static struct stretch stretch_of(const struct lab_measuring *p)
{
    struct stretch s = {.p = p, .repetitions = (size_t)fmax(1, floor(batch_s / p->sampling.repetition_s))};
    s.batch_s = (double)s.repetitions * p->sampling.repetition_s;
    double operations = fmax(1, (double)p->work->operations) * (double)s.repetitions;
    s.depth = (size_t)fmax(2, fmin(fmin(ceil(queued_s / s.batch_s), QUEUED_MOST), floor(OPERATIONS_MOST / operations)));
    return s;
}

/* Several batches run in it. */
static double interval_s(const struct stretch *s)
{
    return fmax(interval_s_min, 4 * s->batch_s);
}

bool lab_measuring_keep_energy(struct lab_measuring *p)
{
    double joules;
    if (!p->work->energy || !is_continuous(p) || !read_counter(p, &joules))
        return true;
    const struct stretch s = stretch_of(p);
    p->energy_s = settling_time_s(&s) + interval_s(&s) + 2 * step_s + (double)s.depth * s.batch_s;
    p->energy_is_kept = p->deadline_s - lab_now_s() >= (1 + samples_least) * p->energy_s;
    p->deadline_s -= p->energy_is_kept ? p->energy_s : 0;
    return true;
}

bool lab_measuring_energy(struct lab_measuring *p)
{
    /* If the time has been kept, samples that took as long as they could have ended just after the deadline. The run
     * must then have the time for this and for verifying. */
    double verifying_s = p->share_end_s - p->deadline_s - p->energy_s;
    double left_s = p->energy_is_kept ? lab_measurer_remaining_s(p->m) - verifying_s : p->deadline_s - lab_now_s();
    if (!(p->energy_s > 0) || left_s < p->energy_s)
        return true;
    struct stretch s = stretch_of(p);
    bool good = create_events(&s) && measure(&s, interval_s(&s)) && lab_work_synchronize(p->work);
    if (!good)
        lab_sampling_drain(&p->sampling);
    for (size_t i = 0; i <= QUEUED_MOST; i++)
        device_of(p)->runtime->event_free(device_of(p), s.ends[i]);
    return good;
}
