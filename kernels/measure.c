/* The measurement loop of the house. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    QUEUED_MAX = 256,     /* operations behind a latch: beyond that the driver may block on its own queue */
    DISCARDS_MAX = 20,    /* invalid samples beyond the good ones before a point is given up */
    NOISE_WINDOW = 64,    /* noise estimates that must agree for "noise-stable" */
    CALIBRATIONS_MAX = 8, /* tries at finding how many repetitions make a sample */
    LOAD_SHARE_MAX = 64   /* repetitions of the load for one of the work, at most */
};

static const double sample_seconds_min = 100e-6; /* METHOD.md 1: events resolve 0.5 us */
static const double latch_timeout_s = 5;
static const double noise_spread_max = 0.05; /* of the noise window, for "noise-stable" */

/* What one device needs for timing. */
struct rig {
    struct lab_device *device;
    struct lab_latch *latch;
    struct lab_stream *control; /* carries the latch */
    struct lab_event *gate;     /* passes when the latch opens */
    struct lab_event *loaded;   /* the load's first repetition is over */
    struct lab_event *start, *stop;
    struct lab_event *join;     /* end of the second stream */
    struct lab_event *unloaded; /* end of the load */
};

struct lab_measurer {
    struct lab_run *run;
    size_t rig_count;
    struct rig rigs[LAB_RUN_DEVICES_MAX];
    size_t points_left;
    double end_s; /* when the time budget is spent */
    size_t min_samples, max_samples;
    double max_noise;
    double *samples;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points)
{
    struct lab_measurer *m = calloc(1, sizeof *m);
    if (m == NULL)
        goto fail;
    m->run = run;
    m->points_left = points;
    m->end_s = now_s() + lab_parameter_number(run->parameters, "time_budget_s");
    m->min_samples = (size_t)lab_parameter_integer(run->parameters, "min_samples");
    m->max_samples = (size_t)lab_parameter_integer(run->parameters, "max_samples");
    m->max_noise = lab_parameter_number(run->parameters, "max_noise");
    m->samples = calloc(m->max_samples, sizeof *m->samples);
    if (m->samples == NULL)
        goto fail;
    return m;
fail:
    lab_measurer_release(m);
    lab_error_set(&run->error, "out-of-memory", "", "no memory for the samples");
    return NULL;
}

static void release_rig(struct rig *rig)
{
    struct lab_device *device = rig->device;
    const struct lab_runtime *runtime = device->runtime;
    runtime->event_release(device, rig->gate);
    runtime->event_release(device, rig->loaded);
    runtime->event_release(device, rig->start);
    runtime->event_release(device, rig->stop);
    runtime->event_release(device, rig->join);
    runtime->event_release(device, rig->unloaded);
    runtime->latch_release(device, rig->latch);
    runtime->stream_release(device, rig->control);
}

void lab_measurer_release(struct lab_measurer *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->rig_count; i++)
        release_rig(&m->rigs[i]);
    free(m->samples);
    free(m);
}

/* The device's rig, made at first use; NULL with the device's error. */
static struct rig *rig_of(struct lab_measurer *m, struct lab_device *device)
{
    for (size_t i = 0; i < m->rig_count; i++)
        if (m->rigs[i].device == device)
            return &m->rigs[i];
    const struct lab_runtime *runtime = device->runtime;
    struct rig *rig = &m->rigs[m->rig_count];
    *rig = (struct rig){.device = device};
    bool good =
        (rig->latch = runtime->latch_create(device)) != NULL &&
        (rig->control = runtime->stream_create(device)) != NULL &&
        (rig->gate = runtime->event_create(device)) != NULL && (rig->loaded = runtime->event_create(device)) != NULL &&
        (rig->start = runtime->event_create(device)) != NULL && (rig->stop = runtime->event_create(device)) != NULL &&
        (rig->join = runtime->event_create(device)) != NULL && (rig->unloaded = runtime->event_create(device)) != NULL;
    if (!good) {
        release_rig(rig);
        return NULL;
    }
    m->rig_count++;
    return rig;
}

/* --- one sample --------------------------------------------------------------------------------------------------- */

enum sample_result { SAMPLE_GOOD, SAMPLE_INVALID, SAMPLE_FAILED };

/* One point while it is measured. */
struct point {
    struct lab_measurer *measurer;
    const struct lab_work *work;
    struct rig *rig;
    size_t repetitions; /* of the work in one sample */
    size_t load_share;  /* repetitions of the load for each of the work */
};

