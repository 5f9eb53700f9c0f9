/* The measurement loop: takes the samples of a point and decides when there are enough. */
#include "measure/measure.h"

#include "measure/budget.h"
#include "measure/sampling.h"
#include "measure/stopping.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_MIN = 3,  /* samples of a point whose share of the time budget is used up */
    DISCARDS_MAX = 20 /* a point is abandoned when its invalid samples outnumber the valid ones by more than this */
};

static const double settled_tolerance = 0.01; /* the speed of a settled device changes by at most this share */
static const double rest_step_s = 0.1;        /* a cancel ends a pause after at most this time */

struct lab_measurer {
    struct lab_run *run;
    struct lab_timers timers, baseline_timers;
    struct lab_flushes flushes;
    struct lab_budget budget;
    struct lab_stopping_limits limits;
    double sample_s, settle_s, rest_s; /* the run's parameters of these names */
    /* Samples of the current point and of its baseline in seconds per repetition; space for max_samples each. */
    double *samples, *baseline_samples;
    char reason[192]; /* why the current point is unmeasurable */
};

/* A point while it is measured. */
struct point {
    struct lab_measurer *m;
    const struct lab_work *work;
    struct lab_sampling sampling, baseline; /* taken alternately; baseline.work is NULL if there is no baseline */
    double deadline;                        /* end of the point's sampling, on the clock of lab_now_s */
    struct lab_outcome *outcome;
};

/* --- creating and releasing --------------------------------------------------------------------------------------- */

static struct lab_stopping_limits limits_of(const struct lab_parameters *parameters)
{
    return (struct lab_stopping_limits){
        .min_samples = (size_t)lab_parameter_integer(parameters, "min_samples"),
        .max_samples = (size_t)lab_parameter_integer(parameters, "max_samples"),
        .min_time_s = lab_parameter_number(parameters, "min_time_s"),
        .max_noise = lab_parameter_number(parameters, "max_noise"),
    };
}

struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points)
{
    struct lab_measurer *m = calloc(1, sizeof *m);
    if (m == NULL)
        goto fail;
    m->run = run;
    m->budget = lab_budget_start(lab_parameter_number(run->parameters, "time_budget_s"), points, run->tracing);
    m->limits = limits_of(run->parameters);
    m->sample_s = lab_parameter_number(run->parameters, "sample_s");
    m->settle_s = lab_parameter_number(run->parameters, "settle_s");
    m->rest_s = lab_parameter_number(run->parameters, "rest_s");
    m->samples = calloc(m->limits.max_samples, sizeof *m->samples);
    m->baseline_samples = calloc(m->limits.max_samples, sizeof *m->baseline_samples);
    if (m->samples == NULL || m->baseline_samples == NULL)
        goto fail;
    return m;
fail:
    lab_measurer_release(m);
    lab_error_set(&run->error, "out-of-memory", "", "out of memory for the samples");
    return NULL;
}

void lab_measurer_release(struct lab_measurer *m)
{
    if (m == NULL)
        return;
    lab_timers_release(&m->timers);
    lab_timers_release(&m->baseline_timers);
    lab_flushes_release(&m->flushes);
    free(m->samples);
    free(m->baseline_samples);
    free(m);
}

void lab_measurer_skip(struct lab_measurer *m)
{
    lab_budget_next_point(&m->budget);
}

double lab_measurer_remaining_s(const struct lab_measurer *m)
{
    return lab_budget_remaining_s(&m->budget);
}

/* --- one pair of samples ------------------------------------------------------------------------------------------ */

/* Copies the error of the baseline to the first lane's device of the work. Always returns false. */
static bool keep_baseline_error(const struct lab_work *work)
{
    return lab_device_forward_error(work->lanes[0].device, work->baseline->lanes[0].device, false);
}

/* Leaves the devices idle for rest_s. */
static void rest(const struct lab_measurer *m)
{
    double end = lab_now_s() + m->rest_s;
    for (double left = m->rest_s; left > 0 && !lab_run_cancelled(m->run); left = end - lab_now_s())
        lab_sleep_s(fmin(left, rest_step_s));
}

/* Takes a sample of the baseline, if there is one, and then one of the work, each after a pause. The pair is invalid if
 * either sample is; the work is sampled in any case, so that its result is what is verified. */
