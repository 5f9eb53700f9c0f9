/* The steps of a point: warm-up, calibration, settling, samples, conditions, verification. */
#include "measure/measuring.h"

#include "measure/placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A point is abandoned when its invalid samples outnumber the valid ones by more than this. */
enum { DISCARDS_MAX = 20 };

static const double settled_tolerance = 0.01; /* the speed of a settled device changes by at most this share */
static const double rest_step_s = 0.1;        /* a cancel ends a pause after at most this time */

/* --- beginning ---------------------------------------------------------------------------------------------------- */

struct lab_measuring lab_measuring_begin(struct lab_measurer *m, const struct lab_work *work,
                                         struct lab_outcome *outcome, size_t points)
{
    *outcome = (struct lab_outcome){.samples = m->samples,
                                    .baseline_samples = work->baseline != NULL ? m->baseline_samples : NULL,
                                    .energy_j = NAN,
                                    .cache = work->cacheless ? NULL
                                             : work->cold    ? "cold"
                                                             : "warm"};
    lab_conditions_clear(&outcome->conditions);
    work->lanes[0].device->error = (struct lab_error){0};
    return (struct lab_measuring){.m = m,
                                  .work = work,
                                  .outcome = outcome,
                                  .share_end_s = lab_budget_share_end(&m->shared->budget, points),
                                  .stopping.limits = &m->limits};
}

void lab_measuring_renew(struct lab_measuring *p, const struct lab_work *work)
{
    p->work = work;
    p->sampling = p->baseline = (struct lab_sampling){0};
    work->lanes[0].device->error = (struct lab_error){0};
}

bool lab_measuring_enter(const struct lab_measuring *p)
{
    lab_placement_bind(p->m->run->numa_node);
    if (p->work->restore == NULL || p->work->restore(p->work->restored))
        return true;
    p->work->lanes[0].device->error = p->m->run->error;
    return false;
}

/* --- one pair of samples ------------------------------------------------------------------------------------------ */

/* Copies the error of the baseline to the first lane's device of the work. Always returns false. */
static bool keep_baseline_error(const struct lab_work *work)
{
    return lab_device_forward_error(work->lanes[0].device, work->baseline->lanes[0].device, false);
}

double lab_measuring_rest_s(const struct lab_measuring *p)
{
    return p->work->sustained ? 0 : p->m->rest_s;
}

/* Leaves the devices idle before a sample. */
static void rest(const struct lab_measuring *p)
{
    double rest_s = lab_measuring_rest_s(p), end = lab_now_s() + rest_s;
    for (double left = rest_s; left > 0 && !lab_run_cancelled(p->m->run); left = end - lab_now_s())
        lab_sleep_s(fmin(left, rest_step_s));
}

/* Takes a sample of the baseline, if there is one, and then one of the work, each after a pause. The pair is invalid if
 * either sample is; the work is sampled in any case, so that its result is what is verified. */
static enum lab_sample_status take_pair(struct lab_measuring *p, double *seconds, double *baseline_seconds)
{
    enum lab_sample_status baseline = LAB_SAMPLE_VALID;
    if (p->baseline.work != NULL) {
        rest(p);
        baseline = lab_sample_take(&p->baseline, baseline_seconds);
    }
    if (baseline == LAB_SAMPLE_FAILED) {
        keep_baseline_error(p->work);
        return baseline;
    }
    rest(p);
    enum lab_sample_status work = lab_sample_take(&p->sampling, seconds);
    return work == LAB_SAMPLE_VALID ? baseline : work;
}

bool lab_measuring_run_once(struct lab_measuring *p, double *seconds)
{
    double baseline_seconds;
    enum lab_sample_status result = take_pair(p, seconds, &baseline_seconds);
    if (result == LAB_SAMPLE_INVALID)
        *seconds = NAN;
    return result != LAB_SAMPLE_FAILED;
}

/* --- preparing ---------------------------------------------------------------------------------------------------- */

static bool abandon_invalid(struct lab_measuring *p)
{
    p->outcome->unmeasurable =
        "too many samples were invalid: the latch timed out, or the background copies ended before the timed work";
    return true;
}