static bool synchronize(const struct lab_work *work)
{
    const struct lab_runtime *runtime = work->device->runtime;
    for (size_t i = 0; i < work->stream_count; i++)
        if (!runtime->stream_synchronize(work->device, work->streams[i]))
            return false;
    return work->background == NULL || runtime->stream_synchronize(work->device, work->background);
}

static bool enqueue_times(bool (*enqueue)(void *context), void *context, size_t times)
{
    for (size_t i = 0; i < times; i++)
        if (!enqueue(context))
            return false;
    return true;
}

/* The load starts before the work does and is meant to end after it. */
static bool enqueue_load(const struct point *p, bool latched)
{
    const struct lab_work *work = p->work;
    struct lab_device *device = work->device;
    const struct lab_runtime *runtime = device->runtime;
    if (work->background == NULL)
        return true;
    return (!latched || runtime->stream_wait(device, work->background, p->rig->gate)) && work->load(work->context) &&
           runtime->event_record(device, p->rig->loaded, work->background) &&
           runtime->stream_wait(device, work->streams[0], p->rig->loaded) &&
           enqueue_times(work->load, work->context, p->load_share * p->repetitions + 1) &&
           runtime->event_record(device, p->rig->unloaded, work->background);
}

/* start event, the repetitions on all streams, stop event: the first stream's start is waited on by the second, its
 * stop waits for the second (METHOD.md 11). */
static bool enqueue_timed(const struct point *p, bool latched)
{
    const struct lab_work *work = p->work;
    struct lab_device *device = work->device;
    const struct lab_runtime *runtime = device->runtime;
    const struct rig *rig = p->rig;
    bool pair = work->stream_count == 2;

    if (latched)
        for (size_t i = 0; i < work->stream_count; i++)
            if (!runtime->stream_wait(device, work->streams[i], rig->gate))
                return false;
    if (!enqueue_load(p, latched) || !runtime->event_record(device, rig->start, work->streams[0]))
        return false;
    if (pair && !runtime->stream_wait(device, work->streams[1], rig->start))
        return false;
    if (!enqueue_times(work->enqueue, work->context, p->repetitions))
        return false;
    if (pair && !(runtime->event_record(device, rig->join, work->streams[1]) &&
                  runtime->stream_wait(device, work->streams[0], rig->join)))
        return false;
    return runtime->event_record(device, rig->stop, work->streams[0]);
}

/* A sample whose load ended first says nothing about working under load; the next one gets more of it. */
static enum sample_result check_load(struct point *p)
{
    double outlasted;
    if (p->work->background == NULL)
        return SAMPLE_GOOD;
    if (!p->work->device->runtime->event_elapsed(p->work->device, p->rig->stop, p->rig->unloaded, &outlasted))
        return SAMPLE_FAILED;
    if (outlasted >= 0)
        return SAMPLE_GOOD;
    if (p->load_share < LOAD_SHARE_MAX)
        p->load_share *= 2;
    return SAMPLE_INVALID;
}

static enum sample_result sample_by_events(struct point *p, bool latched, double *seconds)
{
    const struct lab_work *work = p->work;
    struct lab_device *device = work->device;
    const struct lab_runtime *runtime = device->runtime;
    struct rig *rig = p->rig;
    bool timed_out = false;

    if (latched && !(runtime->latch_close(device, rig->latch, rig->control, latch_timeout_s) &&
                     runtime->event_record(device, rig->gate, rig->control)))
        return SAMPLE_FAILED;
    bool queued = enqueue_timed(p, latched);
    if (latched)
        runtime->latch_open(device, rig->latch);
    if (!queued || !synchronize(work))
        return SAMPLE_FAILED;
    if (latched && !(runtime->stream_synchronize(device, rig->control) &&
                     runtime->latch_timed_out(device, rig->latch, &timed_out)))
        return SAMPLE_FAILED;
    if (timed_out)
        return SAMPLE_INVALID;
    if (!runtime->event_elapsed(device, rig->start, rig->stop, seconds))
        return SAMPLE_FAILED;
    *seconds /= (double)p->repetitions;
    return check_load(p);
}

/* Each repetition is a copy and its synchronisation: what a program that uses pageable memory waits for. */
static enum sample_result sample_by_host_clock(const struct point *p, double *seconds)
{
    double start = now_s();
    for (size_t i = 0; i < p->repetitions; i++)
        if (!p->work->enqueue(p->work->context) || !synchronize(p->work))
            return SAMPLE_FAILED;
    *seconds = (now_s() - start) / (double)p->repetitions;
    return SAMPLE_GOOD;
}