static enum lab_sample_status take_pair(struct point *p, double *seconds, double *baseline_seconds)
{
    enum lab_sample_status baseline = LAB_SAMPLE_VALID;
    if (p->baseline.work != NULL) {
        rest(p->m);
        baseline = lab_sample_take(&p->baseline, baseline_seconds);
    }
    if (baseline == LAB_SAMPLE_FAILED) {
        keep_baseline_error(p->work);
        return baseline;
    }
    rest(p->m);
    enum lab_sample_status work = lab_sample_take(&p->sampling, seconds);
    return work == LAB_SAMPLE_VALID ? baseline : work;
}

/* --- the steps of a point ----------------------------------------------------------------------------------------- */

/* A step returns false with the error of the first lane's device set. If it sets outcome->unmeasurable, the point ends. */

static bool abandon_invalid(struct point *p)
{
    p->outcome->unmeasurable =
        "too many samples were invalid: the latch timed out, or the background copies ended before the timed work";
    return true;
}

/* Abandons the point if SAMPLES_MIN pairs and the verification, of `repetition_s` each, exceed what is left of the
 * budget. */
static bool check_time(struct point *p, double repetition_s)
{
    struct lab_measurer *m = p->m;
    if (lab_measurer_remaining_s(m) >= (SAMPLES_MIN + 1) * repetition_s)
        return true;
    snprintf(m->reason, sizeof m->reason,
             "one repetition takes %.3g s; %d samples and the verification do not fit in the rest of the run's time "
             "budget (%g s); raise time_budget_s",
             repetition_s, SAMPLES_MIN, m->budget.total_s);
    p->outcome->unmeasurable = m->reason;
    return true;
}

const char *lab_measurer_used_up(struct lab_measurer *m)
{
    if (lab_measurer_remaining_s(m) > 0)
        return NULL;
    snprintf(m->reason, sizeof m->reason, "the time budget of the run (%g s) is used up; raise time_budget_s",
             m->budget.total_s);
    return m->reason;
}

static bool check_budget(struct point *p)
{
    p->outcome->unmeasurable = lab_measurer_used_up(p->m);
    return true;
}

static bool prepare_flushes(struct lab_measurer *m, const struct lab_work *work)
{
    const struct lab_work *baseline = work->baseline;
    if (work->cold && !lab_flushes_prepare(&m->flushes, work->lanes, work->lane_count))
        return false;
    return baseline == NULL || !baseline->cold ||
           lab_flushes_prepare(&m->flushes, baseline->lanes, baseline->lane_count) || keep_baseline_error(work);
}

static bool prepare(struct point *p)
{
    const struct lab_error *error = &p->work->lanes[0].device->error;
    if (prepare_flushes(p->m, p->work))
        return true;
    p->outcome->unmeasurable = strcmp(error->code, "unsupported") == 0 ? error->detail : NULL;
    return p->outcome->unmeasurable != NULL;
}

static bool warm_up_one(struct lab_timers *timers, const struct lab_flushes *flushes, struct lab_sampling *sampling,
                        const struct lab_work *work)
{
    struct lab_timer *timer = lab_timers_get(timers, work);
    return timer != NULL && lab_sampling_warm_up(sampling, timer, flushes, work);
}

/* Verifying takes about as long as poisoning and warming up, so as much of the point's share is kept for it. */
static bool warm_up(struct point *p)
{
    struct lab_measurer *m = p->m;
    const struct lab_work *work = p->work;
    double start = lab_now_s(), share_end = lab_budget_share_end(&m->budget);
    if (work->poison != NULL && !work->poison(work->context))
        return false;
    if (work->baseline != NULL && !warm_up_one(&m->baseline_timers, &m->flushes, &p->baseline, work->baseline))
        return keep_baseline_error(work);
    double before_work = lab_now_s();
    if (!warm_up_one(&m->timers, &m->flushes, &p->sampling, work))
        return false;
    double end = lab_now_s();
    p->deadline = share_end - (work->verify != NULL ? fmin(end - start, (share_end - start) / 2) : 0);
    return lab_measurer_remaining_s(m) >= end - before_work || check_time(p, end - before_work);
}

