/* The measurement loop: takes the samples of a point and decides when there are enough. */
#include "measure/measure.h"

#include "measure/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DISCARDS_MAX = 20, /* a point is abandoned when its invalid samples outnumber the valid ones by more than this */
    NOISE_WINDOW = 64  /* number of latest noise estimates that must agree for "noise-stable" */
};

static const double noise_spread_max = 0.05; /* largest (max - min) / mean of the noise window for "noise-stable" */

/* Timers, at most one for each device; each is created when its device is first the first lane's device of some work. */
struct timers {
    size_t count;
    struct lab_timer *items[LAB_RUN_DEVICES_MAX];
};

/* Work and its baseline, which are sampled alternately. */
struct pair {
    struct lab_sampling work, baseline; /* baseline.work is NULL if there is no baseline */
};

struct lab_measurer {
    struct lab_run *run;
    struct timers timers, baseline_timers;
    struct lab_flushes flushes;
    size_t points_left;
    double end_s;                    /* end of the time budget, on the clock of lab_now_s */
    size_t min_samples, max_samples; /* the run's parameters of these names, like max_noise */
    double max_noise;
    /* Samples of the current point and of its baseline in seconds per repetition; space for max_samples each. */
    double *samples, *baseline_samples;
};

/* --- creating and releasing --------------------------------------------------------------------------------------- */

struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points)
{
    struct lab_measurer *m = calloc(1, sizeof *m);
    if (m == NULL)
        goto fail;
    m->run = run;
    m->points_left = points;
    m->end_s = lab_now_s() + lab_parameter_number(run->parameters, "time_budget_s");
    m->min_samples = (size_t)lab_parameter_integer(run->parameters, "min_samples");
    m->max_samples = (size_t)lab_parameter_integer(run->parameters, "max_samples");
    m->max_noise = lab_parameter_number(run->parameters, "max_noise");
    m->samples = calloc(m->max_samples, sizeof *m->samples);
    m->baseline_samples = calloc(m->max_samples, sizeof *m->baseline_samples);
    if (m->samples == NULL || m->baseline_samples == NULL)
        goto fail;
    return m;
fail:
    lab_measurer_release(m);
    lab_error_set(&run->error, "out-of-memory", "", "out of memory for the samples");
    return NULL;
}

static void release_timers(struct timers *timers)
{
    for (size_t i = 0; i < timers->count; i++)
        lab_timer_release(timers->items[i]);
}

void lab_measurer_release(struct lab_measurer *m)
{
    if (m == NULL)
        return;
    release_timers(&m->timers);
    release_timers(&m->baseline_timers);
    lab_flushes_release(&m->flushes);
    free(m->samples);
    free(m->baseline_samples);
    free(m);
}

/* Returns the timer of the first lane's device, created at first use; NULL with the device's error set. */
static struct lab_timer *timer_for(struct timers *timers, const struct lab_work *work)
{
    struct lab_device *device = work->lanes[0].device;
    for (size_t i = 0; i < timers->count; i++)
        if (lab_timer_device(timers->items[i]) == device)
            return timers->items[i];
    struct lab_timer *timer = lab_timer_create(device);
    if (timer != NULL)
        timers->items[timers->count++] = timer;
    return timer;
}

/* --- when to stop ------------------------------------------------------------------------------------------------- */

/* State of the decision when to stop sampling a point. */
struct stopping {
    struct lab_running_statistics statistics; /* statistics of all samples so far */
    double window[NOISE_WINDOW];              /* the latest noise estimates, a ring buffer */
    size_t estimates;                         /* number of noise estimates so far */
};

/* The noise is stable when its latest estimates differ by at most noise_spread_max of their mean: more samples would not
 * lower it (after nvbench's criterion). */
static bool noise_is_stable(const struct stopping *stopping)
{
    if (stopping->estimates < NOISE_WINDOW)
        return false;
    double low = stopping->window[0], high = low, sum = 0;
    for (size_t i = 0; i < NOISE_WINDOW; i++) {
        low = fmin(low, stopping->window[i]);
        high = fmax(high, stopping->window[i]);
        sum += stopping->window[i];
    }
    return high - low <= noise_spread_max * sum / NOISE_WINDOW;
}