/* Abandons the point if LAB_SAMPLES_MIN pairs and the verification, of `repetition_s` each, exceed what is left of the
 * budget. */
static bool check_time(struct lab_measuring *p, double repetition_s)
{
    struct lab_measurer *m = p->m;
    if (lab_measurer_remaining_s(m) >= (LAB_SAMPLES_MIN + 1) * repetition_s)
        return true;
    snprintf(m->reason, sizeof m->reason,
             "one repetition takes %.3g s; %d samples and the verification do not fit in the rest of the run's time "
             "budget (%g s); raise time_budget_s",
             repetition_s, LAB_SAMPLES_MIN, m->shared->budget.total_s);
    p->outcome->unmeasurable = m->reason;
    return true;
}

static bool check_budget(struct lab_measuring *p)
{
    p->outcome->unmeasurable = lab_measurer_used_up(p->m);
    return true;
}

static bool prepare_flushes(struct lab_measurer *m, const struct lab_work *work)
{
    const struct lab_work *baseline = work->baseline;
    if (work->cold && !lab_flushes_prepare(&m->shared->flushes, work->lanes, work->lane_count))
        return false;
    return baseline == NULL || !baseline->cold ||
           lab_flushes_prepare(&m->shared->flushes, baseline->lanes, baseline->lane_count) || keep_baseline_error(work);
}

static bool measuring_prepare(struct lab_measuring *p)
{
    const struct lab_error *error = &p->work->lanes[0].device->error;
    if (prepare_flushes(p->m, p->work))
        return true;
    p->outcome->unmeasurable = error->code == LAB_ERROR_UNSUPPORTED ? error->detail : NULL;
    return p->outcome->unmeasurable != NULL;
}

static bool warm_up_one(struct lab_timers *timers, const struct lab_flushes *flushes, struct lab_sampling *sampling,
                        const struct lab_work *work)
{
    struct lab_timer *timer = lab_timers_get(timers, work);
    return timer != NULL && lab_sampling_warm_up(sampling, timer, flushes, work);
}

/* Verifying takes about as long as poisoning and warming up, so as much of the point's share is kept for it. */
static bool warm_up(struct lab_measuring *p)
{
    struct lab_measurer *m = p->m;
    const struct lab_work *work = p->work;
    double start = lab_now_s();
    if (work->poison != NULL && !work->poison(work->context))
        return false;
    if (work->baseline != NULL &&
        !warm_up_one(&m->shared->baseline_timers, &m->shared->flushes, &p->baseline, work->baseline))
        return keep_baseline_error(work);
    double before_work = lab_now_s();
    if (!warm_up_one(&m->shared->timers, &m->shared->flushes, &p->sampling, work))
        return false;
    double end = lab_now_s();
    p->deadline_s = p->share_end_s - (work->verify != NULL ? fmin(end - start, (p->share_end_s - start) / 2) : 0);
    return lab_measurer_remaining_s(m) >= end - before_work || check_time(p, end - before_work);
}

/* The baseline comes first: the result of the work is in the destination. */
static bool measuring_calibrate(struct lab_measuring *p)
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

bool lab_measuring_prepare(struct lab_measuring *p)
{
    static bool (*const steps[])(struct lab_measuring *) = {check_budget, measuring_prepare, warm_up,
                                                            measuring_calibrate};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && p->outcome->unmeasurable == NULL; i++)
        if (!steps[i](p))
            return false;
    return true;
}

/* --- settling ----------------------------------------------------------------------------------------------------- */

/* The longest settle_s of the points that are settled; 0 if none is. */
static double settle_s_of(struct lab_measuring *const *points, size_t count)
{
    double settle_s = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i]->work->compute && !(lab_measuring_rest_s(points[i]) > 0))
            settle_s = fmax(settle_s, points[i]->m->settle_s);
    return settle_s;
}

/* Runs each point once and sets *seconds to their sum; NAN if one was not valid. */
static bool run_all_once(struct lab_measuring *const *points, size_t count, double *seconds)
{
    *seconds = 0;
    for (size_t i = 0; i < count; i++) {
        double each;
        if (!lab_measuring_enter(points[i]) || !lab_measuring_run_once(points[i], &each))
            return false;
        *seconds += each;
    }
    return true;
}