/* The baseline comes first: the result of the work is in the destination. */
static bool calibrate(struct point *p)
{
    enum lab_sample_status status = LAB_SAMPLE_VALID;
    if (p->baseline.work != NULL)
        status = lab_sampling_calibrate(&p->baseline, p->m->sample_s);
    if (status == LAB_SAMPLE_FAILED)
        return keep_baseline_error(p->work);
    if (status == LAB_SAMPLE_VALID)
        status = lab_sampling_calibrate(&p->sampling, p->m->sample_s);
    if (status == LAB_SAMPLE_FAILED)
        return false;
    return status == LAB_SAMPLE_INVALID ? abandon_invalid(p)
                                        : check_time(p, p->sampling.repetition_s + p->baseline.repetition_s);
}

/* Runs compute work for at least settle_s, and then until two successive windows of half that time agree: the clock has
 * found what the power limit allows. Goes on for at most 10 * settle_s, or half of the point's time, also when the speed of
 * the device still changes. settle_s itself is never cut short, because the point would be called sustained and be a burst. */
static bool settle(struct point *p)
{
    const struct lab_measurer *m = p->m;
    struct lab_running_statistics previous = {0}, window = {0};
    double now = lab_now_s(), window_s = m->settle_s / 2;
    double most_s = fmin((p->deadline - now) / 2, 10 * m->settle_s);
    double end = now + fmax(most_s, m->settle_s), window_end = now + window_s;
    if (!p->work->compute || !(m->settle_s > 0) || m->rest_s > 0)
        return true;
    while (now < end && !lab_run_cancelled(m->run)) {
        double seconds, baseline_seconds;
        enum lab_sample_status result = take_pair(p, &seconds, &baseline_seconds);
        if (result == LAB_SAMPLE_FAILED)
            return false;
        if (result == LAB_SAMPLE_VALID)
            lab_running_statistics_add(&window, seconds);
        now = lab_now_s();
        if (now < window_end || window.n == 0)
            continue;
        if (previous.n > 0 && lab_means_agree(&previous, &window, settled_tolerance))
            break;
        previous = window;
        window = (struct lab_running_statistics){0};
        window_end = now + window_s;
    }
    return true;
}

/* Merges the conditions of all devices into those of the outcome. */
static bool read_conditions(struct point *p)
{
    const struct lab_work *work = p->work;
    const struct lab_monitor *monitor = &p->m->run->monitor;
    for (size_t i = 0; monitor->conditions != NULL && i < work->lane_count; i++) {
        struct lab_conditions now;
        bool read = false;
        for (size_t k = 0; k < i; k++)
            read = read || work->lanes[k].device == work->lanes[i].device;
        if (read)
            continue;
        lab_conditions_clear(&now);
        monitor->conditions(monitor->context, work->lanes[i].device, &now);
        lab_conditions_merge(&p->outcome->conditions, &now);
    }
    return true;
}

/* Decides after a valid sample whether the point ends. */
static const char *reason_to_stop(const struct point *p, struct lab_stopping *stopping)
{
    const struct lab_measurer *m = p->m;
    size_t count = p->outcome->count,
           enough = m->limits.min_samples < SAMPLES_MIN ? m->limits.min_samples : SAMPLES_MIN;
    double duration_s = m->samples[count - 1] * (double)p->sampling.repetitions + m->rest_s;
    bool budget_used = (count >= enough && lab_now_s() >= p->deadline) || lab_measurer_remaining_s(m) <= 0;
    return lab_stopping_reason(stopping, m->samples, count, duration_s, budget_used);
}

static bool sample(struct point *p)
{
    struct lab_measurer *m = p->m;
    struct lab_outcome *outcome = p->outcome;
    struct lab_stopping stopping = {.limits = &m->limits};
    size_t discarded = 0;
    while (outcome->stop_reason == NULL && outcome->unmeasurable == NULL) {
        if (lab_run_cancelled(m->run)) {
            outcome->stop_reason = "cancelled";
            break;
        }
        enum lab_sample_status result = take_pair(p, &m->samples[outcome->count], &m->baseline_samples[outcome->count]);
        if (result == LAB_SAMPLE_FAILED)
            return false;
        if (result == LAB_SAMPLE_VALID) {
            outcome->count++;
            outcome->stop_reason = reason_to_stop(p, &stopping);
        } else if (++discarded > DISCARDS_MAX + outcome->count || lab_measurer_remaining_s(m) <= 0) {
            abandon_invalid(p);
        }
    }
    return outcome->count > 0 || outcome->unmeasurable != NULL ||
           lab_error_set(&p->work->lanes[0].device->error, "cancelled", "", "the run was cancelled");
}