static enum sample_result take_sample(struct point *p, double *seconds)
{
    switch (p->work->timing) {
    case LAB_TIME_LATCHED:
        return sample_by_events(p, true, seconds);
    case LAB_TIME_EVENTS:
        return sample_by_events(p, false, seconds);
    case LAB_TIME_HOST_CLOCK:
        break;
    }
    return sample_by_host_clock(p, seconds);
}

/* --- before sampling ---------------------------------------------------------------------------------------------- */

/* Everything runs once before a latch is armed: what is loaded or made at first use must not be waited for behind it.
 */
static bool warm_up(const struct lab_work *work)
{
    return work->enqueue(work->context) && (work->background == NULL || work->load(work->context)) && synchronize(work);
}

static size_t repetitions_max(const struct point *p)
{
    if (p->work->timing != LAB_TIME_LATCHED)
        return 100000;
    size_t each = p->work->operations * (p->work->background != NULL ? 1 + p->load_share : 1);
    size_t most = QUEUED_MAX / (each > 0 ? each : 1);
    return most < 1 ? 1 : most;
}

/* Finds how many repetitions last long enough. Samples taken here are thrown away. */
static bool calibrate(struct point *p)
{
    p->repetitions = 1;
    p->load_share = 3;
    for (int i = 0; i < CALIBRATIONS_MAX; i++) {
        double seconds = 0;
        enum sample_result result = take_sample(p, &seconds);
        if (result == SAMPLE_FAILED)
            return false;
        size_t most = repetitions_max(p);
        if (p->repetitions > most)
            p->repetitions = most; /* the load has grown */
        if (result == SAMPLE_INVALID)
            continue;
        if (seconds * (double)p->repetitions >= sample_seconds_min || p->repetitions == most)
            return true;
        double wanted = seconds > 0 ? ceil(1.1 * sample_seconds_min / seconds) : (double)most;
        p->repetitions = wanted < (double)most ? (size_t)wanted : most;
    }
    return true;
}

/* --- when to stop ------------------------------------------------------------------------------------------------- */

struct stopping {
    struct lab_running running;
    double window[NOISE_WINDOW];
    size_t filled; /* noise estimates so far */
};

/* The noise has stabilised when its latest estimates lie within a few percent of each other: more samples would not
 * lower it (after nvbench's criterion). */
static bool noise_is_stable(const struct stopping *stopping)
{
    if (stopping->filled < NOISE_WINDOW)
        return false;
    double low = stopping->window[0], high = low, sum = 0;
    for (size_t i = 0; i < NOISE_WINDOW; i++) {
        low = fmin(low, stopping->window[i]);
        high = fmax(high, stopping->window[i]);
        sum += stopping->window[i];
    }
    return high - low <= noise_spread_max * sum / NOISE_WINDOW;
}

/* The named reason to stop after one more sample, NULL to go on. */
static const char *reason_to_stop(const struct lab_measurer *m, struct stopping *stopping, double sample,
                                  double deadline)
{
    lab_running_add(&stopping->running, sample);
    double noise = lab_running_noise(&stopping->running);
    size_t n = stopping->running.n;
    if (n >= m->min_samples) {
        if (noise <= m->max_noise)
            return "converged";
        if (isfinite(noise))
            stopping->window[stopping->filled++ % NOISE_WINDOW] = noise;
        if (noise_is_stable(stopping))
            return "noise-stable";
    }
    if (n >= m->max_samples)
        return "sample-limit";
    if (n >= m->min_samples && now_s() >= deadline)
        return "timed-out";
    return NULL;
}

/* --- sampling and verifying --------------------------------------------------------------------------------------- */

static bool sample_point(struct point *p, double deadline, struct lab_outcome *outcome)
{
    struct lab_measurer *m = p->measurer;
    struct stopping stopping = {0};
    size_t discarded = 0;
    while (outcome->stop_reason == NULL) {
        if (lab_run_cancelled(m->run)) {
            outcome->stop_reason = "cancelled";
            break;
        }
        double seconds;
        enum sample_result result = take_sample(p, &seconds);
        if (result == SAMPLE_FAILED)
            return false;
        if (result == SAMPLE_INVALID) {
            if (++discarded <= DISCARDS_MAX + outcome->count)
                continue;
            outcome->unmeasurable =
                "too many samples were invalid: the latch timed out, or the load ended before the work did";
            break;
        }
        m->samples[outcome->count++] = seconds;
        outcome->stop_reason = reason_to_stop(m, &stopping, seconds, deadline);
        if (outcome->count == (m->min_samples + 1) / 2 && m->run->monitor.conditions != NULL)
            m->run->monitor.conditions(m->run->monitor.context, p->work->device, &outcome->conditions);
    }
    return true;
}

