/* The hardware counters of a point: the work runs again after the samples, once in each pass in which the device counts
 * (METHOD.md 22). */
#include "measure/measuring.h"

#include <stdio.h>

/* Enabling, configuring and reading the counters of a point, and a pass, without the work (on an H100; the first pass
 * after the profiler was enabled takes most of it). */
static const double point_s = 0.2, pass_s = 0.0095;

static void note(const struct lab_measurer *m, const char *format, const char *detail)
{
    char text[LAB_DETAIL_MAX + 64];
    snprintf(text, sizeof text, format, detail);
    m->run->sink.note(m->run->sink.context, text);
}

/* Clears the device's error after saying it. */
static void say_refusal(struct lab_measurer *m, struct lab_device *device)
{
    note(m, "no hardware counters: %s", device->error.detail);
    device->error = (struct lab_error){0};
    m->passes = 0;
}

void lab_measuring_prepare_counters(struct lab_measurer *m)
{
    const struct lab_run *run = m->run;
    struct lab_device *device = run->devices[0];
    bool is_wanted = lab_parameter_counters(run->parameters) && !run->tracing;
    if (is_wanted && device->runtime->counters != NULL && !device->runtime->counters->prepare(device, &m->passes))
        say_refusal(m, device);
}

/* Work of one stream, which the device alone executes. */
static bool is_countable(const struct lab_work *work)
{
    return work->lane_count == 1 && !work->collective && work->background == NULL &&
           (work->timing == LAB_TIME_LATCHED || work->timing == LAB_TIME_EVENTS);
}

/* Whether the passes do not take longer than what is left of the run. Otherwise a note says so, once. */
static bool has_time(const struct lab_measuring *p)
{
    struct lab_measurer *m = p->m;
    double taken_s = point_s + (double)m->passes * (pass_s + p->sampling.repetition_s);
    if (taken_s <= lab_budget_remaining_s(&m->shared->budget))
        return true;
    if (!m->said_uncounted)
        note(m,
             "not all points have hardware counters: for some, counting takes longer than the rest of the time budget; "
             "raise time_budget_s%s",
             "");
    m->said_uncounted = true;
    return false;
}

/* The work of a point while it is counted. */
struct counted {
    const struct lab_measuring *p;
    bool failed; /* the work itself */
};

static bool prepare_repetition(void *context)
{
    struct counted *counted = context;
    counted->failed = !lab_sampling_prepare_sample(&counted->p->sampling);
    return !counted->failed;
}

static bool run_repetition(void *context)
{
    struct counted *counted = context;
    const struct lab_work *work = counted->p->work;
    counted->failed = !lab_work_announce(work, 1) || !work->enqueue(work->context) || !lab_work_synchronize(work);
    return !counted->failed;
}

bool lab_measuring_count(struct lab_measuring *p)
{
    struct lab_measurer *m = p->m;
    struct lab_device *device = p->work->lanes[0].device;
    struct counted counted = {.p = p};
    const struct lab_counted_work work = {&counted, prepare_repetition, run_repetition};
    if (m->passes == 0 || !is_countable(p->work) || lab_run_cancelled(m->run) || !has_time(p))
        return true;
    double start_s = lab_now_s();
    p->outcome->counted = device->runtime->counters->count(device, &work, &p->outcome->counts);
    lab_budget_extend(&m->shared->budget, lab_now_s() - start_s);
    if (!p->outcome->counted && !counted.failed)
        say_refusal(m, device);
    return !counted.failed;
}