/* Checks the result after the samples, unless it accumulates, then poisons the destination, runs one more repetition and checks its result. */
static bool verify(struct point *p)
{
    const struct lab_work *work = p->work;
    struct lab_outcome *outcome = p->outcome;
    uint64_t wrong_before = 0, wrong_after;
    if (work->verify == NULL)
        return true;
    if ((!work->accumulates && !work->verify(work->context, &wrong_before)) || !work->poison(work->context) ||
        !work->enqueue(work->context) || !lab_work_synchronize(work) || !work->verify(work->context, &wrong_after))
        return false;
    outcome->verified_known = true;
    outcome->wrong = wrong_before > wrong_after ? wrong_before : wrong_after;
    outcome->verified = outcome->wrong == 0;
    return true;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool measure_point(struct point *p)
{
    static bool (*const steps[])(struct point *) = {check_budget,    prepare, warm_up,         calibrate, settle,
                                                    read_conditions, sample,  read_conditions, verify};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && p->outcome->unmeasurable == NULL; i++)
        if (!steps[i](p)) {
            lab_sampling_drain(&p->sampling);
            lab_sampling_drain(&p->baseline);
            return false;
        }
    return true;
}

bool lab_measure(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome)
{
    struct point point = {.m = m, .work = work, .outcome = outcome};
    *outcome = (struct lab_outcome){.samples = m->samples,
                                    .baseline_samples = work->baseline != NULL ? m->baseline_samples : NULL,
                                    .cache = work->cacheless ? NULL
                                             : work->cold    ? "cold"
                                                             : "warm"};
    lab_conditions_clear(&outcome->conditions);

    bool good = measure_point(&point);
    lab_measurer_skip(m);
    if (!good)
        m->run->error = work->lanes[0].device->error;
    if (outcome->verified_known && !outcome->verified)
        m->run->any_wrong = true;
    return good;
}

enum { ROUGH_SAMPLES = 5 };

/* Takes ROUGH_SAMPLES samples, fewer when the share of a point is used up. The calibration has taken the first. Returns
 * their number, 0 with the error of the first lane's device set. */
static size_t sample_roughly(struct point *p, double samples[ROUGH_SAMPLES])
{
    struct lab_device *device = p->work->lanes[0].device;
    if (!prepare_flushes(p->m, p->work) || !warm_up(p) || (p->outcome->unmeasurable == NULL && !calibrate(p)))
        return 0;
    if (!(p->sampling.repetition_s > 0)) {
        lab_error_set(&device->error, "unmeasurable", "", "calibration: %s", p->outcome->unmeasurable);
        return 0;
    }
    size_t taken = 0;
    samples[taken++] = p->sampling.repetition_s;
    for (size_t i = 0; i < DISCARDS_MAX && taken < ROUGH_SAMPLES && lab_now_s() < p->deadline; i++) {
        if (lab_run_cancelled(p->m->run)) {
            lab_error_set(&device->error, "cancelled", "", "the run was cancelled");
            return 0;
        }
        enum lab_sample_status result = lab_sample_take(&p->sampling, &samples[taken]);
        if (result == LAB_SAMPLE_FAILED)
            return 0;
        taken += result == LAB_SAMPLE_VALID;
    }
    return taken;
}

bool lab_time_roughly(struct lab_measurer *m, const struct lab_work *work, double *seconds)
{
    struct lab_work unverified = *work;
    struct lab_outcome outcome = {0};
    struct point point = {.m = m, .work = &unverified, .outcome = &outcome};
    double samples[ROUGH_SAMPLES];
    struct lab_summary summary;
    unverified.poison = NULL;
    unverified.verify = NULL;
    unverified.baseline = NULL;
    size_t taken = sample_roughly(&point, samples);
    if (taken == 0) {
        lab_sampling_drain(&point.sampling);
        m->run->error = work->lanes[0].device->error;
        return false;
    }
    bool good = lab_summarise(samples, taken, &summary);
    *seconds = summary.median;
    return good || lab_error_set(&m->run->error, "out-of-memory", "", "out of memory for a summary");
}

void lab_measurement_from_outcome(struct lab_measurement *measurement, const struct lab_outcome *outcome)
{
    measurement->stop_reason = outcome->stop_reason;
    measurement->verified_known = outcome->verified_known;
    measurement->verified = outcome->verified;
    measurement->wrong = outcome->wrong;
    measurement->cache = outcome->cache;
    measurement->conditions = &outcome->conditions;
}