/* Runs compute work for at least settle_s, and then until two successive windows of half that time agree: the clock has
 * found what the power limit allows. Goes on for at most 10 * settle_s, or half of the points' time, also when the
 * speed of the device still changes. settle_s itself is never cut short, because the point would be called sustained
 * and be a burst. */
bool lab_measuring_settle(struct lab_measuring *const *points, size_t count, double longest_s)
{
    struct lab_running_statistics previous = {0}, window = {0};
    double settle_s = fmin(settle_s_of(points, count), longest_s), now = lab_now_s(), window_s = settle_s / 2;
    double most_s = fmin((points[0]->deadline_s - now) / 2, 10 * settle_s);
    double end = now + fmax(most_s, settle_s), window_end = now + window_s;
    while (settle_s > 0 && now < end && !lab_run_cancelled(points[0]->m->run)) {
        double seconds;
        if (!run_all_once(points, count, &seconds))
            return false;
        if (isfinite(seconds))
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

/* --- conditions and samples --------------------------------------------------------------------------------------- */

bool lab_measuring_read_conditions(struct lab_measuring *p)
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
static const char *reason_to_stop(struct lab_measuring *p)
{
    const struct lab_measurer *m = p->m;
    size_t count = p->outcome->count,
           enough = m->limits.min_samples < LAB_SAMPLES_MIN ? m->limits.min_samples : LAB_SAMPLES_MIN;
    double duration_s = m->samples[count - 1] * (double)p->sampling.repetitions + lab_measuring_rest_s(p);
    bool budget_used = (count >= enough && lab_now_s() >= p->deadline_s) || lab_measurer_remaining_s(m) <= 0;
    return lab_stopping_reason(&p->stopping, m->samples, count, duration_s, budget_used);
}

bool lab_measuring_take(struct lab_measuring *p)
{
    struct lab_measurer *m = p->m;
    struct lab_outcome *outcome = p->outcome;
    enum lab_sample_status result = take_pair(p, &m->samples[outcome->count], &m->baseline_samples[outcome->count]);
    if (result == LAB_SAMPLE_VALID) {
        outcome->count++;
        const char *reason = reason_to_stop(p);
        outcome->stop_reason = outcome->stop_reason != NULL ? outcome->stop_reason : reason;
        return p->work->keep == NULL || p->work->keep(p->work->context);
    }
    if (result == LAB_SAMPLE_INVALID &&
        (++p->discarded > DISCARDS_MAX + outcome->count || lab_measurer_remaining_s(m) <= 0))
        abandon_invalid(p);
    return result != LAB_SAMPLE_FAILED;
}

/* --- the end of a point ------------------------------------------------------------------------------------------- */

bool lab_measuring_verify(struct lab_measuring *p)
{
    const struct lab_work *work = p->work;
    struct lab_outcome *outcome = p->outcome;
    uint64_t wrong_before = 0, wrong_after;
    if (work->verify == NULL)
        return true;
    if ((!work->accumulates && !work->verify(work->context, &wrong_before)) || !work->poison(work->context) ||
        !lab_work_announce(work, 1) || !work->enqueue(work->context) || !lab_work_synchronize(work) ||
        !work->verify(work->context, &wrong_after))
        return false;
    uint64_t wrong = wrong_before > wrong_after ? wrong_before : wrong_after;
    outcome->verified_known = true;
    outcome->wrong = wrong > outcome->wrong ? wrong : outcome->wrong;
    outcome->verified = outcome->wrong == 0;
    return true;
}

void lab_measuring_end(const struct lab_measuring *p, bool good)
{
    struct lab_measurer *m = p->m;
    lab_measurer_skip(m);
    if (!good) {
        lab_sampling_drain(&p->sampling);
        lab_sampling_drain(&p->baseline);
        m->run->error = p->work->lanes[0].device->error;
    }
    if (p->outcome->verified_known && !p->outcome->verified)
        m->run->any_wrong = true;
}
