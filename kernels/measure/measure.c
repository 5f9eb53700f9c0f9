/* The measurement loop: takes the samples of a point and decides when there are enough. */
#include "measure/measure.h"

#include "measure/sampling.h"
#include "measure/stopping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point is abandoned when its invalid samples outnumber the valid ones by more than this. */
enum { DISCARDS_MAX = 20 };

static const double settled_tolerance = 0.01; /* the speed of a settled device changes by at most this share */
static const double rest_step_s = 0.1;        /* a cancel ends a pause after at most this time */

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
    double end_s; /* end of the time budget, on the clock of lab_now_s */
    struct lab_stopping_limits limits;
    double sample_s, settle_s, rest_s; /* the run's parameters of these names */
    /* Samples of the current point and of its baseline in seconds per repetition; space for max_samples each. */
    double *samples, *baseline_samples;
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
    m->points_left = points;
    m->end_s = lab_now_s() + lab_parameter_number(run->parameters, "time_budget_s");
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
        if (timer == NULL || !lab_sampling_begin(&pair->baseline, timer, &m->flushes, work->baseline, m->sample_s))
            return keep_baseline_error(work);
    }
    struct lab_timer *timer = timer_for(&m->timers, work);
    return timer != NULL && lab_sampling_begin(&pair->work, timer, &m->flushes, work, m->sample_s);
}

/* Leaves the devices idle for rest_s. */
static void rest(const struct lab_measurer *m)
{
    double end = lab_now_s() + m->rest_s;
    for (double left = m->rest_s; left > 0 && !lab_run_cancelled(m->run); left = end - lab_now_s())
        lab_sleep_s(fmin(left, rest_step_s));
}

/* Takes a sample of the baseline, if there is one, and then one of the work, each after a pause. The pair is invalid if either sample is; the
 * work is sampled in any case, so that its result is what is verified. */
static enum lab_sample_status take_pair(const struct lab_measurer *m, struct pair *pair, double *seconds,
                                        double *baseline_seconds)
{
    enum lab_sample_status baseline = LAB_SAMPLE_VALID;
    if (pair->baseline.work != NULL) {
        rest(m);
        baseline = lab_sample_take(&pair->baseline, baseline_seconds);
    }
    if (baseline == LAB_SAMPLE_FAILED) {
        keep_baseline_error(pair->work.work);
        return baseline;
    }
    rest(m);
    enum lab_sample_status work = lab_sample_take(&pair->work, seconds);
    return work == LAB_SAMPLE_VALID ? baseline : work;
}

/* Runs compute work for at least settle_s, and then until two successive windows of half that time agree: the clock has
 * found what the power limit allows. Uses at most half of the time until `deadline`. The samples are discarded. */
static bool settle(const struct lab_measurer *m, struct pair *pair, double deadline)
{
    struct lab_running_statistics previous = {0}, window = {0};
    double now = lab_now_s(), window_s = m->settle_s / 2;
    double end = now + (deadline - now) / 2, window_end = now + window_s;
    if (!pair->work.work->compute || !(m->settle_s > 0) || m->rest_s > 0)
        return true;
    while (now < end && !lab_run_cancelled(m->run)) {
        double seconds, baseline_seconds;
        enum lab_sample_status result = take_pair(m, pair, &seconds, &baseline_seconds);
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

/* Combines the conditions of all devices into *conditions. */
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
        lab_conditions_merge(conditions, &now);
    }
}

/* Decides after a valid sample whether the point ends. */
static const char *reason_to_stop(const struct lab_measurer *m, struct lab_stopping *stopping, const struct pair *pair,
                                  size_t count, double deadline)
{
    double duration_s = m->samples[count - 1] * (double)pair->work.repetitions + m->rest_s;
    bool budget_used = count >= m->limits.min_samples && lab_now_s() >= deadline;
    return lab_stopping_reason(stopping, m->samples, count, duration_s, budget_used);
}

static bool sample_point(struct lab_measurer *m, struct pair *pair, double deadline, struct lab_outcome *outcome)
{
    struct lab_stopping stopping = {.limits = &m->limits};
    size_t discarded = 0;
    while (outcome->stop_reason == NULL) {
        if (lab_run_cancelled(m->run)) {
            outcome->stop_reason = "cancelled";
            break;
        }
        enum lab_sample_status result =
            take_pair(m, pair, &m->samples[outcome->count], &m->baseline_samples[outcome->count]);
        if (result == LAB_SAMPLE_FAILED)
            return false;
        if (result == LAB_SAMPLE_VALID) {
            outcome->stop_reason = reason_to_stop(m, &stopping, pair, ++outcome->count, deadline);
        } else if (++discarded > DISCARDS_MAX + outcome->count) {
            outcome->unmeasurable =
                "too many samples were invalid: the latch timed out, or the background copies ended before the timed "
                "work";
            break;
        }
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
    if ((work->poison != NULL && !work->poison(work->context)) || !begin_pair(m, &pair, work) ||
        !settle(m, &pair, deadline))
        return false;
    read_conditions(m, work, &outcome->conditions);
    if (!sample_point(m, &pair, deadline, outcome))
        return false;
    read_conditions(m, work, &outcome->conditions);
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
    bool good = timer != NULL && prepare_flushes(m, work) &&
                lab_sampling_begin(&sampling, timer, &m->flushes, work, m->sample_s);
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

bool lab_calls_block(struct lab_measurer *m, const struct lab_work *work, bool *block)
{
    struct lab_timer *timer = timer_for(&m->timers, work);
    if (timer != NULL && lab_sampling_calls_block(timer, work, block))
        return true;
    m->run->error = work->lanes[0].device->error;
    return false;
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