/* Checks what the samples left behind, and then a last repetition on a destination that was poisoned before it. */
static bool verify_point(const struct lab_work *work, struct lab_outcome *outcome)
{
    uint64_t wrong_before, wrong_after;
    if (!work->verify(work->context, &wrong_before) || !work->poison(work->context) || !work->enqueue(work->context) ||
        !synchronize(work) || !work->verify(work->context, &wrong_after))
        return false;
    outcome->verified_known = true;
    outcome->wrong = wrong_before > wrong_after ? wrong_before : wrong_after;
    outcome->verified = outcome->wrong == 0;
    return true;
}

static bool measure_point(struct point *p, struct lab_outcome *outcome)
{
    struct lab_measurer *m = p->measurer;
    const struct lab_work *work = p->work;
    double now = now_s();
    double deadline = now + fmax(0, m->end_s - now) / (double)m->points_left;

    p->rig = rig_of(m, work->device);
    if (p->rig == NULL || (work->poison != NULL && !work->poison(work->context)) || !warm_up(work) || !calibrate(p) ||
        !sample_point(p, deadline, outcome))
        return false;
    if (outcome->unmeasurable != NULL)
        return true;
    if (outcome->count == 0)
        return lab_error_set(&work->device->error, "cancelled", "", "the run was cancelled");
    return work->verify == NULL || verify_point(work, outcome);
}

bool lab_measure(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome)
{
    struct point point = {.measurer = m, .work = work};
    *outcome = (struct lab_outcome){.samples = m->samples};
    lab_conditions_clear(&outcome->conditions);

    bool good = measure_point(&point, outcome);
    if (m->points_left > 1)
        m->points_left--;
    if (!good)
        m->run->error = work->device->error;
    if (outcome->verified_known && !outcome->verified)
        m->run->any_wrong = true;
    return good;
}

bool lab_time(struct lab_measurer *m, const struct lab_work *work, double *seconds)
{
    enum { SAMPLES = 5 };
    struct point point = {.measurer = m, .work = work, .rig = rig_of(m, work->device)};
    double samples[SAMPLES];
    struct lab_summary summary;
    size_t taken = 0;
    bool good = point.rig != NULL && warm_up(work) && calibrate(&point);
    for (size_t tries = 0; good && taken < SAMPLES && tries < SAMPLES + DISCARDS_MAX; tries++) {
        enum sample_result result = take_sample(&point, &samples[taken]);
        good = result != SAMPLE_FAILED;
        taken += result == SAMPLE_GOOD;
    }
    if (good && taken == 0)
        good = lab_error_set(&work->device->error, "unmeasurable", "", "no sample of a calibration was valid");
    if (!good) {
        m->run->error = work->device->error;
        return false;
    }
    good = lab_summarise(samples, taken, &summary);
    *seconds = summary.median;
    return good || lab_error_set(&m->run->error, "out-of-memory", "", "no memory for a summary");
}

void lab_measurement_from_outcome(struct lab_measurement *measurement, const struct lab_outcome *outcome)
{
    measurement->stop_reason = outcome->stop_reason;
    measurement->verified_known = outcome->verified_known;
    measurement->verified = outcome->verified;
    measurement->wrong = outcome->wrong;
    measurement->conditions = &outcome->conditions;
}

bool lab_report_outcome(struct lab_run *run, struct lab_measurement *measurement, const struct lab_outcome *outcome,
                        const char *metric, const char *unit, double numerator)
{
    double *samples = malloc(outcome->count * sizeof *samples);
    bool good = samples != NULL;
    for (size_t i = 0; good && i < outcome->count; i++)
        samples[i] = numerator > 0 ? numerator / outcome->samples[i] : outcome->samples[i];
    measurement->metric = metric;
    measurement->unit = unit;
    measurement->samples = samples;
    measurement->sample_count = outcome->count;
    good = good && lab_summarise(samples, outcome->count, &measurement->summary);
    if (good)
        run->sink.measurement(run->sink.context, measurement);
    else
        lab_error_set(&run->error, "out-of-memory", "", "no memory for the samples of a point");
    free(samples);
    return good;
}
