/* Measures a point, or several at the same time; times a repetition. */
#include "measure/measuring.h"
#include "measure/placement.h"

#include <math.h>
#include <pthread.h>

/* --- a point ------------------------------------------------------------------------------------------------------ */

static bool sample(struct lab_measuring *p)
{
    struct lab_outcome *outcome = p->outcome;
    while (outcome->stop_reason == NULL && outcome->unmeasurable == NULL) {
        if (lab_run_cancelled(p->m->run))
            outcome->stop_reason = "cancelled";
        else if (!lab_measuring_take(p))
            return false;
    }
    return outcome->count > 0 || outcome->unmeasurable != NULL ||
           lab_error_set(&p->work->lanes[0].device->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
}

static bool settle(struct lab_measuring *p)
{
    return lab_measuring_settle(&p, 1, (double)INFINITY);
}

static bool measure_point(struct lab_measuring *p)
{
    static bool (*const steps[])(struct lab_measuring *) = {lab_measuring_prepare,
                                                            settle,
                                                            lab_measuring_keep_energy,
                                                            lab_measuring_read_conditions,
                                                            sample,
                                                            lab_measuring_read_conditions,
                                                            lab_measuring_energy,
                                                            lab_measuring_count,
                                                            lab_measuring_verify};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && p->outcome->unmeasurable == NULL; i++)
        if (!steps[i](p))
            return false;
    return true;
}

/* Measures one of `points` points that share the time of all. */
static bool measure_one(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome, size_t points)
{
    struct lab_measuring point = lab_measuring_begin(m, work, outcome, points);
    bool good = measure_point(&point);
    lab_measuring_end(&point, good);
    return good;
}

bool lab_measure(struct lab_measurer *m, const struct lab_work *work, struct lab_outcome *outcome)
{
    return measure_one(m, work, outcome, 1);
}

/* --- several points at the same time ------------------------------------------------------------------------------ */

/* A thread and its point. */
struct concurrent {
    struct lab_concurrent_point *point;
    size_t count; /* of all points */
    pthread_t thread;
    bool started;
};

static void *measure_concurrent(void *argument)
{
    const struct concurrent *c = argument;
    struct lab_concurrent_point *point = c->point;
    lab_placement_return(point->measurer->run->numa_node);
    point->good = measure_one(point->measurer, point->work, point->outcome, c->count);
    return NULL;
}

/* A point whose thread cannot be created is measured after the others. */
void lab_measure_concurrently(struct lab_measurer *whole, struct lab_concurrent_point *points, size_t count)
{
    struct concurrent threads[LAB_RUN_DEVICES_MAX];
    for (size_t i = 0; i < count; i++) {
        struct concurrent *c = &threads[i];
        *c = (struct concurrent){.point = &points[i], .count = count};
        points[i].measurer->own.budget = whole->shared->budget;
        c->started = pthread_create(&c->thread, NULL, measure_concurrent, c) == 0;
    }
    for (size_t i = 0; i < count; i++)
        if (threads[i].started)
            pthread_join(threads[i].thread, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!threads[i].started)
            measure_concurrent(&threads[i]);
        lab_measurer_skip(whole);
    }
}

/* --- calibration of an experiment --------------------------------------------------------------------------------- */

enum { ROUGH_SAMPLES = 5, ROUGH_INVALID_MAX = 20 };

/* Takes ROUGH_SAMPLES samples, fewer when the share of a point is used up. The calibration has taken the first. Returns
 * their number, 0 with the error of the first lane's device set. */
static size_t sample_roughly(struct lab_measuring *p, double samples[ROUGH_SAMPLES])
{
    struct lab_device *device = p->work->lanes[0].device;
    if (!lab_measuring_prepare(p))
        return 0;
    if (!(p->sampling.repetition_s > 0)) {
        lab_error_set(&device->error, LAB_ERROR_UNMEASURABLE, "", "calibration: %s", p->outcome->unmeasurable);
        return 0;
    }
    size_t taken = 0;
    samples[taken++] = p->sampling.repetition_s;
    for (size_t i = 0; i < ROUGH_INVALID_MAX && taken < ROUGH_SAMPLES && lab_now_s() < p->deadline_s; i++) {
        if (lab_run_cancelled(p->m->run)) {
            lab_error_set(&device->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
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
    struct lab_outcome outcome;
    double samples[ROUGH_SAMPLES];
    struct lab_summary summary;
    unverified.poison = NULL;
    unverified.verify = NULL;
    unverified.baseline = NULL;
    struct lab_measuring point = lab_measuring_begin(m, &unverified, &outcome, 1);
    size_t taken = sample_roughly(&point, samples);
    if (taken == 0) {
        lab_sampling_drain(&point.sampling);
        m->run->error = work->lanes[0].device->error;
        return false;
    }
    bool good = lab_summarise(samples, taken, &summary);
    *seconds = summary.median;
    return good || lab_error_set(&m->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a summary");
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
