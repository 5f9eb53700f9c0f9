/* Measures the energy of a repetition with the device's energy counter, while the work runs without a gap (METHOD.md 6). */
#include "measure/measuring.h"

#include <math.h>

/* Batches that are enqueued, so that the device has work while the host reads the counter; and those that the measured time
 * has at least, which limit the error of its ends. */
enum { QUEUED = 4, BATCHES_MIN = 100 };

static const double repetition_s_min = 100e-6; /* of shorter ones the device would wait for the host */
static const double batch_s = 5e-3, interval_s_min = 0.5;
static const double settling_s = 0.1;     /* at the start, after samples of a baseline */
static const double counter_step_s = 0.1; /* longest time between two steps of a counter */

/* Repetitions that run one after the other, in batches. */
struct stretch {
    const struct lab_measuring *p;
    size_t repetitions; /* of a batch */
    double batch_s;
    size_t enqueued, done; /* batches */
    struct lab_event *ends[QUEUED];
};

/* A step of the counter. */
struct step {
    double joules, s; /* the counter after it, and when that was read */
    size_t batches;   /* that had run by then */
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

static bool enqueue_batch(struct stretch *s)
{
    const struct lab_work *work = s->p->work;
    struct lab_device *device = device_of(s->p);
    for (size_t i = 0; i < s->repetitions; i++)
        if (!work->enqueue(work->context))
            return false;
    return device->runtime->event_record(device, s->ends[s->enqueued++ % QUEUED], work->lanes[0].stream);
}

/* Waits for the next batch, and enqueues another one. */
static bool finish_batch(struct stretch *s)
{
    struct lab_device *device = device_of(s->p);
    while (s->enqueued < QUEUED)
        if (!enqueue_batch(s))
            return false;
    return device->runtime->event_synchronize(device, s->ends[s->done++ % QUEUED]) && enqueue_batch(s);
}

/* Runs batches until the counter steps, at `from_s` or later. Sets step->batches to 0 if it has not stepped by `end_s`, when a
 * reading takes so long that the device may have run out of work, and after a cancel. */
static bool await_step(struct stretch *s, double from_s, double end_s, struct step *step)
{
    double before = NAN, now = lab_now_s();
    for (; now < end_s && !lab_run_cancelled(s->p->m->run); now = lab_now_s()) {
        if (!finish_batch(s))
            return false;
        *step = (struct step){.s = lab_now_s(), .batches = s->done};
        if (!read_counter(s->p, &step->joules) || lab_now_s() - step->s > (QUEUED - 2) * s->batch_s)
            break;
        if (step->s >= from_s && step->joules > before)
            return true;
        before = step->joules;
    }
    step->batches = 0;
    return true;
}

/* Measures from one step of the counter to another one, `interval` seconds later or more. */
static bool measure(struct stretch *s, double interval)
{
    struct step first, last;
    double start = lab_now_s(), wait_s = counter_step_s + s->batch_s;
    if (!await_step(s, start + settling_s, start + settling_s + wait_s, &first))
        return false;
    if (first.batches == 0)
        return true;
    if (!await_step(s, first.s + interval, first.s + interval + wait_s, &last))
        return false;
    if (last.batches > 0)
        s->p->outcome->energy_j =
            (last.joules - first.joules) / (double)((last.batches - first.batches) * s->repetitions);
    return true;
}

static bool create_events(struct stretch *s)
{
    struct lab_device *device = device_of(s->p);
    for (size_t i = 0; i < QUEUED; i++)
        if ((s->ends[i] = device->runtime->event_create(device)) == NULL)
            return false;
    return true;
}

static struct stretch stretch_of(const struct lab_measuring *p)
{
    struct stretch s = {.p = p, .repetitions = (size_t)fmax(1, floor(batch_s / p->sampling.repetition_s))};
    s.batch_s = (double)s.repetitions * p->sampling.repetition_s;
    return s;
}

static double interval_s(const struct stretch *s)
{
    return fmax(interval_s_min, BATCHES_MIN * s->batch_s);
}

bool lab_measuring_keep_energy(struct lab_measuring *p)
{
    double joules;
    if (!p->work->energy || !is_continuous(p) || !read_counter(p, &joules))
        return true;
    const struct stretch s = stretch_of(p);
    p->energy_s = settling_s + interval_s(&s) + 2 * (counter_step_s + s.batch_s) + QUEUED * s.batch_s;
    p->energy_is_kept = p->deadline_s - lab_now_s() >= 2 * p->energy_s;
    p->deadline_s -= p->energy_is_kept ? p->energy_s : 0;
    return true;
}

bool lab_measuring_energy(struct lab_measuring *p)
{
    /* If the time has been kept, samples that took as long as they could have ended just after the deadline. The run must then
     * have the time for this and for verifying. */
    double verifying_s = p->share_end_s - p->deadline_s - p->energy_s;
    double left_s = p->energy_is_kept ? lab_measurer_remaining_s(p->m) - verifying_s : p->deadline_s - lab_now_s();
    if (!(p->energy_s > 0) || left_s < p->energy_s)
        return true;
    struct stretch s = stretch_of(p);
    bool good = create_events(&s) && measure(&s, interval_s(&s)) && lab_work_synchronize(p->work);
    if (!good)
        lab_sampling_drain(&p->sampling);
    for (size_t i = 0; i < QUEUED; i++)
        device_of(p)->runtime->event_release(device_of(p), s.ends[i]);
    return good;
}