/* Adds a sample and returns the reason to stop, NULL to continue. */
static const char *reason_to_stop(const struct lab_measurer *m, struct stopping *stopping, double sample,
                                  double deadline)
{
    lab_running_statistics_add(&stopping->statistics, sample);
    double noise = lab_running_statistics_noise(&stopping->statistics);
    size_t n = stopping->statistics.n;
    if (n >= m->min_samples) {
        if (noise <= m->max_noise)
            return "converged";
        if (isfinite(noise))
            stopping->window[stopping->estimates++ % NOISE_WINDOW] = noise;
        if (noise_is_stable(stopping))
            return "noise-stable";
    }
    if (n >= m->max_samples)
        return "sample-limit";
    if (n >= m->min_samples && lab_now_s() >= deadline)
        return "timed-out";
    return NULL;
}

/* --- sampling and verifying --------------------------------------------------------------------------------------- */

/* Copies the error of the baseline to the first lane's device of the work. Always returns false. */
static bool keep_baseline_error(const struct lab_work *work)
{
    work->lanes[0].device->error = work->baseline->lanes[0].device->error;
    return false;
}

static bool prepare_flushes(struct lab_measurer *m, const struct lab_work *work)
{
    const struct lab_work *baseline = work->baseline;
    if (work->cold && !lab_flushes_prepare(&m->flushes, work->lanes, work->lane_count))
        return false;
    return baseline == NULL || !baseline->cold ||
           lab_flushes_prepare(&m->flushes, baseline->lanes, baseline->lane_count) || keep_baseline_error(work);
}

/* Warms up and calibrates the baseline and the work. The work comes last: its result is in the destination. */
static bool begin_pair(struct lab_measurer *m, struct pair *pair, const struct lab_work *work)
{
    *pair = (struct pair){0};
    if (work->baseline != NULL) {
        struct lab_timer *timer = timer_for(&m->baseline_timers, work->baseline);
        if (timer == NULL || !lab_sampling_begin(&pair->baseline, timer, &m->flushes, work->baseline))
            return keep_baseline_error(work);
    }
    struct lab_timer *timer = timer_for(&m->timers, work);
    return timer != NULL && lab_sampling_begin(&pair->work, timer, &m->flushes, work);
}

/* Takes a sample of the baseline, if there is one, and then one of the work. The pair is invalid if either sample is; the
 * work is sampled in any case, so that its result is what is verified. */
static enum lab_sample_status take_pair(struct pair *pair, double *seconds, double *baseline_seconds)
{
    enum lab_sample_status baseline = LAB_SAMPLE_VALID;
    if (pair->baseline.work != NULL)
        baseline = lab_sample_take(&pair->baseline, baseline_seconds);
    if (baseline == LAB_SAMPLE_FAILED) {
        keep_baseline_error(pair->work.work);
        return baseline;
    }
    enum lab_sample_status work = lab_sample_take(&pair->work, seconds);
    return work == LAB_SAMPLE_VALID ? baseline : work;
}

/* Takes and discards samples for work->settle_s seconds, until the clocks are stable. */
static bool settle(const struct lab_measurer *m, struct pair *pair)
{
    double seconds, baseline_seconds, end_s = lab_now_s() + pair->work.work->settle_s;
    while (lab_now_s() < end_s && !lab_run_cancelled(m->run))
        if (take_pair(pair, &seconds, &baseline_seconds) == LAB_SAMPLE_FAILED)
            return false;
    return true;
}

static void add_throttle(struct lab_conditions *to, const char *reason)
{
    for (size_t i = 0; i < to->throttle_count; i++)
        if (strcmp(to->throttle[i], reason) == 0)
            return;
    if (to->throttle_count < LAB_THROTTLE_MAX)
        to->throttle[to->throttle_count++] = reason;
}

/* Combines the conditions of all devices: the lowest clock, the highest temperature and power, all throttle reasons. */
static void read_conditions(const struct lab_measurer *m, const struct lab_work *work,
                            struct lab_conditions *conditions)
{
    const struct lab_monitor *monitor = &m->run->monitor;
    for (size_t i = 0; monitor->conditions != NULL && i < work->lane_count; i++) {
        struct lab_conditions now;
        bool read = false;
        for (size_t k = 0; k < i; k++)
            read = read || work->lanes[k].device == work->lanes[i].device;
        if (read)
            continue;
        lab_conditions_clear(&now);
        monitor->conditions(monitor->context, work->lanes[i].device, &now);
        /* fmin and fmax ignore an unknown number (NAN). */
        conditions->sm_clock_hz = fmin(conditions->sm_clock_hz, now.sm_clock_hz);
        conditions->temperature_c = fmax(conditions->temperature_c, now.temperature_c);
        conditions->power_w = fmax(conditions->power_w, now.power_w);
        for (size_t t = 0; t < now.throttle_count; t++)
            add_throttle(conditions, now.throttle[t]);
    }
}

static bool sample_point(struct lab_measurer *m, struct pair *pair, double deadline, struct lab_outcome *outcome)
{
    struct stopping stopping = {0};
    size_t discarded = 0;
    while (outcome->stop_reason == NULL) {
        if (lab_run_cancelled(m->run)) {
            outcome->stop_reason = "cancelled";
            break;
        }
        double *seconds = &m->samples[outcome->count];
        enum lab_sample_status result = take_pair(pair, seconds, &m->baseline_samples[outcome->count]);
        if (result == LAB_SAMPLE_FAILED)
            return false;
        if (result == LAB_SAMPLE_INVALID) {
            if (++discarded <= DISCARDS_MAX + outcome->count)
                continue;
            outcome->unmeasurable =
                "too many samples were invalid: the latch timed out, or the background copies ended before the timed "
                "work";
            break;
        }
        outcome->count++;
        outcome->stop_reason = reason_to_stop(m, &stopping, *seconds, deadline);
        if (outcome->count == (m->min_samples + 1) / 2)
            read_conditions(m, pair->work.work, &outcome->conditions);
    }
    return true;
}

/* Checks the result after the samples, then poisons the destination, runs one more repetition and checks its result. */
static bool verify_point(const struct lab_work *work, struct lab_outcome *outcome)
{
    uint64_t wrong_before, wrong_after;
    if (!work->verify(work->context, &wrong_before) || !work->poison(work->context) || !work->enqueue(work->context) ||
        !lab_work_synchronize(work) || !work->verify(work->context, &wrong_after))
        return false;
    outcome->verified_known = true;
    outcome->wrong = wrong_before > wrong_after ? wrong_before : wrong_after;
    outcome->verified = outcome->wrong == 0;
    return true;
}

static bool measure_point(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome)
{
    double now = lab_now_s();
    double deadline = now + fmax(0, m->end_s - now) / (double)m->points_left;
    struct pair pair;
    if (!prepare_flushes(m, work)) {
        const struct lab_error *error = &work->lanes[0].device->error;
        outcome->unmeasurable = strcmp(error->code, "unsupported") == 0 ? error->detail : NULL;
        return outcome->unmeasurable != NULL;
    }
    if ((work->poison != NULL && !work->poison(work->context)) || !begin_pair(m, &pair, work) || !settle(m, &pair) ||
        !sample_point(m, &pair, deadline, outcome))
        return false;
    if (outcome->unmeasurable != NULL)
        return true;
    if (outcome->count == 0)
        return lab_error_set(&work->lanes[0].device->error, "cancelled", "", "the run was cancelled");
    return work->verify == NULL || verify_point(work, outcome);
}

void lab_measurer_skip(struct lab_measurer *m)
{
    if (m->points_left > 1)
        m->points_left--;
}

bool lab_measure(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome)
{
    *outcome = (struct lab_outcome){.samples = m->samples,
                                    .baseline_samples = work->baseline != NULL ? m->baseline_samples : NULL,
                                    .cache = work->cacheless ? NULL
                                             : work->cold    ? "cold"
                                                             : "warm"};
    lab_conditions_clear(&outcome->conditions);

    bool good = measure_point(m, work, outcome);
    lab_measurer_skip(m);
    if (!good)
        m->run->error = work->lanes[0].device->error;
    if (outcome->verified_known && !outcome->verified)
        m->run->any_wrong = true;
    return good;
}

bool lab_time_roughly(struct lab_measurer *m, const struct lab_work *work, double *seconds)
{
    enum { SAMPLES = 5 };
    struct lab_timer *timer = timer_for(&m->timers, work);
    struct lab_sampling sampling;
    double samples[SAMPLES];
    struct lab_summary summary;
    size_t taken = 0;
    bool good = timer != NULL && prepare_flushes(m, work) && lab_sampling_begin(&sampling, timer, &m->flushes, work);
    for (size_t attempts = 0; good && taken < SAMPLES && attempts < SAMPLES + DISCARDS_MAX; attempts++) {
        enum lab_sample_status result = lab_sample_take(&sampling, &samples[taken]);
        good = result != LAB_SAMPLE_FAILED;
        taken += result == LAB_SAMPLE_VALID;
    }
    if (good && taken == 0)
        good = lab_error_set(&work->lanes[0].device->error, "unmeasurable", "",
                             "every sample of a calibration was invalid");
    if (!good) {
        m->run->error = work->lanes[0].device->error;
        return false;
    }
    good = lab_summarise(samples, taken, &summary);
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
        lab_error_set(&run->error, "out-of-memory", "", "out of memory for the samples of a point");
    free(samples);
    return good;
}
